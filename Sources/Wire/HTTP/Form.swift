extension HTTP {
    /// Pairs of names and values as `application/x-www-form-urlencoded` writes them (WHATWG URL §5, RFC 6749 appendix
    /// B): in their order, repetitions included, so that whoever needs a parameter exactly once can see that it
    /// came twice.
    ///
    /// Forms carry passwords and tokens: the description shows names only.
    public struct Form: Hashable, Sendable, Parsable, CustomStringConvertible {
        /// One parameter.
        public struct Pair: Hashable, Sendable, CustomStringConvertible {
            /// The decoded name.
            @ExactText public private(set) var name: String
            /// The decoded value.
            @ExactText public private(set) var value: String

            /// Joins a name and a value.
            public init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// How much work a reader of forms takes on.
        package struct Limits: Hashable, Sendable {
            /// The most bytes of a whole form.
            package var bytes: Int
            /// The most pairs.
            package var pairs: Int

            /// Sets both bounds.
            package init(bytes: Int = 65_536, pairs: Int = 256) {
                self.bytes = bytes
                self.pairs = pairs
            }
        }

        /// The parameters in their order.
        public private(set) var pairs: [Pair]

        /// Makes a form of parameters.
        public init(_ pairs: [Pair] = []) {
            self.pairs = pairs
        }

        /// How often a name occurs, and its value where that is once; names are compared by their bytes.
        public func value(of name: String) -> Occurrence<String> {
            Occurrence(pairs.lazy.filter { $0.name.spells(name) }.map { $0.value })
        }
    }
}

// MARK: - Reading and writing

extension HTTP.Form {
    /// Reads a form within the default limits.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        try self.init(parsing: bytes, limits: Limits())
    }

    /// Reads a form within the limits; empty sequences between `&` count for nothing.
    package init(parsing bytes: Span<UInt8>, limits: Limits) throws(SyntaxError) {
        let count = bytes.count
        guard count <= limits.bytes else { throw .tooLong(.form, length: count, limit: limits.bytes) }
        pairs = []
        var start = 0
        while start < count {
            let end = (start..<count).first { bytes[$0] == UInt8(ascii: "&") } ?? count
            if end > start {
                guard pairs.count < limits.pairs else { throw .tooMany(.form, limit: limits.pairs) }
                let sign = (start..<end).first { bytes[$0] == UInt8(ascii: "=") } ?? end
                let value = try sign < end ? Self.decoded(bytes, sign + 1..<end) : ""
                pairs.append(Pair(try Self.decoded(bytes, start..<sign), value))
            }
            start = end + 1
        }
    }

    /// Reads a form within the limits from any collection of bytes.
    package init(parsing bytes: some Collection<UInt8>, limits: Limits) throws(SyntaxError) {
        self = try withBytes(of: bytes) { bytes throws(SyntaxError) in try HTTP.Form(parsing: bytes, limits: limits) }
    }

    private static func decoded(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(SyntaxError) -> String {
        if standsForItself(bytes.extracting(range)) { return bytes.text(range) }
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "+"):
                text.append(0x20)
            case UInt8(ascii: "%"):
                guard let value = PercentEncoding.byte(ofTripletAt: offset, in: bytes) else {
                    throw .brokenTriplet(.form, offset: offset)
                }
                text.append(value)
                offset += 2
            case 0x20,
                _ where ASCII.isControl(byte):
                throw .foreignCharacter(.form, offset: offset)
            default:
                text.append(byte)
            }
            offset += 1
        }
        guard WellFormedUTF8.firstFault(in: text.span) == nil else {
            throw .illFormedUTF8(.form, offset: range.lowerBound)
        }
        return text.span.text(text.indices)
    }

    /// Whether nothing is encoded, as in tokens and in most names.
    private static func standsForItself(_ bytes: Span<UInt8>) -> Bool {
        bytes.isVisibleASCII
            && bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "+") && bytes[$0] != UInt8(ascii: "%") }
    }

    /// Writes the form as browsers do: a space as `+`, letters, digits and `*-._` as they are, all else
    /// percent-encoded.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        for pair in pairs {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            Self.append(pair.name, to: &output)
            output.append(UInt8(ascii: "="))
            Self.append(pair.value, to: &output)
        }
        return output
    }

    /// The form as text, for a query.
    public var text: String { String(decoding: encoded(), as: UTF8.self) }

    private static func append(_ text: String, to output: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case 0x20: output.append(UInt8(ascii: "+"))
            case UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): output.append(byte)
            case _ where ASCII.isLetter(byte) || ASCII.isDigit(byte): output.append(byte)
            default: PercentEncoding.append(tripletOf: byte, to: &output)
            }
        }
    }
}

extension HTTP.Form {
    /// The names of the parameters; the values may be secrets.
    public var description: String {
        pairs.map { $0.name + "=…" }.joined(separator: "&")
    }
}

extension HTTP.Form.Pair {
    /// The name of the parameter; the value may be a secret.
    public var description: String { name + "=…" }
}
