public import Wire

/// Why an answer says nothing: neither what was asked for nor a refusal in the words of OAuth.
///
/// It says nothing about the grant either. Who asked keeps what he has, and asks again (NIF-9).
public enum AnswerRejection: Error, Equatable, Sendable {
    /// The status is neither success nor one of a refusal.
    case status(HTTP.Response.Status)
    /// The body is not JSON by its media type.
    case mediaType(String?)
    /// The body has more bytes than the limit.
    case tooLarge(size: Int, limit: Int)
    /// A member cannot be read.
    case member(ParameterRejection)
    /// The answer is by another issuer than the one that was asked (RFC 9207 §2.4, RFC 8414 §3.3).
    case issuer(expected: String, found: String?)
    /// The answer belongs to another request (RFC 6749 §10.12).
    case state
}

extension AnswerRejection {
    /// What a reading of members gives, its rejection as one of the answer.
    static func reading<Value>(_ read: () throws(ParameterRejection) -> Value) throws(AnswerRejection) -> Value {
        do throws(ParameterRejection) { return try read() } catch { throw .member(error) }
    }

    /// The clause that states the rule.
    public var clause: String {
        switch self {
        case .status: "RFC6749-5.2"
        case .mediaType: "RFC6749-5.1"
        case .tooLarge: "threat-14"
        case .member(let rejection): rejection.clause
        case .issuer: "RFC9207-2.4"
        case .state: "RFC6749-10.12"
        }
    }
}

extension AnswerRejection: CustomStringConvertible {
    /// The rule that was broken, and no value that may be a secret.
    public var description: String {
        switch self {
        case .status(let status): "an answer with status \(status) (\(clause))"
        case .mediaType(let found):
            "an answer that is not JSON but '\(Evidence(found ?? "of an unknown type"))' (\(clause))"
        case .tooLarge(let size, let limit): "an answer of \(size) bytes, at most \(limit) are read (\(clause))"
        case .member(let rejection): "in the answer: \(rejection)"
        case .issuer(let expected, let found):
            "an answer by '\(Evidence(found ?? "nobody"))', expected one by '\(expected)' (\(clause))"
        case .state: "an answer to another request (\(clause))"
        }
    }
}
