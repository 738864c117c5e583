import OAuth2Grants
import Wire

/// The members of a part of a configuration, taken out one by one, and everything that is wrong with them: a person
/// mends a file at once, and not fault by fault.
struct Settings {
    /// Where the members stand, for messages.
    private let place: String
    private var members: JSON.Object
    private var known: [String] = []
    /// What is wrong, in words that say where and what to do.
    private(set) var problems: [String] = []

    /// The members of the object in a file.
    init(_ members: JSON.Object, of file: String) {
        (self.members, place) = (members, "\(file): ")
    }

    private init(_ members: JSON.Object, at place: String) {
        (self.members, self.place) = (members, place)
    }

    /// Says that something is wrong.
    mutating func complain(_ words: String) { problems.append(place + words) }

    /// Takes out a member; `null` is none.
    private mutating func take(_ name: String) -> JSON? {
        known.append(name)
        let key = JSON.Name(name)
        guard let value = members[key] else { return nil }
        members[key] = nil
        return value.isNull ? nil : value
    }

    /// Everything that was wrong, with the members that nobody asked for.
    mutating func finish() -> [String] {
        for member in members {
            let near = Invocation.suggestion(for: member.name.text, among: known)
            complain("'\(member.name.text)' is not known here\(near)")
        }
        members = JSON.Object()
        return problems
    }
}

// MARK: - Members

extension Settings {
    /// A text, or a number as it is written.
    mutating func text(_ name: String) -> String? {
        switch take(name) {
        case nil: return nil
        case .string(let text): return text
        case .number(let number): return number.text
        default:
            complain("'\(name)' has to be a text")
            return nil
        }
    }

    /// A text that must be there and mean something.
    mutating func required<Value>(
        _ name: String, _ expected: String, _ read: (String) throws -> Value
    ) -> Value? {
        guard let text = text(name) else {
            if problems.allSatisfy({ !$0.contains("'\(name)' has to be") }) {
                complain("'\(name)' is missing: \(expected)")
            }
            return nil
        }
        return value(text, name, expected, read)
    }

    /// A text that means something, where it is there.
    mutating func optional<Value>(
        _ name: String, _ expected: String, _ read: (String) throws -> Value
    ) -> Value? {
        text(name).flatMap { value($0, name, expected, read) }
    }

    private mutating func value<Value>(
        _ text: String, _ name: String, _ expected: String, _ read: (String) throws -> Value
    ) -> Value? {
        do { return try read(text) } catch {
            complain("'\(name)' is '\(text)'; expected \(expected) (\(error))")
            return nil
        }
    }

    /// `true` or `false`.
    mutating func flag(_ name: String, otherwise fallback: Bool) -> Bool {
        switch take(name) {
        case nil: return fallback
        case .bool(let flag): return flag
        default:
            complain("'\(name)' has to be true or false")
            return fallback
        }
    }

    /// A number of seconds.
    mutating func seconds(_ name: String) -> Duration? {
        number(name, 0...31_556_952_000).map { .seconds($0) }
    }

    /// For how many seconds something is good, which whoever reads it takes up to a bound.
    mutating func lifetime(_ name: String, upTo longest: Duration) -> Duration? {
        number(name, 1...longest.components.seconds).map { .seconds($0) }
    }

    /// A whole number within bounds.
    mutating func number(_ name: String, _ bounds: ClosedRange<Int64>) -> Int64? {
        guard let value = take(name) else { return nil }
        guard let number = value.number?.integer(as: Int64.self), bounds.contains(number) else {
            complain("'\(name)' has to be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
            return nil
        }
        return number
    }

    /// Texts that mean something: one, or a list of them.
    mutating func list<Value>(_ name: String, _ expected: String, _ read: (String) throws -> Value) -> [Value] {
        let elements: [JSON]
        switch take(name) {
        case nil: return []
        case .string(let text): elements = [.string(text)]
        case .array(let array): elements = array
        default:
            complain("'\(name)' has to be a list")
            return []
        }
        return elements.compactMap { element in
            guard let text = element.string ?? element.number?.text else {
                complain("'\(name)' has to be a list of texts")
                return nil
            }
            return value(text, name, expected, read)
        }
    }

    /// What a sign-in has to be, in a part of its own.
    mutating func demand(_ name: String = "sign-in") -> AuthenticationDemand {
        part(name) { part in
            let classes = part.list("classes", "names of classes") { try Authentication.ContextClass(parsing: $0) }
            let age = part.seconds("max-age")?.components.seconds
            do throws(ParameterRejection) { return try AuthenticationDemand(classes, maximumAge: age) } catch {
                part.complain("no message can say what is demanded here (\(error))")
                return .none
            }
        } ?? .none
    }

    /// One of a few words.
    mutating func word<Value>(_ name: String, _ words: [String: Value], otherwise fallback: Value) -> Value {
        guard let text = text(name) else { return fallback }
        if let value = words[text] { return value }
        complain("'\(name)' is '\(text)'; expected one of \(words.keys.sorted().joined(separator: ", "))")
        return fallback
    }

    /// A part with members of its own, read to its end.
    mutating func part<Value>(_ name: String, _ read: (inout Settings) -> Value) -> Value? {
        switch take(name) {
        case nil: return nil
        case .object(let members): return part(members, place + "\(name): ", read)
        default:
            complain("'\(name)' has to have members of its own, indented below it")
            return nil
        }
    }

    /// A list of parts with members of their own, each read to its end.
    mutating func parts<Value>(_ name: String, _ read: (inout Settings) -> Value?) -> [Value] {
        guard let value = take(name) else { return [] }
        guard let elements = value.array else {
            complain("'\(name)' has to be a list")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            guard let members = element.object else {
                complain("element \(index + 1) of '\(name)' has to have members")
                return nil
            }
            return part(members, place + "element \(index + 1) of '\(name)': ", read)
        }
    }

    private mutating func part<Value>(
        _ members: JSON.Object, _ place: String, _ read: (inout Settings) -> Value
    ) -> Value {
        var part = Settings(members, at: place)
        let value = read(&part)
        problems += part.finish()
        return value
    }
}
