import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// A phone whose keys lie in a secure element: each interaction, and each signature that it takes.
struct ElementStory {
    enum Work: String, CaseIterable, Sendable {
        case registration, signIn, registrationAgain, launch, renewal, upgrade, change
        case introduction, regaining, serviceRenewal, access, answer, check
        case instances, services, apps, candidates
        case disconnectedApp, endedApp, unlinking, disconnectedService, signOut, signInAgain, everything
    }

    static let homes = Result { try Parties.homes.map { try ServiceURL(parsing: $0) } }
    static let reader: BundleID = "com.example.reader"
    private static let papi: ProtocolName = "org.ieee.papi"

    private static let beginning = Result {
        var parties = try Parties(seed: 2_021)
        try parties.turn(to: SecureElement(seed: 1, on: .p256))
        return parties
    }

    private static let middle = Result {
        var parties = try beginning.get()
        try parties.signIn()
        for home in try homes.get() {
            try parties.authorize(home)
            let service = try #require(parties.session.store.contents.services[home])
            try parties.perform(.access(for: reader, at: service.description, to: [papi]))
        }
        return parties
    }

    /// Everybody before some work.
    static func parties(before work: Work) throws -> Parties {
        if work == .registration { return try beginning.get() }
        if work == .signIn { return try beginning.get() }
        var parties = try middle.get()
        switch work {
        case .launch, .regaining: parties.federation.wait(.seconds(3_600))
        case .introduction: try parties.perform(.unlinking(homes.get()[0]))
        case .signInAgain:
            // Over here, and told to nobody.
            var entropy = SimulatedFederation.Entropy(seed: 3)
            let ended = try parties.session.carryOut(
                .signOut, at: parties.federation.now, using: &entropy, over: { _ in nil })
            #expect(ended == .pending)
        default: parties.federation.wait(.seconds(60))
        }
        return parties
    }

    static func checked(_ parties: Parties) throws -> ProtocolRequest.Checked {
        let request = try ProtocolRequest(from: "reader", of: reader, named: "Reader", for: [papi])
        var seen = ProtocolRequest.Seen()
        return try request.checked(against: [:], remembering: &seen, at: parties.federation.now)
    }

    static func choice(_ checked: ProtocolRequest.Checked, _ parties: Parties) throws -> AuthorizationMode.Choice {
        var mode = AuthorizationMode(for: checked.request, isSignedIn: true)
        try mode.note(.found(parties.session.knownChoices(for: checked.request)))
        guard case .finish(.accepted(let choice)) = try mode.take(.accept) else { throw SimulationError() }
        return choice
    }

    /// Has an interaction carried out, whatever comes of it.
    static func carryOut(_ work: Work, _ parties: Parties, by driver: inout some ElementDriver) throws {
        let home = try homes.get()[0]
        let person = parties.person
        switch work {
        case .registration, .registrationAgain: try driver.carryOut(.registration)
        case .signIn, .signInAgain: try driver.carryOut(.signIn(person.name, person.password))
        case .launch: try driver.carryOut(.launch)
        case .renewal: try driver.carryOut(.renewal(of: .user))
        case .upgrade:
            let newer = parties.session.installation.updated(to: try SigningKey(parties.versionKeys[1]))
            try driver.carryOut(.upgrade(to: newer))
        case .change: try driver.carryOut(.change(of: parties.session.installation.device))
        case .introduction: try driver.carryOut(.introduction(to: home))
        case .regaining: try driver.carryOut(.authorization(at: home))
        case .serviceRenewal: try driver.carryOut(.renewal(of: .service(home)))
        case .access:
            let service = try #require(parties.session.store.contents.services[home])
            try driver.carryOut(.access(for: reader, at: service.description, to: [papi]))
        case .answer:
            let checked = try checked(parties)
            try driver.carryOut(.answer(to: checked, with: choice(checked, parties)))
        case .check: try driver.carryOut(.check(checked(parties).request, against: [:]))
        case .instances: try driver.carryOut(.instances)
        case .services: try driver.carryOut(.services)
        case .apps: try driver.carryOut(.apps(at: home))
        case .candidates: try driver.carryOut(.candidates(for: checked(parties).request))
        case .disconnectedApp: try driver.carryOut(.disconnect(reader, at: home))
        case .endedApp: try driver.carryOut(.ending(reader, at: home))
        case .unlinking: try driver.carryOut(.unlinking(home))
        case .disconnectedService: try driver.carryOut(.disconnect(home))
        case .signOut: try driver.carryOut(.signOut)
        case .everything: try driver.carryOut(.endEverything)
        }
    }
}

