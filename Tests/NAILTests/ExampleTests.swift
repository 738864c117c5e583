import Foundation
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Testing
import Wire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// example: HTTP with URLSession
extension URLSession {
    /// Sends a request of the shared object's once, and follows no redirect: a token belongs to the URL that it was
    /// made for.
    func response(to request: Wire.HTTP.Request) async -> Wire.HTTP.Response? {
        guard case .absolute(let target) = request.target, let url = URL(string: target.text) else { return nil }
        var outgoing = URLRequest(url: url, timeoutInterval: 30)
        outgoing.httpMethod = request.method.text
        outgoing.httpBody = Data(request.body)
        for field in request.fields { outgoing.setValue(field.value, forHTTPHeaderField: field.name.text) }
        guard let (body, answer) = try? await data(for: outgoing, delegate: NoRedirects()),
            let code = (answer as? HTTPURLResponse)?.statusCode, let status = Wire.HTTP.Response.Status(code)
        else { return nil }
        return Wire.HTTP.Response(status, body: [UInt8](body))
    }
}

/// Leaves every redirect alone, so that the response to it is the answer.
final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
// end of example

// example: an authorizing app as a child process
/// An authorizing app that is a program of its own.
///
/// It is told the type name, reads the request from its standard input, and writes its answer to its standard output.
/// Without an answer it exits with another status than zero.
struct ChildProcess: Sendable {
    let program: URL

    func answer(to request: [UInt8]) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let (process, input, output) = (Process(), Pipe(), Pipe())
                process.executableURL = program
                process.arguments = [ProtocolRequest.typeName]
                process.standardInput = input
                process.standardOutput = output
                // A child that ends without reading must not end its parent.
                signal(SIGPIPE, SIG_IGN)
                guard (try? process.run()) != nil else { return continuation.resume(returning: nil) }
                // Requests are smaller than the buffer of a pipe, so writing does not wait for the reader.
                try? input.fileHandleForWriting.write(contentsOf: Data(request))
                try? input.fileHandleForWriting.close()
                let answer = try? output.fileHandleForReading.readToEnd()
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus == 0 ? [UInt8](answer ?? Data()) : nil)
            }
        }
    }
}
// end of example

@Suite("NAIL: examples", .proves("house"), .serialized)
struct ExampleTests {
    private let device = Device()

    @Test func useItInAnApp() async throws {
        device.grants(Sample.document(), Sample.document(Sample.beta, authorization: Sample.symmetric("a")))
        struct Channel: Sendable {
            let host: ThirdPartyApp.Device
            func answer(to request: [UInt8]) async -> [UInt8]? { await host.authorize(request) }
            func response(to request: Wire.HTTP.Request) async -> Wire.HTTP.Response? { await host.send(request) }
            func keep(_ text: String) async -> Bool { await host.store?(text) ?? false }
            func kept() async -> String? { NAILState().serialized() }
        }
        let channel = Channel(host: try device.surroundings())
        let (network, vault) = (channel, channel)
        let clock: @Sendable () -> Timestamp = { [device] in device.now }
        let instance = "device-7"
        var requests: [(String, String)] = []
        func get(_ url: String, _ token: String) { requests.append((url, token)) }
        // example: use it in an app
        // Once, at launch: the duties that only the program around the app can do, and who the app is.
        var device = ThirdPartyApp.Device(
            instance: try ClientID(parsing: instance), authorize: { await channel.answer(to: $0) },
            send: { await network.response(to: $0) }, now: clock,
            entropy: {
                var system = SystemRandomNumberGenerator()
                return system.next()
            })
        device.store = { serialization in await vault.keep(serialization) }
        let reader = ThirdPartyApp(named: "Reader", id: "ch.example.reader", on: device)
        IntegrationLayer.shared.connect(to: reader)
        if let serialization = await vault.kept() { try IntegrationLayer.shared.parse(serialization) }

        // The person picks services that speak the protocol, in the authorizing app.
        await IntegrationLayer.shared.authorizeProtocols(["org.example.reading"])

        // For each request: where to, and with which token.
        for service in IntegrationLayer.shared.serviceNames() {
            let url = IntegrationLayer.shared.getEndpointUrl(service, "org.example.reading", "list")
            let token = await IntegrationLayer.shared.getServiceToken(service, "org.example.reading", "list")
            if token.isEmpty { continue }  // ask the person again; IntegrationLayer.shared.standing(…) says why
            get(url, token)
        }
        // end of example
        IntegrationLayer.shared.clearAllServices()
        #expect(requests.map(\.0) == ["https://alpha.example.ch/reading/list", "https://beta.example.ch/reading/list"])
        #expect(requests.first?.1 == "token-1")
        #expect(self.device.stored.count == 1)
    }

