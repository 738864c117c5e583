import Wire

/// A compact serialization by its parts: where the first dot and the last one are.
///
/// Nothing is split or copied to find them: the header is short, the signature is short, and a dot between them fails
/// as Base64url.
struct CompactText {
    private let text: [UInt8]
    private let headerEnd: Int
    private let payloadEnd: Int

    private static let dot = UInt8(ascii: ".")

    init(_ text: [UInt8]) throws(JWS.Rejection) {
        self.text = text
        let bytes = text.span
        var headerEnd = 0
        while headerEnd < bytes.count, bytes[headerEnd] != Self.dot { headerEnd += 1 }
        var payloadEnd = bytes.count - 1
        while payloadEnd > headerEnd, bytes[payloadEnd] != Self.dot { payloadEnd -= 1 }
        guard payloadEnd > headerEnd else { throw .wrongPartCount(Self.partCount(text)) }
        self.headerEnd = headerEnd
        self.payloadEnd = payloadEnd
    }

    private static func partCount(_ text: [UInt8]) -> Int {
        text.reduce(1) { $1 == dot ? $0 + 1 : $0 }
    }

    func token(detached: [UInt8]?, _ policy: JWS.Policy) throws(JWS.Rejection) -> JWS.Unverified {
        // Where a part is empty there may be a dot too many.
        if headerEnd == 0 || payloadEnd == text.count - 1 {
            let count = Self.partCount(text)
            guard count == 3 else { throw .wrongPartCount(count) }
        }
        let header = try JWS.Header(
            protected: JWS.Header.object(ofBase64URL: text, 0..<headerEnd, countingParts), policy: policy)
        let signature = try decode(payloadEnd + 1..<text.count, .signature)
        guard !signature.isEmpty else { throw .emptySignature }

        let place = headerEnd + 1..<payloadEnd
        let payload: [UInt8]
        var input = text
        var inputLength = payloadEnd
        if let detached {
            guard place.isEmpty else { throw .payloadNotDetached }
            guard detached.count <= policy.contentSize else {
                throw .tooLarge(size: detached.count, limit: policy.contentSize)
            }
            payload = detached
            input = JWS.input([UInt8](text[..<headerEnd]), detached, encoded: header.isPayloadEncoded)
            inputLength = input.count
        } else if header.isPayloadEncoded {
            payload = try decode(place, .payload)
        } else {
            payload = try unencoded(place)
        }
        return JWS.Unverified(
            payload: payload,
            first: JWS.Unverified.Signature(header: header, input: input, inputLength: inputLength, value: signature),
            further: [], isCompact: true, policy: policy)
    }

    /// Payloads that stand as they are consist of printable ASCII without the dot (RFC 7797 §5.2).
    private func unencoded(_ place: Range<Int>) throws(JWS.Rejection) -> [UInt8] {
        for offset in place {
            let byte = text[offset]
            guard byte != Self.dot else { throw .wrongPartCount(Self.partCount(text)) }
            guard 0x20...0x7e ~= byte else { throw .unprintablePayload(offset: offset) }
        }
        return [UInt8](text[place])
    }

    @inline(__always)
    private func decode(_ range: Range<Int>, _ part: JWS.Part) throws(JWS.Rejection) -> [UInt8] {
        try wrapping({ countingParts(part, $0) }, try Base64URL.decode(text.span.extracting(range)))
    }

    /// Why a part is not Base64url: a dot in it means that there are more parts than three.
    private func countingParts(_ part: JWS.Part, _ fault: SyntaxError) -> JWS.Rejection {
        let count = Self.partCount(text)
        return count == 3 ? .malformedBase64URL(part, fault) : .wrongPartCount(count)
    }
}

extension JWS.Header {
    /// The object whose text stands as Base64url in a range of bytes.
    static func object(
        ofBase64URL text: [UInt8], _ range: Range<Int>,
        _ fault: (JWS.Part, SyntaxError) -> JWS.Rejection = {
            .malformedBase64URL($0, $1)
        }
    ) throws(JWS.Rejection) -> JSON.Document.Object {
        let bytes = try wrapping({ fault(.header, $0) }, try Base64URL.decode(text.span.extracting(range)))
        return try wrapping(
            JWS.Rejection.malformedHeader, try JSON.Document(parsing: bytes, limits: limits).root.object())
    }
}
