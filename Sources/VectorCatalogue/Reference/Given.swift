internal import Wire

/// What a vector gives, member by member; one that is missing, or is not what its kind demands, is named when it is
/// rejected.
struct Given {
    let json: JSON
    private let path: String

    init(_ json: JSON, _ path: String = "") {
        self.json = json
        self.path = path
    }

    subscript(_ member: JSON.Name) -> JSON? { json[member] }

    /// A value that must be there.
    func need<Value>(_ member: JSON.Name, _ read: (JSON) throws -> Value?) throws(Vector.Rejection) -> Value {
        guard let json = json[member], let value = try? read(json) else { throw Vector.Rejection(path + member.text) }
        return value
    }

    func text(_ member: JSON.Name) throws(Vector.Rejection) -> String { try need(member) { $0.string } }

    /// A text that is read as something else.
    func parse<Value>(_ member: JSON.Name, _ parse: (String) throws -> Value) throws(Vector.Rejection) -> Value {
        try need(member) { try $0.string.map(parse) }
    }

    /// A text that is read as something else if it is there.
    func parseIfThere<Value>(
        _ member: JSON.Name, _ parse: (String) throws -> Value
    ) throws(Vector.Rejection) -> Value? {
        json[member] == nil ? nil : try self.parse(member, parse)
    }

    /// A value that is written as JSON and read as something else.
    func decode<Value>(_ member: JSON.Name, _ decode: ([UInt8]) throws -> Value) throws(Vector.Rejection) -> Value {
        try need(member) { try decode($0.encoded()) }
    }

    /// Bytes in hexadecimal.
    func bytes(_ member: JSON.Name) throws(Vector.Rejection) -> [UInt8] {
        try parse(member) { try Hex.decode($0) }
    }

    /// The values of a list, none if it is not there.
    func list(_ member: JSON.Name) -> [Given] { (json[member]?.array ?? []).map { Given($0, "\(path)\(member).") } }

    /// What can be read of the texts in a list.
    func texts<Value>(_ member: JSON.Name, _ parse: (String) throws -> Value) -> [Value] {
        (json[member]?.array ?? []).compactMap { $0.string.flatMap { try? parse($0) } }
    }

    /// The values of a list, each written as JSON and read as something else.
    func decodeAll<Value>(
        _ member: JSON.Name, _ decode: ([UInt8]) throws -> Value
    ) throws(Vector.Rejection) -> [Value] {
        try need(member) { try $0.array.map { try $0.map { try decode($0.encoded()) } } }
    }

    /// A part with members of its own.
    func part(_ member: JSON.Name) throws(Vector.Rejection) -> Given {
        Given(try need(member) { $0 }, "\(path)\(member).")
    }

    func seconds(_ member: JSON.Name) -> Int64? { json[member]?.number?.integer(as: Int64.self) }

    var now: Timestamp {
        get throws(Vector.Rejection) {
            Timestamp(seconds: try need("now") { $0.number?.integer(as: Int64.self) })
        }
    }

    /// The chance of a vector.
    var entropy: Entropy {
        get throws(Vector.Rejection) { try parse("entropy") { try Entropy(Hex.decode($0)) } }
    }

    /// Bytes as words of 64 bits, the highest byte first, and again from the beginning.
    struct Entropy: RandomNumberGenerator {
        private let words: [UInt64]
        private var place = 0

        init(_ bytes: [UInt8]) throws(Vector.Rejection) {
            guard !bytes.isEmpty, bytes.count.isMultiple(of: 8) else { throw Vector.Rejection("entropy") }
            words = stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
        }

        mutating func next() -> UInt64 {
            defer { place = (place + 1) % words.count }
            return words[place]
        }
    }
}