/// Carries out interactions of any value.
protocol ElementDriver {
    mutating func carryOut<Value>(_ interaction: AuthorizingApp.Interaction<Value>) throws
}

/// Everything that is kept, with every byte of it.
extension AuthorizingApp.Session {
    var bytes: String { store.serialized(sealing: AppSample.seal) + installation.device.name.text }
}

/// Takes an interaction step by step, and has signatures and keys refused before they are given.
private struct StepDriver: ElementDriver {
    var parties: Parties
    let isRefused: Bool
    private(set) var signatures = 0
    private(set) var keys = 0

    init(parties: Parties, isRefused: Bool) { (self.parties, self.isRefused) = (parties, isRefused) }

    mutating func carryOut<Value>(_ interaction: AuthorizingApp.Interaction<Value>) throws {
        var entropy = SimulatedFederation.Entropy(seed: 5)
        let now = parties.federation.now
        var conversation = try AuthorizingApp.Conversation(
            interaction, of: &parties.session, at: now, using: &entropy)
        defer { parties.session = conversation.session }
        while conversation.value == nil {
            if let request = conversation.request {
                #expect(conversation.signatureRequest == nil && conversation.keyRequest == nil)
                try conversation.take(parties.federation.send(request), at: now)
            } else if let request = conversation.signatureRequest {
                signatures += 1
                if isRefused { try refuse(request, &conversation) }
                let signature = parties.element?.signature(for: request)
                try conversation.take(signature: signature)
            } else {
                _ = try #require(conversation.keyRequest)
                keys += 1
                let before = conversation.session.bytes
                if isRefused { #expect(throws: Rejection.unsigned) { try conversation.take(key: nil) } }
                #expect(conversation.session.bytes == before && conversation.keyRequest != nil)
                try conversation.take(key: parties.element?.newKey())
            }
        }
    }

    /// Whatever is not the signature changes nothing, however often, and is asked for again.
    private func refuse<Value>(
        _ request: SignatureRequest, _ conversation: inout AuthorizingApp.Conversation<Value>
    ) throws {
        let before = conversation.session.bytes
        for answer in SecureElement.Answer.allCases where answer != .signature {
            var element = try #require(parties.element)
            element.answer = { _ in answer }
            let given = element.signature(for: request)
            #expect((given == nil) == (answer == .nothing))
            #expect(throws: Rejection.unsigned) { try conversation.take(signature: given) }
            #expect(conversation.session.bytes == before && conversation.signatureRequest == request)
            // An answer that nobody asked for is none.
            try conversation.take(HTTP.Response(.ok), at: parties.federation.now)
            #expect(conversation.request == nil && conversation.value == nil && conversation.keyRequest == nil)
        }
    }
}

/// A phone on which others wait while the person is asked.
private final class Phone: Sendable {
    private let content: Mutex<(parties: Parties, kept: AuthorizingApp.Store?)>

    init(_ parties: Parties) { content = Mutex((parties, nil)) }

    var parties: Parties { content.withLock { $0.parties } }
    var kept: AuthorizingApp.Store? { content.withLock { $0.kept } }

    /// The person declines one signature, after so many.
    func decline(after count: Int) {
        content.withLock { content in
            let number = (content.parties.element?.requests.count ?? 0) + count
            content.parties.element?.answer = { $0 == number ? .nothing : .signature }
        }
    }

