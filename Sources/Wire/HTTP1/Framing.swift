extension HTTP1 {
    static let headTooLong = Refusal("HTP-24", "the head is too long", .fieldsTooLarge)
    static let bodyTooLong = Refusal("HTP-24", "the body is too long", .contentTooLarge)

    /// How the end of a body is found (RFC 9112 §6.3).
    enum Framing {
        case length(UInt64)
        case chunked
        /// By the end of the stream, as answers have it.
        case untilEnd

        /// Reads the fields that tell it.
        ///
        /// - Parameter fallback: how it is found where none does: in a request, by its being empty (HTP-22).
        init(
            _ fields: HTTP.Fields, isOld: Bool, otherwise fallback: Framing = .length(0)
        ) throws(Refusal) {
            let lengths = fields.values(of: .contentLength)
            let codings = fields.values(of: .transferEncoding)
            var framing = fallback
            if let text = lengths.first {
                guard lengths.count == 1, !text.utf8.isEmpty else {
                    throw Refusal("HTP-15", "not one Content-Length with one number")
                }
                guard let number = UInt64(digits: text.utf8) else {
                    throw Refusal("HTP-15", "Content-Length is no number of 64 bits")
                }
                framing = .length(number)
            }
            guard let coding = codings.first else {
                self = framing
                return
            }
            guard !isOld else { throw Refusal("HTP-16", "Transfer-Encoding in a message of HTTP/1.0") }
            guard lengths.isEmpty else { throw Refusal("HTP-17", "both Transfer-Encoding and Content-Length") }
            guard codings.count == 1 else { throw Refusal("HTP-16", "Transfer-Encoding is repeated") }
            guard FieldGrammar.areAlike(coding, "chunked") else {
                let status = FieldGrammar.isToken(coding) ? HTTP.Response.Status.notImplemented : .badRequest
                throw Refusal("HTP-16", "Transfer-Encoding is not chunked alone", status)
            }
            self = .chunked
        }
    }

    /// The size of a chunk, and a check of the extensions behind it (RFC 9112 §7.1).
    static func chunkSize(_ bytes: Span<UInt8>) throws(Refusal) -> UInt64 {
        var size: UInt64 = 0
        var at = 0
        while at < bytes.count, let digit = ASCII.hexValue(bytes[at]) {
            guard size >> 60 == 0 else { throw Refusal("HTP-18", "the size of a chunk is beyond 64 bits") }
            size = size << 4 | UInt64(digit)
            at += 1
        }
        guard at > 0 else { throw Refusal("HTP-18", "a chunk does not begin with its size") }
        guard at == bytes.count || bytes[at] == UInt8(ascii: ";") else {
            throw Refusal("HTP-19", "the size of a chunk is followed by something else than an extension")
        }
        while at < bytes.count {
            guard FieldGrammar.skip(";", bytes, &at), !FieldGrammar.token(bytes, &at).isEmpty else {
                throw Refusal("HTP-19", "a chunk has a malformed extension")
            }
            if FieldGrammar.skip("=", bytes, &at), FieldGrammar.tokenOrQuotedString(bytes, &at) == nil {
                throw Refusal("HTP-19", "an extension of a chunk has a malformed value")
            }
        }
        return size
    }
}

extension HTTP.Field.Name {
    /// RFC 9110 §7.6.1.
    static let connection = Self(text: "Connection")
    /// RFC 9110 §8.6.
    static let contentLength = Self(text: "Content-Length")
    /// RFC 9110 §10.1.1.
    static let expect = Self(text: "Expect")
    /// RFC 9112 §6.1.
    static let transferEncoding = Self(text: "Transfer-Encoding")
}