    @Test(.proves("NIF-9"), .proves("NIF-12")) func beAnApp() async throws {
        device.grants(
            Sample.document(authorization: Sample.plain("old", refresh: "r-1")),
            Sample.document(Sample.beta, authorization: Sample.plain("over")))
        device.serves(["access_token": "new", "refresh_token": "r-2"])
        let asked = Mutex<[String]>([])
        let network = Network { request in
            let token = request.fields.value(of: .authorization).value ?? ""
            asked.withLock { $0.append((request.url ?? "") + " " + token) }
            return HTTP.Response(["Bearer new", "Bearer again"].contains(token) ? .ok : .unauthorized)
        }
        var shown: [Wire.HTTP.Response?] = []
        func show(_ response: Wire.HTTP.Response?) { shown.append(response) }
        let screen = Screen(device: device)
        let device = try device.surroundings()
        // example: be an app
        let app = ThirdPartyApp(named: "Reader", id: "ch.example.reader", on: device)
        for service in try await app.authorize(["org.example.reading"]) {
            do throws(NAILState.Refusal) {
                // A request with URL, token and proof. What expired is renewed; what is over is for the person.
                let list = try await service.response(to: .get, "org.example.reading", "list") { request in
                    await network.response(to: request)
                } askingAgain: { refusal in
                    await screen.confirms("\(service.name): \(refusal). Authorize the app again?")
                }
                show(list)
            } catch {
                print("\(service.name): \(error)")  // the person declined, or the service is out of reach
            }
        }
        // end of example
        #expect(
            asked.withLock { $0 } == [
                "https://alpha.example.ch/reading/list Bearer old", "https://alpha.example.ch/reading/list Bearer new",
                "https://beta.example.ch/reading/list Bearer over",
                "https://beta.example.ch/reading/list Bearer again",
            ])
        #expect(shown.map { $0?.status } == [.ok, .ok])
        #expect(screen.questions == ["beta.example.ch: there is no refresh token (TOK-2). Authorize the app again?"])
        #expect(app.services.map(\.url.identity) == ["https://alpha.example.ch/", "https://beta.example.ch/"])
    }

    /// A server that answers as the test says.
    private struct Network: Sendable {
        let answer: @Sendable (Wire.HTTP.Request) -> Wire.HTTP.Response
        func response(to request: Wire.HTTP.Request) async -> Wire.HTTP.Response? { answer(request) }
    }

    /// A person who agrees to everything, and then grants the second service anew.
    private final class Screen: Sendable {
        private let device: Device
        private let content = Mutex<[String]>([])
        init(device: Device) { self.device = device }

        var questions: [String] { content.withLock { $0 } }

        func confirms(_ question: String) async -> Bool {
            content.withLock { $0.append(question) }
            device.grants(Sample.document(Sample.beta, authorization: Sample.plain("again")))
            return true
        }
    }

    @Test func withTheValueAlone() async throws {
        let bytes = JSON.array([Sample.document()]).encoded()
        func handOver(_ request: [UInt8]) -> [UInt8] { bytes }
        let now = Sample.now
        var entropy = SeededGenerator(seed: 1)
        let request = try Sample.request()
        // example: the value alone
        var state = NAILState()
        let response = try ProtocolResponse(parsing: handOver(request.encoded()))
        let report = state.accept(response, to: request, at: now)
        for drop in report.dropped { print(drop) }

        let reading = try ProtocolName(parsing: "org.example.reading")
        let access = try state.access(to: "https://alpha.example.ch", reading, path: "list")
        let token = try access.token(with: ["nonce": "n-0S6"], at: now, using: &entropy)
        // end of example
        #expect(access.endpoint.text == "https://alpha.example.ch/reading/list")
        #expect(token == "token-1")
    }

    @Test func anAuthorizingAppAnswers() throws {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
        let registry = [
            try BundleID(parsing: "ch.example.reader"): JWKSet([
                JWK(pair.publicKey, attributes: JWK.Attributes(id: try KeyID(parsing: "app-1")))
            ])
        ]
        let received = try Sample.request().signed(with: Device.appKey.get()).encoded()
        let now = Sample.now
        var seen = ProtocolRequest.Seen()
        func pick(_ request: ProtocolRequest, atMost limit: Int?) throws -> [ServiceDescription] {
            [try ServiceDescription(parsing: Sample.document().encoded())]
        }
        // example: an authorizing app
        let request = try ProtocolRequest(parsing: received)
        // Who fails this check gets no answer: there is no response without it. A signature comes once.
        let checked = try request.checked(against: registry, remembering: &seen, at: now)
        let granted = try pick(checked.request, atMost: checked.choiceLimit)
        let answer = try ProtocolResponse(to: checked, granting: granted).encoded()
        // end of example
        #expect(try ProtocolResponse(parsing: answer).documents.count == 1)
    }

    // MARK: the recipes at work

    @Test func aChildProcessAnswers() async throws {
        let granted = JSON.array([Sample.document()]).encodedString()
        let script = FileManager.default.temporaryDirectory.appending(
            path: "authorizing-app-\(UInt64.random(in: 0...(.max)))")
        try
            "#!/bin/sh\n[ \"$1\" = urn:ietf:params:oauth:assertion ] && grep -q ch.example.reader && echo '\(granted)'\n"
            .write(to: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
        defer { try? FileManager.default.removeItem(at: script) }
        var surroundings = try device.surroundings()
        surroundings.authorize = { await ChildProcess(program: script).answer(to: $0) }
        let nail = IntegrationLayer(try device.app(on: surroundings))
        await nail.authorizeProtocols([Sample.reading])
        #expect(nail.serviceNames() == [Sample.alpha + "/"])
        surroundings.authorize = { await ChildProcess(program: URL(filePath: "/bin/false")).answer(to: $0) }
        nail.connect(to: try device.app(on: surroundings))
        for _ in 0..<10 { await nail.authorizeProtocols([Sample.reading]) }
        #expect(nail.serviceNames().isEmpty)
        #expect(await ChildProcess(program: URL(filePath: "/nowhere")).answer(to: []) == nil)
    }

    @Test func nobodyListens() async throws {
        let target = HTTP.Request.Target.absolute(try WebURL(parsing: "http://127.0.0.1:9/token"))
        #expect(await URLSession.shared.response(to: HTTP.Request(.post, target)) == nil)
    }
}