    func host() -> AuthorizingApp.Host {
        var host = AuthorizingApp.Host(
            send: { request in self.content.withLock { $0.parties.federation.send(request) } },
            keep: { store in self.content.withLock { $0.kept = store } },
            now: { self.parties.federation.now },
            entropy: { self.content.withLock { $0.parties.federation.entropy.next() } })
        host.sign = { request in self.content.withLock { $0.parties.element?.signature(for: request) } }
        host.newKey = { _ in self.content.withLock { $0.parties.element?.newKey() } }
        return host
    }
}

/// Carries an interaction out at once.
private struct WholeDriver: ElementDriver {
    var parties: Parties

    mutating func carryOut<Value>(_ interaction: AuthorizingApp.Interaction<Value>) throws {
        try parties.perform(interaction)
    }
}

@Suite("S5: keys that lie elsewhere")
struct DeviceKeyElsewhereTests {
    typealias Work = ElementStory.Work

    private func stepped(_ work: Work, refused: Bool) throws -> StepDriver {
        let parties = try ElementStory.parties(before: work)
        var driver = StepDriver(parties: parties, isRefused: refused)
        if work == .signIn { try driver.carryOut(AuthorizingApp.Interaction<Void>.registration) }
        try ElementStory.carryOut(work, parties, by: &driver)
        return driver
    }

    @Test(
        "Declined, forged or in another form at every signature, it waits; then all is as if nothing had been",
        .proves("KEY-21"), .proves("KEY-20"), arguments: Work.allCases)
    func refused(_ work: Work) throws {
        let smooth = try stepped(work, refused: false)
        let rough = try stepped(work, refused: true)
        #expect(smooth.signatures == rough.signatures && smooth.keys == rough.keys)
        #expect((smooth.signatures > 0) == (work != .check))
        #expect(smooth.parties.session.bytes == rough.parties.session.bytes)
        let (one, other) = (smooth.parties.federation.traffic, rough.parties.federation.traffic)
        #expect(one.map(\.request) == other.map(\.request))
        #expect(smooth.parties.federation.refusals.map(\.clause) == rough.parties.federation.refusals.map(\.clause))
    }

    @Test(
        "Declined once at any signature, it is not done or goes on without, and can be done again",
        .proves("KEY-21"), arguments: Work.allCases)
    func declinedOnce(_ work: Work) throws {
        let before = try ElementStory.parties(before: work)
        var number = 0
        while true {
            var parties = before
            if work == .signIn { try parties.perform(.registration) }
            let (first, declined) = (parties.element?.requests.count ?? 0, number)
            parties.element?.answer = { $0 == first + declined ? .nothing : .signature }
            var driver = WholeDriver(parties: parties)
            do {
                try ElementStory.carryOut(work, parties, by: &driver)
            } catch {
                #expect(error as? Rejection == .unsigned)
            }
            let asked = (driver.parties.element?.requests.count ?? 0) - first
            guard asked > declined else { break }
            try goesOn(&driver, after: work, from: parties)
            number += 1
            try #require(number < 32)
        }
        #expect((number > 0) == (work != .check))
    }

    /// Nothing is lost by what was declined: what is over is over, and everything else is as good as before.
    private func goesOn(_ driver: inout WholeDriver, after work: Work, from before: Parties) throws {
        let session = driver.parties.session
        switch work {
        case .signOut:
            #expect(!session.isSignedIn && session.endings.map(\.matter) == [.session])
            #expect(try driver.parties.perform(.endings) == [])
        case .unlinking, .endedApp:
            #expect(session.isSignedIn && session.endings.count == 1)
            #expect(try driver.parties.perform(.endings) == [])
        case .everything, .disconnectedService, .disconnectedApp:
            #expect(session.bytes == before.session.bytes)
            try ElementStory.carryOut(work, before, by: &driver)
        case .signInAgain, .signIn, .registration:
            try ElementStory.carryOut(work, before, by: &driver)
            #expect(driver.parties.session.isRegistered && driver.parties.session.endings.isEmpty)
        default:
            #expect(session.isRegistered && session.isSignedIn)
            try ElementStory.carryOut(work, before, by: &driver)
            #expect(driver.parties.session.isSignedIn && driver.parties.session.authorizedServices.count == 2)
        }
        #expect(driver.parties.federation.refusals.map(\.clause) == before.federation.refusals.map(\.clause))
    }

