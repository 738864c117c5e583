import Wire

/// One operation of the protocol: the members of a line in, the answer to it out.
struct Operation: Sendable {
    let name: String
    private let perform: @Sendable (Input) throws -> JSON

    /// An operation that answers false to what the suite refuses, whatever the reason.
    init(_ name: String, _ perform: @escaping @Sendable (Input) throws -> JSON) {
        self.name = name
        self.perform = perform
    }

    /// An operation that answers whether the suite takes its input.
    init<Value>(judging name: String, _ parse: @escaping @Sendable (Input) throws -> Value) {
        self.init(name) { input in
            _ = try parse(input)
            return true
        }
    }

    func answer(_ input: Input) throws(Fault) -> JSON {
        do {
            return try perform(input)
        } catch let fault as Fault {
            throw fault
        } catch {
            return false
        }
    }

    /// Everything this tool serves; a module that brings operations appends its list.
    static let all =
        hashing + encryption + signatures + formats + jose + serviceDescriptions + tokenTrees + messages + vectors
        + hosting
}

/// The value, unless there is none, which is refused.
func need<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Refused() }
    return value
}

/// Refuses what does not hold.
func need(_ holds: Bool) throws {
    guard holds else { throw Refused() }
}

private struct Refused: Error {}

/// Why a line cannot be answered: it is not the input that the operation is defined for.
struct Fault: Error {
    private let text: String

    var answer: JSON { ["error": .string(text)] }

    static func unreadable(_ rejection: JSON.Rejection) -> Fault {
        Fault(text: "the line is not JSON: \(rejection.text)")
    }

    static let tooLong = Fault(text: "the line is longer than \(LineReader.longestLine) bytes")

    static let notAnObject = Fault(text: "the line is not a JSON object")

    static func missing(_ name: String) -> Fault {
        Fault(text: "the line has no member '\(name)' of the type that the operation takes")
    }

    static func notHexadecimal(_ name: String) -> Fault { Fault(text: "'\(name)' is not hexadecimal") }

    static func unknown(_ name: String, value: String) -> Fault {
        Fault(text: "'\(name)' has the unknown value '\(value)'")
    }

    static func outOfRange(_ name: String) -> Fault { Fault(text: "'\(name)' is out of range") }
}

/// The members of one line, read with the types that operations ask for.
struct Input {
    let members: JSON.Object

    /// Lines carry inputs of megabytes on purpose; what bounds them is the length of a line.
    private static let limits = JSON.Limits(
        size: LineReader.longestLine, depth: 512, values: 1 << 23, members: 1 << 22,
        stringLength: LineReader.longestLine)

    init(parsing line: ArraySlice<UInt8>) throws(Fault) {
        let value = try wrapping(Fault.unreadable, try JSON(parsing: line, limits: Self.limits))
        guard let members = value.object else { throw .notAnObject }
        self.members = members
    }

    subscript(name: JSON.Name) -> JSON? { members[name] }

    func text(_ name: JSON.Name) throws(Fault) -> String {
        guard let text = members[name]?.string else { throw .missing(name.text) }
        return text
    }

    /// The value that a word stands for.
    func choice<Value>(_ name: JSON.Name, _ value: (String) -> Value?) throws(Fault) -> Value {
        let word = try text(name)
        guard let value = value(word) else { throw .unknown(name.text, value: word) }
        return value
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
