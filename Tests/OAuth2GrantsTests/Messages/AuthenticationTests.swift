import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("How somebody signed in, and what is demanded of that")
struct AuthenticationTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func classes(_ names: String...) throws -> [Authentication.ContextClass] {
        try names.map { try Authentication.ContextClass(parsing: $0) }
    }

    @Test("A demand is met by one of its classes that is recent enough", .proves("FPA-18"))
    func meets() throws {
        let demand = try AuthenticationDemand(classes("a", "b"), maximumAge: 60)
        func isMet(_ name: String?, _ age: Int64?, leeway: Int64 = 0) throws -> Bool {
            let shown = Authentication(
                by: ["pwd"], as: try name.map { try Authentication.ContextClass(parsing: $0) },
                at: age.map { now - .seconds($0) })
            return demand.isMet(by: shown, at: now, leeway: .seconds(leeway))
        }
        #expect(try isMet("b", 60) && isMet("a", 0) && isMet("a", 65, leeway: 5))
        #expect(try !isMet("b", 61) && !isMet("c", 0) && !isMet(nil, 0) && !isMet("a", nil) && !isMet("A", 0))
        #expect(AuthenticationDemand.none.isMet(by: Authentication(by: []), at: now))
    }

    @Test("Claims say it, and what is not of their form says nothing", .proves("FPA-19"))
    func claims() throws {
        let shown = Authentication(by: ["pwd", "otp", "pwd"], as: try classes("a")[0], at: now)
        #expect(shown.methods == ["pwd", "otp"])
        #expect(shown.claims == ["acr": "a", "amr": ["pwd", "otp"], "auth_time": 1_800_000_000])
        #expect(Authentication(told: shown.claims) == shown)
        let odd = Authentication(told: ["acr": 1, "amr": "pwd", "auth_time": "1800000000"])
        #expect(odd == Authentication(by: []) && odd.claims.isEmpty)
    }

    @Test(
        "A class that cannot stand in a list or between quotes is none to demand", .proves("FPA-18"),
        arguments: ["a b", "a\"", "a\\", "\u{e9}"])
    func classNames(_ name: String) throws {
        let found = rejection { () throws(ParameterRejection) in
            _ = try AuthenticationDemand([(try? Authentication.ContextClass(parsing: name))].compactMap { $0 })
        }
        #expect(found != nil)
        #expect(rejection { () throws(ParameterRejection) in _ = try AuthenticationDemand([], maximumAge: -1) } != nil)
    }

    @Test("A resource says what it demands in its challenge and its body", .proves("FPA-21"), .proves("FPA-3"))
    func challenge() throws {
        let demand = try AuthenticationDemand(classes("https://refeds.org/profile/mfa", "b"), maximumAge: 0)
        let error = OAuth2Error(.insufficientUserAuthentication, "more", demanding: demand)
        let response = error.response(at: .resource())
        #expect(response.status == .unauthorized)
        #expect(try OAuth2Error(parsing: response) == error)
        // In the challenge alone, as RFC 9470 has it, or in a body beside one that says nothing of it.
        let challenge =
            "Bearer error=\"insufficient_user_authentication\", error_description=\"more\", "
            + "acr_values=\"https://refeds.org/profile/mfa b\", max_age=0"
        for body in ["", #"{"error":"insufficient_user_authentication","error_description":"more"}"#] {
            var bare = HTTP.Response(.unauthorized, body: Array(body.utf8))
            try bare.fields.append(.wwwAuthenticate, challenge)
            try bare.fields.append(.contentType, "application/json")
            #expect(try OAuth2Error(parsing: bare) == error)
        }
        // What cannot be read demands nothing that is known.
        for wrong in ["max_age=-1", "max_age=\"+1\"", "acr_values=\"a\\\\b\"", "max_age=99999999999999999999"] {
            var bare = HTTP.Response(.unauthorized)
            try bare.fields.append(.wwwAuthenticate, "Bearer error=\"insufficient_user_authentication\", \(wrong)")
            #expect(try OAuth2Error(parsing: bare).demand == .none)
        }
        #expect(error.response().status == .badRequest)
    }

    @Test("What was kept and cannot be read does not pass for nothing", .proves("FPA-18"))
    func kept() throws {
        let demand = try AuthenticationDemand(classes("a"), maximumAge: 5)
        #expect(AuthenticationDemand(keptIn: demand.members) == demand)
        #expect(AuthenticationDemand(keptIn: [:]) == AuthenticationDemand.none)
        for wrong in [
            ["acr_values": "a"], ["acr_values": [1]], ["acr_values": ["a b"]], ["max_age": "5"], ["max_age": -1],
        ]
            as [JSON.Object]
        {
            #expect(AuthenticationDemand(keptIn: wrong) == nil)
        }
    }
}
