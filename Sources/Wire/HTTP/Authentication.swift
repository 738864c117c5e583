extension HTTP {
    /// The framework of HTTP authentication (RFC 9110 §11): what a server demands and what a client shows for it.
    public enum Authentication {
        /// The name of a scheme in lower case, because case says nothing there.
        public struct Scheme: Hashable, Sendable, CustomStringConvertible {
            /// The name in lower case.
            public let name: String

            /// The name in lower case.
            public var description: String { name }

            /// RFC 7617.
            public static let basic = Scheme(name: "basic")
            /// RFC 6750.
            public static let bearer = Scheme(name: "bearer")
            /// RFC 9449.
            public static let dpop = Scheme(name: "dpop")

            /// The spelling by which the scheme is registered, if it is one of those above.
            var registered: String {
                switch self {
                case .basic: "Basic"
                case .bearer: "Bearer"
                case .dpop: "DPoP"
                default: name
                }
            }
        }

        /// What follows a scheme: nothing, one token68, or parameters of which no name comes twice.
        public enum Details: Hashable, Sendable {
            /// One text of the alphabet of Base64 and its relatives; empty where nothing follows the scheme.
            case token68(String)
            /// Named values.
            case parameters([HTTP.FieldParameter])
        }

        /// What a server demands, from `WWW-Authenticate`.
        public struct Challenge: Hashable, Sendable {
            /// The scheme.
            public let scheme: Scheme
            /// What follows it.
            public let details: Details

            /// Demands a scheme with parameters, which are written in quotes.
            public init(_ scheme: Scheme, _ parameters: [(name: String, value: String)] = []) throws(SyntaxError) {
                self.scheme = scheme
                details = parameters.isEmpty ? .token68("") : .parameters(try checked(parameters))
            }

            init(scheme: Scheme, details: Details) {
                self.scheme = scheme
                self.details = details
            }

            /// The value of a parameter, whose name is compared without regard to case.
            public subscript(name: String) -> String? { details[name] }
        }

        /// What a client shows, from `Authorization`: a secret, which the description keeps.
        public struct Credentials: Hashable, Sendable {
            /// The scheme.
            public let scheme: Scheme
            /// What follows it.
            public let details: Details

            /// Shows parameters, which are written in quotes.
            public init(_ scheme: Scheme, _ parameters: [(name: String, value: String)]) throws(SyntaxError) {
                self.scheme = scheme
                details = .parameters(try checked(parameters))
            }

            /// Shows a token as RFC 6750 §2.1 and RFC 9449 §7.1 write it.
            public init(_ scheme: Scheme, token: String) throws(SyntaxError) {
                let length = withBytes(of: token.utf8) { bytes in
                    var at = 0
                    return FieldGrammar.token68(bytes, &at).count
                }
                guard !token.utf8.isEmpty else { throw .empty(.token) }
                guard length == token.utf8.count else { throw .foreignCharacter(.token, offset: length) }
                self.scheme = scheme
                details = .token68(token)
            }

            init(scheme: Scheme, details: Details) {
                self.scheme = scheme
                self.details = details
            }

            /// The token, if one token68 follows the scheme and nothing else.
            public var token: String? {
                guard case .token68(let token) = details, !token.utf8.isEmpty else { return nil }
                return token
            }

            /// The value of a parameter, whose name is compared without regard to case.
            public subscript(name: String) -> String? { details[name] }
        }

        private static func checked(_ parameters: [(name: String, value: String)]) throws(SyntaxError) -> [HTTP
            .FieldParameter]
        {
            var result: [HTTP.FieldParameter] = []
            for (index, parameter) in parameters.enumerated() {
                guard FieldGrammar.isToken(parameter.name), !parameter.value.utf8.contains(where: ASCII.isControl)
                else {
                    throw .unwritableParameter(index: index)
                }
                guard !result.contains(where: { FieldGrammar.areAlike($0.name, parameter.name) }) else {
                    throw .unwritableParameter(index: index)
                }
                result.append(
                    HTTP.FieldParameter(
                        name: String(decoding: parameter.name.utf8.map(ASCII.lowercased), as: UTF8.self),
                        value: parameter.value))
            }
            return result
        }
    }
}

extension HTTP.Authentication.Details {
    fileprivate subscript(name: String) -> String? {
        guard case .parameters(let parameters) = self else { return nil }
        return parameters.first { FieldGrammar.areAlike($0.name, name) }?.value
    }
}
