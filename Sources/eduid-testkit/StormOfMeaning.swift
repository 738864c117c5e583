import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTreeTesting
import VectorCatalogue
import Wire

extension Storm {
    /// Something that meets messages which are well-formed and mean something else (threat 71).
    struct Scene: Sendable {
        /// What came of a distortion.
        enum Outcome: Sendable {
            /// It was taken in, and can be written and read back.
            case taken
            /// It was rejected.
            case rejected
            /// It was taken in, and what was written of it cannot be read back.
            case lost
        }

        let name: String
        let meet: @Sendable (inout Distortion) -> Outcome
    }

    /// How many of `count` distortions were taken in; `nil` if one of them was lost.
    mutating func run(_ scene: Scene, count: Int, seed: UInt64) -> Int? {
        var distortion = Distortion(seed: seed)
        var taken = 0
        for _ in 0..<count {
            switch scene.meet(&distortion) {
            case .taken: taken += 1
            case .rejected: break
            case .lost: return nil
            }
        }
        return taken
    }
}

extension Storm.Scene {
    /// Stored texts that were sealed anew, and lying servers.
    static let all: [Self] = {
        guard let servers = try? LyingServers(seed: 71), let apps = try? thirdPartyApps() else {
            preconditionFailure("the samples are made of good parts")
        }
        return [appStore(servers)] + LyingServers.Errand.allCases.map { instance(servers, $0) } + apps
    }()

    private static let clear = Seal(seal: { $0 }, open: { $0 })

    /// A sealed text with another content.
    private static func appStore(_ servers: LyingServers) -> Self {
        let text = servers.session.store.serialized(sealing: clear)
        let sealed = (try? JSON(parsing: text))?["sealed"]?.string ?? ""
        let content = (try? Base64URL.decode(sealed)) ?? []
        return Self(name: "store of the edu-ID app, sealed anew") { distortion in
            let bytes = distortion.distorted(content)
            let text = "{\"eduid\":1,\"sealed\":\"\(Base64URL.encode(bytes))\"}"
            let whole = try? AuthorizingApp.Store(parsing: text, opening: clear)
            guard let store = try? AuthorizingApp.Store(salvaging: text, opening: clear, losing: { _ in }) else {
                return whole == nil ? .rejected : .lost
            }
            let again = try? AuthorizingApp.Store(parsing: store.serialized(sealing: clear), opening: clear)
            return again == store && (whole == nil || whole == store) ? .taken : .lost
        }
    }

    private static func instance(_ servers: LyingServers, _ errand: LyingServers.Errand) -> Self {
        Self(name: "edu-ID app and lying servers: \(errand.rawValue)") { distortion in
            let (session, rejection) = servers.session(after: errand, distortedBy: &distortion)
            guard LyingServers.survivesRestart(session) else { return .lost }
            return rejection == nil ? .taken : .rejected
        }
    }

    // MARK: third-party apps

    private static let now = Timestamp(seconds: 1_700_000_000)

    private static func thirdPartyApps() throws -> [Self] {
        let name: ProtocolName = "org.example.reading"
        let request = try ProtocolRequest(
            from: "device-7", of: "ch.example.reader", named: "Reader", for: [name, "org.example.writing"])
        var chance = SeededSequence(seed: 71)
        let key = AppKey(using: &chance)
        let answer = Array(documents.utf8)
        @Sendable func accepted(_ bytes: [UInt8]) throws -> NAILState {
            var state = NAILState()
            state.accept(try ProtocolResponse(parsing: bytes), to: request, key: key, at: now)
            return state
        }
        let state = try accepted(answer)
        let content = Array(try JSON.Document(parsing: state.serialized()).root.object()["state"].raw)
        return [
            Self(name: "state of an app, digested anew") { distortion in
                let text = digested(distortion.distorted(content))
                let whole = try? NAILState(parsing: text)
                guard let state = try? NAILState(salvaging: text, losing: { _ in }) else {
                    return whole == nil ? .rejected : .lost
                }
                return isKept(state) ? .taken : .lost
            },
            Self(name: "app and lying authorizing apps") { distortion in
                guard let state = try? accepted(distortion.distorted(answer)) else { return .rejected }
                return isKept(state) ? .taken : .lost
            },
            Self(name: "app and lying servers") { distortion in
                var (state, chance) = (state, SeededSequence(seed: 3))
                guard let renewal = try? state.renew("https://a.example", name, at: now, using: &chance) else {
                    return .lost
                }
                let response = HTTP.Response(.ok, body: Array(renewed.utf8))
                let outcome = state.settle(renewal, with: distortion.distorted(response), at: now)
                return isKept(state) ? (outcome == .renewed ? .taken : .rejected) : .lost
            },
        ]
    }

    private static let documents = joined(
        #"[{"engineLink":"","engineName":"A","homePageLink":"https://a.example","apis":{"org.ietf.oauth2":"#,
        #"{"apiLink":"o/"},"org.example.reading":{"apiLink":"r"},"org.example.writing":{"apiLink":"w","#,
        #""authorization":{"access_token":"own","token_type":"PoP","cnf":{"jwk":{"kty":"oct","kid":"k","#,
        #""k":"AAECAwQFBgcICQoLDA0ODw"}}}}},"authorization":{"access_token":"t","token_type":"Bearer","#,
        #""refresh_token":"r-1","expires_in":3600,"scope":"a b"}}]"#)

    private static let renewed = joined(
        #"{"access_token":"t-2","token_type":"Bearer","expires_in":3600,"refresh_token":"r-2","scope":"a b","#,
        #""cnf":{"kid":"k"},"x":null}"#)

    private static func digested(_ content: [UInt8]) -> String {
        let digest = Base64URL.encode(SHA256.hash(data: content))
        return "{\"nail\":1,\"digest\":\"\(digest)\",\"state\":" + String(decoding: content, as: UTF8.self) + "}"
    }

    /// Whether a state is the same when it was written and read.
    private static func isKept(_ state: NAILState) -> Bool {
        let text = state.serialized()
        return (try? NAILState(parsing: text))?.serialized() == text
    }
}