    @Test(
        "An app is answered without the service whose signature was declined, and a logout is told later",
        .proves("KEY-21"), .proves("APP-1"))
    func declinedWhileOthersWait() async throws {
        let phone = Phone(try ElementStory.parties(before: .answer))
        let checked = try ElementStory.checked(phone.parties)
        let choice = try ElementStory.choice(checked, phone.parties)
        #expect(choice.services.count == 2)
        // An app code and a proof for each; the first of the second service is declined.
        phone.decline(after: 2)
        let part = AuthorizingExtension(phone.parties.session, on: phone.host())
        let answer = try await part.answer(checked, with: choice)
        #expect(answer.response.documents.map(\.serviceURL) == [choice.services[0]])
        #expect(answer.missing.map(\.service) == [choice.services[1]] && answer.missing[0].reason == .unsigned)
        #expect(try await part.answer(checked, with: choice).missing.isEmpty)
        phone.decline(after: 0)
        await #expect(throws: Rejection.unsigned) { try await part.launch() }
        let app = AuthorizingApp(await part.session, on: phone.host())
        phone.decline(after: 0)
        #expect(try await app.signOut() == .pending)
        let revision = await app.session.store.revision
        #expect(phone.kept?.contents.services.isEmpty == true && phone.kept?.revision == revision)
        #expect(try await app.endings() == [])
    }

    @Test("A key that the host does not make is no key, and nothing has changed", .proves("KEY-21"))
    func noKey() throws {
        var parties = try ElementStory.parties(before: .introduction)
        let (before, home) = (parties.session.bytes, try ElementStory.homes.get()[0])
        parties.element?.keysBeforeDeclining = 0
        #expect(throws: Rejection.unsigned) { try parties.perform(.introduction(to: home)) }
        #expect(parties.session.bytes == before)
        try parties.perform(.introduction(to: home))
        #expect(parties.session.authorizedServices.contains(home))
    }

    @Test(
        "A new refresh token is in the store when the next signature is declined", .proves("KEY-21"),
        .proves("threat-72"))
    func refreshToken() throws {
        var parties = try ElementStory.parties(before: .launch)
        let (first, requests) = (parties.element?.requests.count ?? 0, parties.federation.traffic.count)
        parties.element?.answer = { $0 == first + 1 ? .nothing : .signature }
        let before = parties.session.bytes
        #expect(throws: Rejection.unsigned) { try parties.perform(.launch) }
        #expect(parties.federation.traffic.count == requests + 1 && parties.session.bytes != before)
        // Much later the renewed token is renewed again.
        parties.federation.wait(.seconds(7_200))
        try parties.perform(.launch)
        #expect(parties.session.isSignedIn && parties.federation.refusals.isEmpty)
    }

    @Test("The host's names for keys are kept, and told to nobody", .proves("KEY-21"), .proves("DAT-1"))
    func names() throws {
        var parties = try ElementStory.parties(before: .access)
        let names = parties.session.keyNames
        #expect(names == ["element-1", "element-2", "element-3"])
        for (request, _) in parties.federation.traffic {
            let tokens = request.fields.values(of: .authorization) + request.fields.values(of: .dpop)
            let words = tokens.joined(separator: " ").split { " .".contains($0) }.map(String.init)
            let texts = words.compactMap { try? Base64URL.decode($0) } + [request.body]
            #expect(!texts.contains { String(decoding: $0, as: UTF8.self).contains("element-") })
        }
        let asked = Set(parties.element?.requests.compactMap(\.publicKey.id) ?? [])
        #expect(asked == names.union(["version"]))
        // After a restart each service's key is found again, and what is unlinked needs its key no more.
        let text = parties.session.store.serialized(sealing: AppSample.seal)
        parties.session = AuthorizingApp.Session(
            parties.session.installation, with: parties.session.eduID,
            store: try AuthorizingApp.Store(parsing: text, opening: AppSample.seal))
        #expect(parties.session.bytes == text + parties.session.installation.device.name.text)
        for home in try ElementStory.homes.get() { try parties.perform(.renewal(of: .service(home))) }
        let home = try ElementStory.homes.get()[0]
        try parties.perform(.unlinking(home))
        #expect(parties.session.keyNames == ["element-1", "element-3"])
    }

