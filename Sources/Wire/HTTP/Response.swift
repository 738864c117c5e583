extension HTTP {
    /// An answer as a server hands it over, or a client takes it from its HTTP library: a value without any connection.
    public struct Response: Hashable, Sendable, CustomStringConvertible {
        /// How the request fared.
        public var status: Status
        /// The header fields.
        public var fields: HTTP.Fields
        /// The body, empty if there is none.
        public var body: [UInt8]

        /// Joins the parts.
        public init(_ status: Status, fields: HTTP.Fields = HTTP.Fields(), body: [UInt8] = []) {
            self.status = status
            self.fields = fields
            self.body = body
        }

        /// A status code (RFC 9110 §15).
        public struct Status: Hashable, Sendable, CustomStringConvertible {
            /// The three digits.
            public let code: UInt16

            /// Takes a code of three digits, the first of them 1 to 5; there are no others (RFC 9110 §15).
            public init?(_ code: Int) {
                guard 100...599 ~= code else { return nil }
                self.code = UInt16(code)
            }

            private init(known code: UInt16) {
                self.code = code
            }
        }
    }
}

extension HTTP.Response.Status {
    /// RFC 9110 §15.3.1.
    public static let ok = Self(known: 200)
    /// RFC 9110 §15.3.2.
    package static let created = Self(known: 201)
    /// RFC 9110 §15.3.3.
    package static let accepted = Self(known: 202)
    /// RFC 9110 §15.3.5.
    public static let noContent = Self(known: 204)
    /// RFC 9110 §15.4.3.
    package static let found = Self(known: 302)
    /// RFC 9110 §15.4.4.
    package static let seeOther = Self(known: 303)
    /// RFC 9110 §15.5.1.
    public static let badRequest = Self(known: 400)
    /// RFC 9110 §15.5.2.
    public static let unauthorized = Self(known: 401)
    /// RFC 9110 §15.5.4.
    public static let forbidden = Self(known: 403)
    /// RFC 9110 §15.5.5.
    public static let notFound = Self(known: 404)
    /// RFC 9110 §15.5.6.
    public static let methodNotAllowed = Self(known: 405)
    /// RFC 9110 §15.5.9.
    package static let requestTimeout = Self(known: 408)
    /// RFC 9110 §15.5.10.
    package static let conflict = Self(known: 409)
    /// RFC 9110 §15.5.14.
    package static let contentTooLarge = Self(known: 413)
    /// RFC 9110 §15.5.15.
    package static let uriTooLong = Self(known: 414)
    /// RFC 9110 §15.5.18.
    package static let expectationFailed = Self(known: 417)
    /// RFC 9110 §15.5.20.
    package static let misdirectedRequest = Self(known: 421)
    /// RFC 6585 §4.
    package static let tooManyRequests = Self(known: 429)
    /// RFC 6585 §5.
    package static let fieldsTooLarge = Self(known: 431)
    /// RFC 9110 §15.6.1.
    public static let internalServerError = Self(known: 500)
    /// RFC 9110 §15.6.2.
    package static let notImplemented = Self(known: 501)
    /// RFC 9110 §15.6.4.
    public static let serviceUnavailable = Self(known: 503)
    /// RFC 9110 §15.6.6.
    package static let versionNotSupported = Self(known: 505)

    /// Whether the request was received, understood and accepted (RFC 9110 §15.3).
    public var isSuccess: Bool { code / 100 == 2 }

    /// The three digits.
    public var description: String { String(code) }
}

extension HTTP.Response {
    /// The status, and how much else there is; the body may be a secret.
    public var description: String {
        "\(status), \(fields.count) fields, \(body.count) bytes"
    }
}
