public import Wire

extension ServiceDescription {
    /// The tokens in a document that was made for one app.
    ///
    /// Its description shows no token.
    public struct Authorization: Sendable, Equatable {
        /// All members, also those that the model does not know, in document order.
        public private(set) var members: JSON.Object

        /// An authorization by an access token.
        public init(accessToken: String) {
            members = ["access_token": .string(accessToken)]
        }

        /// Takes the members of an authorization, which must have an `access_token`, and the known ones their types.
        ///
        /// A numeric `kid`, as deployed services send it, becomes text.
        public init(members: JSON.Object) throws(ServiceDescription.Rejection) {
            try self.init(members: members, at: "$.authorization")
        }

        init(members: JSON.Object, at path: String) throws(ServiceDescription.Rejection) {
            self.members = members
            guard let token = members["access_token"]?.string, !token.isEmpty else {
                throw .missing(path: path + ".access_token")
            }
            for name: JSON.Name in ["refresh_token", "token_type", "scope"] {
                guard let value = members[name], !value.isNull, value.string == nil else { continue }
                throw .mismatch(path: "\(path).\(name.text)", expected: "text", found: value.kind.description)
            }
            if let value = members["expires_in"], !value.isNull, value.number?.integer(as: Int64.self) == nil {
                throw .mismatch(path: path + ".expires_in", expected: "an integer", found: value.kind.description)
            }
            if let value = members["cnf"], !value.isNull {
                guard var confirmation = value.object else {
                    throw .mismatch(path: path + ".cnf", expected: "an object", found: value.kind.description)
                }
                Self.writeKeyIDAsText(in: &confirmation)
                self.members["cnf"] = .object(confirmation)
            }
            Self.writeKeyIDAsText(in: &self.members)
        }

        private static func writeKeyIDAsText(in members: inout JSON.Object) {
            if let number = members["kid"]?.number { members["kid"] = .string(number.text) }
        }

        /// The token that opens the service or the protocol.
        public var accessToken: String { members["access_token"]?.string ?? "" }

        /// The token that renews the authorization.
        public var refreshToken: String? {
            get { members["refresh_token"]?.string }
            set { members["refresh_token"] = newValue.map { .string($0) } }
        }

        /// The type of the access token, such as `Bearer`.
        public var tokenType: String? {
            get { members["token_type"]?.string }
            set { members["token_type"] = newValue.map { .string($0) } }
        }

        /// For how many seconds the access token was good when it was issued.
        public var expiresIn: Int64? {
            get { members["expires_in"]?.number?.integer() }
            set { members["expires_in"] = newValue.map { .number(JSON.Number($0)) } }
        }

        /// What the access token is good for.
        public var scope: String? {
            get { members["scope"]?.string }
            set { members["scope"] = newValue.map { .string($0) } }
        }

        /// The key that the access token is bound to (RFC 7800).
        public var confirmation: JSON.Object? {
            get { members["cnf"]?.object }
            set { members["cnf"] = newValue.map { .object($0) } }
        }
    }
}

extension ServiceDescription.Authorization: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of authorization, without any token or key.
    public var description: String { "authorization (redacted)" }

    /// The same: a debugger's output ends up in logs.
    public var debugDescription: String { description }
}

#if !hasFeature(Embedded)
extension ServiceDescription.Authorization: CustomReflectable {
    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