    @Test("Who has lost what signs ends everything here, and need not tell anybody", .proves("KEY-21"))
    func lost() throws {
        var parties = try ElementStory.parties(before: .signOut)
        parties.element = nil
        #expect(throws: Rejection.unsigned) { try parties.perform(.instances) }
        let home = try ElementStory.homes.get()[0]
        #expect(try parties.perform(.ending(ElementStory.reader, at: home)) == .pending)
        #expect(try parties.perform(.unlinking(home)) == .pending)
        #expect(try parties.perform(.signOut) == .pending)
        #expect(!parties.session.isSignedIn && parties.session.endings.count == 3)
        // Nobody signs in over it whom the late message would end.
        let person = parties.person
        #expect(throws: Rejection.unsigned) { try parties.perform(.signIn(person.name, person.password)) }
        try parties.perform(.abandonedEndings)
        #expect(parties.session.endings.isEmpty)
        var people = AuthorizingApp.People()
        try people.add(parties.session.installation, named: "Ada")
        try people.remove(parties.session)
    }

    @Test("Whose key is gone for good is told so, and has a way on", .proves("KEY-21"))
    func gone() async throws {
        let phone = Phone(try ElementStory.parties(before: .answer))
        let person = phone.parties.person
        var host = phone.host()
        host.sign = { _ in nil }
        let declining = AuthorizingApp(phone.parties.session, on: host)
        await #expect(throws: Rejection.unsigned) { try await declining.launch() }
        host.isGone = { $0.id?.text.hasPrefix("element-") ?? false }
        let app = AuthorizingApp(await declining.session, on: host)
        let before = await app.session.bytes
        await #expect(throws: Rejection.keyGone) { try await app.launch() }
        #expect(await app.session.bytes == before)
        #expect(Rejection.keyGone.clause == "KEY-21" && Rejection.keyGone.text.contains("new installation"))
        // What is over is over here as ever, and nobody signs in over it.
        #expect(try await app.signOut() == .pending)
        await #expect(throws: Rejection.keyGone) { try await app.signIn(person.name, person.password) }
        try await app.abandonEndings()
        #expect(await app.session.endings.isEmpty)
        var parties = phone.parties
        try parties.turn(to: SecureElement(seed: 99))
        try parties.signIn()
        #expect(parties.session.isSignedIn)
    }

    @Test("A damaged key of a service costs that service alone", .proves("threat-56"), .proves("KEY-21"))
    func damage() throws {
        let parties = try ElementStory.parties(before: .access)
        let home = try ElementStory.homes.get()[0]
        let kept = parties.session.store.contents.services[home]?.token?.secret ?? ""
        #expect(kept.contains("\"elsewhere\":{\"kty\":"))
        for (place, other) in [
            ("\"elsewhere\":{\"kty\":", "\"elsewhere\":{\"key\":"), ("\"elsewhere\":", "\"else\":"),
            ("\"elsewhere\":", "\"key\":\"AAAA\",\"elsewhere\":"),
        ] {
            var session = parties.session
            let damaged = try AuthorizingApp.Store.Token(parsing: kept.replacing(place, with: other))
            #expect(damaged.secret != kept)
            try session.store.change { contents in contents.services[home]?.token = damaged }
            #expect(session.authorizedServices == [try ElementStory.homes.get()[1]])
        }
    }
}
