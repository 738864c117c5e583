import Foundation
import Synchronization
import Wire

/// The two apps on a device as two processes, with a local socket between them.
enum Device {
    static let command = Command(
        name: "device", abstract: "Play the edu-ID app and a third-party app as two processes.",
        discussion: """
            'serve' is the edu-ID app: Ada is signed in, and behind it stands a federation of two
            universities, in memory. 'ask' is another company's app: it asks the edu-ID app for
            services, keeps what it is given, and uses it. Both meet in a folder that belongs to
            you alone, at two local sockets: one is the channel between the apps (7), the other
            stands for the network.

              mkdir -m 700 apps
              eduid key generate -o reader.jwk
              eduid key public reader.jwk -o reader-public.jwk
              eduid device serve apps --app com.example.reader=reader-public.jwk
              eduid device ask apps --key reader.jwk --state reader.state

            'serve' ends with its standard input.
            """, subcommands: [serve, ask])

    static let folder = Argument(
        name: "folder", kind: .text, abstract: "The folder of both sockets; nobody else may enter it.")

    /// Where the edu-ID app listens for other apps.
    static func channel(in folder: String) -> String { folder + "/edu-id-app" }
    /// Where the simulated federation listens for everybody.
    static func network(in folder: String) -> String { folder + "/network" }

    static var now: Timestamp { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }

    static func word() -> UInt64 {
        var system = SystemRandomNumberGenerator()
        return system.next()
    }

    /// The value of what takes its time, for a program that has nothing else to do meanwhile.
    static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Value?>(nil)
        Task.detached {
            let value = await body()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }
}

/// An HTTP message between two processes, in place of a network: a request one way, its response the other.
enum LocalMessage {
    /// The longest message.
    static let limit = 1 << 20
    private static let limits = JSON.Limits(size: limit, depth: 4)

    static func encoded(_ request: HTTP.Request) -> [UInt8]? {
        guard case .absolute(let url) = request.target else { return nil }
        let message: JSON = [
            "method": .string(request.method.text), "url": .string(url.text), "fields": encoded(request.fields),
            "body": .string(Base64URL.encode(request.body)),
        ]
        return message.encoded()
    }

    static func encoded(_ response: HTTP.Response) -> [UInt8] {
        let message: JSON = [
            "status": .number(JSON.Number(Int64(response.status.code))), "fields": encoded(response.fields),
            "body": .string(Base64URL.encode(response.body)),
        ]
        return message.encoded()
    }

    private static func encoded(_ fields: HTTP.Fields) -> JSON {
        .array(fields.map { [.string($0.name.text), .string($0.value)] })
    }

    static func request(_ bytes: [UInt8]) -> HTTP.Request? {
        guard let message = try? JSON(parsing: bytes, limits: limits), let method = message["method"]?.string,
            let name = try? HTTP.Request.Method(parsing: method), let text = message["url"]?.string,
            let url = try? WebURL(parsing: text), let fields = fields(message), let body = body(message)
        else { return nil }
        return HTTP.Request(name, .absolute(url), fields: fields, body: body)
    }

    static func response(_ bytes: [UInt8]) -> HTTP.Response? {
        guard let message = try? JSON(parsing: bytes, limits: limits),
            let code = message["status"]?.number?.integer(as: Int.self), let status = HTTP.Response.Status(code),
            let fields = fields(message), let body = body(message)
        else { return nil }
        return HTTP.Response(status, fields: fields, body: body)
    }

    private static func body(_ message: JSON) -> [UInt8]? {
        message["body"]?.string.flatMap { try? Base64URL.decode($0) }
    }

    private static func fields(_ message: JSON) -> HTTP.Fields? {
        var fields = HTTP.Fields()
        for field in message["fields"]?.array ?? [] {
            guard let name = field[0]?.string, let value = field[1]?.string,
                let parsed = try? HTTP.Field.Name(parsing: name), (try? fields.append(parsed, value)) != nil
            else { return nil }
        }
        return fields
    }
}
