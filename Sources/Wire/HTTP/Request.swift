extension HTTP {
    /// A request as a server takes it from its HTTP library, or a client hands it over: a value without any connection.
    ///
    /// The description shows neither query nor values nor body, because all of them may be secrets.
    public struct Request: Hashable, Sendable, CustomStringConvertible {
        /// What is asked for.
        public var method: Method
        /// From what it is asked.
        public var target: Target
        /// The header fields.
        public var fields: HTTP.Fields
        /// The body, empty if there is none.
        public var body: [UInt8]

        /// Joins the parts.
        public init(_ method: Method, _ target: Target, fields: HTTP.Fields = HTTP.Fields(), body: [UInt8] = []) {
            self.method = method
            self.target = target
            self.fields = fields
            self.body = body
        }

        /// A method (RFC 9110 §9.1): a token, compared with its case.
        public struct Method: Hashable, Sendable, Parsable, CustomStringConvertible {
            /// The token.
            public let text: String
            /// The token.
            public var description: String { text }
        }
    }
}

extension HTTP.Request.Method {
    /// Reads a token.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        text = try FieldGrammar.wholeToken(bytes, .method)
    }

    /// RFC 9110 §9.3.1.
    public static let get = Self(text: "GET")
    /// RFC 9110 §9.3.2.
    public static let head = Self(text: "HEAD")
    /// RFC 9110 §9.3.3.
    public static let post = Self(text: "POST")
    /// RFC 9110 §9.3.4.
    public static let put = Self(text: "PUT")
    /// RFC 9110 §9.3.5.
    public static let delete = Self(text: "DELETE")
    /// RFC 9110 §9.3.7.
    public static let options = Self(text: "OPTIONS")
}

extension HTTP.Request {
    /// The target of a request (RFC 9112 §3.2), in the two forms that a resource is asked in.
    public enum Target: Hashable, Sendable, Parsable {
        /// A path, which begins with a slash, and maybe a query without its question mark, as servers see it.
        case origin(path: String, query: String?)
        /// A whole URL, as clients make it and proxies see it.
        case absolute(WebURL)
    }
}

extension HTTP.Request.Target {
    /// Reads either form.
    ///
    /// Two slashes at the beginning belong to the path here and name no host.
    public init(parsing bytes: Span<UInt8>) throws(URI.Rejection) {
        guard let first = bytes.indices.first, bytes[first] == UInt8(ascii: "/") else {
            let url = try wrapping({ $0 == .relative ? URI.Rejection.notATarget : $0 }, try WebURL(parsing: bytes))
            guard url.fragment == nil else { throw .fragmentInTarget }
            self = .absolute(url)
            return
        }
        let layout = try URI.Reference.Layout(readingPath: bytes)
        guard layout.fragment == nil else { throw .fragmentInTarget }
        self = .origin(path: bytes.text(layout.path), query: layout.query.map { bytes.text($0) })
    }

    /// The path as it was written.
    public var path: String {
        switch self {
        case .origin(let path, _): path
        case .absolute(let url): url.path.isEmpty ? "/" : url.path
        }
    }

    /// The query as it was written, without its question mark.
    public var query: String? {
        switch self {
        case .origin(_, let query): query
        case .absolute(let url): url.query
        }
    }
}

extension HTTP.Request {
    /// Method and path, and how much else there is.
    public var description: String {
        "\(method.text) \(target.path), \(fields.count) fields, \(body.count) bytes"
    }
}
