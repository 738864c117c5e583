import Wire

/// One operation of the protocol: the members of a line in, the answer to it out.
struct Operation: Sendable {
    let name: String
    let answer: @Sendable (Input) throws(Fault) -> JSON

    init(_ name: String, _ answer: @escaping @Sendable (Input) throws(Fault) -> JSON) {
        self.name = name
        self.answer = answer
    }

    /// Everything this tool serves; a module that brings operations appends its list.
    static let all = hashing + signatures + formats + jose + serviceDescriptions + tokenTrees + messages + vectors
}

/// Why a line cannot be answered: it is not the input that the operation is defined for.
enum Fault: Error {
    case unreadable(JSON.Rejection)
    case tooLong
    case notAnObject
    case missing(String)
    case notHexadecimal(String)
    case unknown(String, value: String)
    case outOfRange(String)

    var answer: JSON { ["error": .string(text)] }

    private var text: String {
        switch self {
        case .unreadable(let rejection): "the line is not JSON: \(rejection)"
        case .tooLong: "the line is longer than \(LineReader.longestLine) bytes"
        case .notAnObject: "the line is not a JSON object"
        case .missing(let name): "the line has no member '\(name)' of the type that the operation takes"
        case .notHexadecimal(let name): "'\(name)' is not hexadecimal"
        case .unknown(let name, let value): "'\(name)' has the unknown value '\(value)'"
        case .outOfRange(let name): "'\(name)' is out of range"
        }
    }
}

/// The members of one line, read with the types that operations ask for.
struct Input {
    let members: JSON.Object

    /// Lines carry inputs of megabytes on purpose; what bounds them is the length of a line.
    private static let limits = JSON.Limits(
        size: LineReader.longestLine, depth: 512, values: 1 << 23, members: 1 << 22,
        stringLength: LineReader.longestLine)

    init(parsing line: ArraySlice<UInt8>) throws(Fault) {
        let value: JSON
        do throws(JSON.Rejection) {
            value = try JSON(parsing: line, limits: Self.limits)
        } catch {
            throw .unreadable(error)
        }
        guard let members = value.object else { throw .notAnObject }
        self.members = members
    }

    subscript(name: JSON.Name) -> JSON? { members[name] }

    func text(_ name: JSON.Name) throws(Fault) -> String {
        guard let text = members[name]?.string else { throw .missing(name.text) }
        return text
    }

    func optionalText(_ name: JSON.Name) throws(Fault) -> String? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .missing(name.text) }
        return text
    }

    func bytes(_ name: JSON.Name) throws(Fault) -> [UInt8] {
        let text = try text(name)
        guard let bytes = try? Hex.decode(text) else { throw .notHexadecimal(name.text) }
        return bytes
    }

    /// A whole number within a range; without the member, the given default.
    func count(_ name: JSON.Name, in range: ClosedRange<Int>, otherwise standard: Int? = nil) throws(Fault) -> Int {
        guard let value = members[name] else {
            guard let standard else { throw .missing(name.text) }
            return standard
        }
        guard let number = value.number.flatMap({ Int($0.text) }) else { throw .missing(name.text) }
        guard range.contains(number) else { throw .outOfRange(name.text) }
        return number
    }
}
