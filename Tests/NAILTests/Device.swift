import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Wire

/// A device with an authorizing app and a network, both of which do what the test says, and a clock that stands still
/// until it is moved.
final class Device: Sendable {
    private struct Content: Sendable {
        var now = Sample.now
        var entropy = SeededGenerator(seed: 11)
        var answer: (@Sendable (ProtocolRequest) async -> [UInt8]?)?
        var server: (@Sendable (HTTP.Request) async -> HTTP.Response?)?
        var asked: [ProtocolRequest] = []
        var sent: [HTTP.Request] = []
        var disk: (@Sendable (String) async -> Bool)?
        var stored: [String] = []
        var notices: [ThirdPartyApp.Notice] = []
    }

    private let content = Mutex(Content())

    /// The key that the authorizing app knows the app by.
    static let appKey = Result {
        SigningKey(
            try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32)),
            id: try KeyID(parsing: "app-1"))
    }

    var now: Timestamp { content.withLock { $0.now } }
    var asked: [ProtocolRequest] { content.withLock { $0.asked } }
    var sent: [HTTP.Request] { content.withLock { $0.sent } }
    var stored: [String] { content.withLock { $0.stored } }
    var notices: [ThirdPartyApp.Notice] { content.withLock { $0.notices } }

    func pass(seconds: Int64) { content.withLock { $0.now = $0.now + .seconds(seconds) } }
    func answers(_ body: @escaping @Sendable (ProtocolRequest) async -> [UInt8]?) {
        content.withLock { $0.answer = body }
    }
    func serves(_ body: @escaping @Sendable (HTTP.Request) async -> HTTP.Response?) {
        content.withLock { $0.server = body }
    }

    /// What is stored goes through this, which may take its time, or fail.
    func keeps(_ body: @escaping @Sendable (String) async -> Bool) { content.withLock { $0.disk = body } }

    /// The authorizing app grants these documents, whatever is asked.
    func grants(_ documents: JSON...) {
        let bytes = JSON.array(documents).encoded()
        answers { _ in bytes }
    }

    /// The token endpoint answers with these members.
    func serves(_ members: JSON.Object, status: HTTP.Response.Status = .ok) {
        serves { _ in HTTP.Response(status, body: members.encoded()) }
    }

    /// The app on these surroundings, or on others.
    func app(
        proof: ThirdPartyApp.Proof = .none, seal: Seal? = nil, on surroundings: ThirdPartyApp.Device? = nil
    ) throws -> ThirdPartyApp {
        ThirdPartyApp(
            named: try AppName(parsing: "Reader"), id: try BundleID(parsing: "ch.example.reader"),
            on: try surroundings ?? self.surroundings(seal: seal), proof: proof)
    }

    func surroundings(seal: Seal? = nil) throws -> ThirdPartyApp.Device {
        var device = ThirdPartyApp.Device(
            instance: try ClientID(parsing: "device-7"),
            authorize: { bytes in
                guard let request = try? ProtocolRequest(parsing: bytes) else { return nil }
                let answer = self.content.withLock { content in
                    content.asked.append(request)
                    return content.answer
                }
                return await answer?(request)
            },
            send: { request in
                let server = self.content.withLock { content in
                    content.sent.append(request)
                    return content.server
                }
                return await server?(request)
            },
            now: { self.now }, entropy: { self.content.withLock { $0.entropy.next() } }, seal: seal)
        device.store = { text in
            let disk = self.content.withLock { $0.disk }
            guard await disk?(text) ?? true else { return false }
            self.content.withLock { $0.stored.append(text) }
            return true
        }
        device.notice = { notice in self.content.withLock { $0.notices.append(notice) } }
        return device
    }

    /// An object on this device that was granted these documents.
    func nail(
        _ documents: JSON..., requesting protocols: [String] = [Sample.reading],
        proof: ThirdPartyApp.Proof = .none
    ) async throws -> IntegrationLayer {
        let bytes = JSON.array(documents).encoded()
        answers { _ in bytes }
        let nail = IntegrationLayer(try app(proof: proof))
        await nail.authorizeProtocols(protocols)
        return nail
    }
}

extension HTTP.Request {
    /// The fields of a form in the body.
    func field(_ name: String) throws -> String? { try HTTP.Form(parsing: body).value(of: name).value }

    /// The URL that it goes to.
    var url: String? {
        if case .absolute(let url) = target { url.text } else { nil }
    }
}

extension IntegrationLayer {
    /// The forms that answer at once, which code that may wait does not get to by their names.
    func tokenNow(_ serviceName: String, _ protocolName: String = Sample.reading) -> String {
        getServiceToken(serviceName, protocolName)
    }
}

/// Lets those through who come after it was opened, and makes the others wait.
final class Gate: Sendable {
    private let content = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = content.withLock { content in
                if !content.isOpen { content.waiting.append(continuation) }
                return content.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = content.withLock { content in
            content.isOpen = true
            defer { content.waiting = [] }
            return content.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when so many wait.
    func reached(_ count: Int = 1) async {
        while content.withLock({ $0.waiting.count < count }) { await Task.yield() }
    }
}
