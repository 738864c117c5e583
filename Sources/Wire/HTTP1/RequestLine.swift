extension HTTP1 {
    /// The first line of a request (RFC 9112 §3).
    struct RequestLine: Sendable {
        let method: HTTP.Request.Method
        let target: Target
        let isOld: Bool

        init(_ line: Span<UInt8>) throws(Refusal) {
            let spaces = line.indices.filter { line[$0] == 0x20 }
            guard let first = spaces.first, first > 0 else {
                throw Refusal("HTP-5", "the request line does not begin with a method and a space")
            }
            guard spaces.count == 2 else {
                throw Refusal("HTP-5", "the request line is not three parts with a space between them")
            }
            guard let method = try? HTTP.Request.Method(parsing: line.extracting(0..<first)) else {
                throw Refusal("HTP-5", "the method is no token")
            }
            guard first <= 32 else { throw Refusal("HTP-6", "the method is longer than 32 bytes") }
            guard spaces[1] > first + 1 else { throw Refusal("HTP-5", "the request line has no target") }
            isOld = try Self.isOld(line.extracting(spaces[1] + 1..<line.count))
            self.method = method
            target = try Self.target(line.extracting(first + 1..<spaces[1]), method)
        }

        /// Reads the version: of the second digit only a zero makes a difference (RFC 9110 §2.5).
        private static func isOld(_ bytes: Span<UInt8>) throws(Refusal) -> Bool {
            let name = "HTTP/".utf8
            guard bytes.count == 8, zip(name, 0...).allSatisfy({ bytes[$0.1] == $0.0 }), ASCII.isDigit(bytes[5]),
                bytes[6] == UInt8(ascii: "."), ASCII.isDigit(bytes[7])
            else { throw Refusal("HTP-8", "the request line does not end in a version") }
            guard bytes[5] == UInt8(ascii: "1") else {
                throw Refusal("HTP-8", "the version is not 1", .versionNotSupported)
            }
            return bytes[7] == UInt8(ascii: "0")
        }

        private static func target(
            _ bytes: Span<UInt8>, _ method: HTTP.Request.Method
        ) throws(Refusal) -> Target {
            guard method.text != "CONNECT" else {
                guard bytes.isPlainASCII, let authority = Authority(checking: bytes.text(bytes.indices)),
                    authority.port != nil
                else {
                    throw Refusal("HTP-7", "the target of CONNECT is not a host and a port")
                }
                // Nothing is made of it: the head is refused once its other rules are kept.
                return .server
            }
            if bytes.count == 1, bytes[0] == UInt8(ascii: "*") {
                guard method == .options else { throw Refusal("HTP-7", "only OPTIONS asks the server as a whole") }
                return .server
            }
            guard let target = try? HTTP.Request.Target(parsing: bytes) else {
                throw Refusal("HTP-7", "the target is neither a path nor a URL of the web")
            }
            return .resource(target)
        }

        /// Joins the line with the fields, which it checks as far as they concern the message.
        func head(_ fields: HTTP.Fields, _ framing: Framing, mayPersist: Bool) throws(Refusal) -> Head {
            let hosts = fields.values(of: .host)
            guard hosts.count == 1 || isOld && hosts.isEmpty else {
                throw Refusal("HTP-13", "not one Host")
            }
            var authority: Authority?
            if let host = hosts.first {
                authority = Authority(checking: host)
                guard authority != nil else { throw Refusal("HTP-13", "Host is no host with or without a port") }
            }
            if case .resource(.absolute(let url)) = target {
                authority = Authority(of: url)
            }
            guard method.text != "CONNECT" else {
                throw Refusal("HTP-7", "CONNECT is not served", .notImplemented)
            }
            var awaitsContinue = false
            for value in fields.values(of: .expect) where !isOld {
                guard FieldGrammar.areAlike(value, "100-continue") else {
                    throw Refusal("HTP-26", "an expectation other than 100-continue", .expectationFailed)
                }
                if case .length(0) = framing { continue }
                awaitsContinue = true
            }
            let closes = fields.values(of: .connection).contains { value in
                FieldGrammar.members(value).contains { $0.lazy.map(ASCII.lowercased).elementsEqual("close".utf8) }
            }
            return Head(
                method: method, target: target, fields: fields, authority: authority, isOld: isOld,
                isPersistent: mayPersist && !isOld && !closes, awaitsContinue: awaitsContinue, client: nil)
        }
    }
}

extension HTTP1.Authority {
    /// What a URL names.
    init(of url: WebURL) {
        self.init(host: url.host.text, port: url.reference.authority?.port)
    }

    /// Reads `uri-host [":" port]` (RFC 9110 §7.2); `nil` where it is anything else or names no host (HTP-13).
    init?(checking text: String) {
        guard let reference = try? URI.Reference(parsing: "//" + text), let authority = reference.authority,
            authority.userInformation == nil, let range = reference.layout.host, !range.isEmpty,
            reference.path.utf8.isEmpty, reference.query == nil, reference.fragment == nil
        else { return nil }
        if let port = reference.layout.port, !port.isEmpty, authority.port == nil { return nil }
        host = reference.bytes.span.lowercasedText(range)
        port = authority.port
    }
}
