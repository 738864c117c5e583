extension CGI {
    /// The variables of a request, as a block of names and values that end in NUL.
    struct Variables {
        private let block: [UInt8]
        private var places: [(name: Range<Int>, value: Range<Int>)] = []

        /// Divides a block, whose names come once each (SCG-2, SCG-5, CGI-4).
        init(_ block: [UInt8], _ limits: HTTP1.Limits) throws(HTTP1.Refusal) {
            self.block = block
            var at = 0
            while at < block.count {
                guard let name = Self.string(block, &at), let value = Self.string(block, &at) else {
                    throw HTTP1.Refusal("SCG-2", "the variables are not pairs that end in NUL")
                }
                guard !name.isEmpty else { throw HTTP1.Refusal("SCG-2", "a variable has no name") }
                guard places.count < limits.fields else {
                    throw HTTP1.Refusal("SCG-10", "too many variables", .fieldsTooLarge)
                }
                // Bound: the limit of fields; names of one length are few.
                for place in places where place.name.count == name.count && block[place.name] == block[name] {
                    throw HTTP1.Refusal("SCG-5", "a variable comes twice")
                }
                places.append((name, value))
            }
        }

        private static func string(_ block: [UInt8], _ at: inout Int) -> Range<Int>? {
            let start = at
            while at < block.count, block[at] != 0 { at += 1 }
            guard at < block.count else { return nil }
            at += 1
            return start..<at - 1
        }

        /// The value of a variable.
        subscript(name: String) -> ArraySlice<UInt8>? {
            for place in places
            where place.name.count == name.utf8.count && block[place.name].elementsEqual(name.utf8) {
                return block[place.value]
            }
            return nil
        }

        /// Whether the first one has this name.
        func begins(with name: String) -> Bool { places.first.map { block[$0.name].elementsEqual(name.utf8) } ?? false }
    }
}

// MARK: - What they say

extension CGI.Variables {
    /// The part of the request before its body.
    func head() throws(HTTP1.Refusal) -> HTTP1.Head {
        guard let text = self["REQUEST_METHOD"], text.count <= 32,
            let method = try? HTTP.Request.Method(parsing: Array(text).span)
        else { throw HTTP1.Refusal("SCG-6", "REQUEST_METHOD is no token of at most 32 bytes") }
        let target = try target(of: method)
        let fields = try fields()
        var authority: HTTP1.Authority?
        if case .resource(.absolute(let url)) = target {
            authority = HTTP1.Authority(of: url)
        } else if let host = fields.values(of: .host).first {
            authority = HTTP1.Authority(checking: host)
            guard authority != nil else { throw HTTP1.Refusal("HTP-13", "Host is no host with or without a port") }
        }
        return HTTP1.Head(
            method: method, target: target, fields: fields, authority: authority, isOld: false, isPersistent: false,
            awaitsContinue: false, client: client)
    }

    /// How long the body is; where nothing says so, there is none (RFC 3875 §4.1.2).
    func bodyLength(_ limits: HTTP1.Limits) throws(HTTP1.Refusal) -> Int {
        guard let digits = self["CONTENT_LENGTH"], !digits.isEmpty else { return 0 }
        guard let length = UInt64(digits: digits) else {
            throw HTTP1.Refusal("SCG-3", "CONTENT_LENGTH is no number of 64 bits")
        }
        guard length <= UInt64(max(0, limits.body)) else {
            throw HTTP1.Refusal("SCG-10", "the body is too long", .contentTooLarge)
        }
        return Int(length)
    }

    /// Whom the web server speaks for; whoever may connect to this program is believed (SCG-12), and fields that its
    /// client could send are not (FWD-7).
    private var client: HTTP.Client {
        let isSecure =
            self["HTTPS"]?.elementsEqual("on".utf8) ?? false
            || self["REQUEST_SCHEME"]?.elementsEqual("https".utf8) ?? false
        return HTTP.Client(name: clientName, scheme: isSecure ? .https : .http)
    }

    private var clientName: HTTP.Client.Name {
        let text = Array(self["REMOTE_ADDR"] ?? [])
        if let address = try? URI.IPv4Address(parsing: text.span) { return .peer(.ipv4(address)) }
        if let address = try? URI.IPv6Address(parsing: text.span) { return .peer(HTTP.Peer(address)) }
        return .unknown
    }

    /// The target as the client sent it; only where no variable has that, it is made of its decoded parts (SCG-7).
    private func target(of method: HTTP.Request.Method) throws(HTTP1.Refusal) -> HTTP1.Target {
        if let text = self["REQUEST_URI"] {
            if method == .options, text.elementsEqual("*".utf8) { return .server }
            return try Self.target(Array(text), "REQUEST_URI is neither a path nor a URL of the web")
        }
        var text: [UInt8] = []
        for part in [self["SCRIPT_NAME"], self["PATH_INFO"]] {
            for byte in part ?? [] {
                if ASCII.isPathCharacter(byte) || byte == UInt8(ascii: "/") {
                    text.append(byte)
                } else {
                    PercentEncoding.append(tripletOf: byte, to: &text)
                }
            }
        }
        guard text.first == UInt8(ascii: "/") else {
            throw HTTP1.Refusal("SCG-7", "neither REQUEST_URI nor SCRIPT_NAME and PATH_INFO say what is asked for")
        }
        if let query = self["QUERY_STRING"], !query.isEmpty {
            text.append(UInt8(ascii: "?"))
            text += query
        }
        return try Self.target(text, "SCRIPT_NAME, PATH_INFO and QUERY_STRING make no target")
    }

    private static func target(_ text: [UInt8], _ words: String) throws(HTTP1.Refusal) -> HTTP1.Target {
        guard let target = try? HTTP.Request.Target(parsing: text.span) else { throw HTTP1.Refusal("SCG-7", words) }
        return .resource(target)
    }

    /// What the framing is, the web server has decided; `Proxy` would be taken for this program's own setting.
    private static let dropped = ["HTTP_CONTENT_LENGTH", "HTTP_CONTENT_TYPE", "HTTP_TRANSFER_ENCODING", "HTTP_PROXY"]

    /// The fields that the client sent (SCG-8).
    private func fields() throws(HTTP1.Refusal) -> HTTP.Fields {
        var fields = HTTP.Fields()
        for place in places {
            guard let name = fieldName(place) else { continue }
            guard let known = try? HTTP.Field.Name(parsing: name.span),
                let field = try? HTTP.Field(known, block[place.value]), (try? fields.append(field)) != nil
            else { throw HTTP1.Refusal("SCG-8", "a field of the request has a byte that may not stand there") }
        }
        return fields
    }

    private func fieldName(_ place: (name: Range<Int>, value: Range<Int>)) -> [UInt8]? {
        let variable = block[place.name]
        if variable.elementsEqual("CONTENT_TYPE".utf8) { return place.value.isEmpty ? nil : Array("content-type".utf8) }
        guard variable.starts(with: "HTTP_".utf8), variable.count > 5,
            !Self.dropped.contains(where: { variable.elementsEqual($0.utf8) })
        else { return nil }
        return variable.dropFirst(5).map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : ASCII.lowercased($0) }
    }
}
