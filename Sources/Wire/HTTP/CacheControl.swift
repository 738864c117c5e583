extension HTTP {
    /// What an answer says about keeping it (RFC 9111 §5.2), as far as a keeper of key sets needs it.
    ///
    /// Directives of other names are passed over.
    package struct CacheControl: Hashable, Sendable {
        /// Nothing of the answer may be kept.
        package let isNeverStored: Bool
        /// The answer may not be used again without asking.
        package let isAlwaysValidated: Bool
        /// How many seconds the answer stays fresh, if it says so.
        ///
        /// Several different times make it stale at once.
        package let maxAge: UInt32?

        /// How long the answer may be used without asking again; `nil` if it does not say.
        package var lifetime: Duration? {
            isNeverStored || isAlwaysValidated ? .zero : maxAge.map { .seconds($0) }
        }
    }
}

extension HTTP.CacheControl: Parsable {
    /// Reads the value of a `Cache-Control` field; several fields are joined with commas first.
    package init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(.cacheControl, offset: offset) }
        var isNeverStored = false
        var isAlwaysValidated = false
        var maxAge: UInt32?
        var count = 0
        var at = 0
        FieldGrammar.skipEmptyElements(bytes, &at)
        while at < bytes.count {
            count += 1
            guard count <= FieldGrammar.countLimit else {
                throw .tooMany(.cacheControl, limit: FieldGrammar.countLimit)
            }
            let range = FieldGrammar.token(bytes, &at)
            guard !range.isEmpty else { throw .malformed(.cacheControl, offset: at) }
            let name = bytes.lowercasedText(range)
            var argument: String?
            if FieldGrammar.skip("=", bytes, &at) {
                argument = FieldGrammar.tokenOrQuotedString(bytes, &at)
                guard argument != nil else { throw .malformed(.cacheControl, offset: at) }
            }
            FieldGrammar.skipBlanks(bytes, &at)
            guard FieldGrammar.endsElement(bytes, at) else { throw .malformed(.cacheControl, offset: at) }
            FieldGrammar.skipEmptyElements(bytes, &at)
            switch name {
            case "no-store": isNeverStored = true
            case "no-cache": isAlwaysValidated = true
            case "max-age":
                // What cannot be read counts as stale (RFC 9111 §4.2.1).
                let age = Self.seconds(argument ?? "")
                maxAge = maxAge == nil || maxAge == age ? age : 0
            default: break
            }
        }
        self.isNeverStored = isNeverStored
        self.isAlwaysValidated = isAlwaysValidated
        self.maxAge = maxAge
    }

    /// delta-seconds (RFC 9111 §1.2.2): what is too large counts as 2³¹, what is no number as nothing.
    private static func seconds(_ text: String) -> UInt32 {
        var seconds: UInt64 = 0
        for byte in text.utf8 {
            guard ASCII.isDigit(byte) else { return 0 }
            seconds = min(seconds * 10 + UInt64(byte - UInt8(ascii: "0")), 1 << 31)
        }
        return UInt32(seconds)
    }
}
