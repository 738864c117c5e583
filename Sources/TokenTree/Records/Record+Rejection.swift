public import Wire

extension Record {
    /// Why a JSON text is not taken as a record, change, batch or message of this vocabulary; no case carries a value
    /// from the text.
    public enum Rejection: BrokenRule {
        /// The text is not JSON, or a member is missing or of the wrong type.
        case json(JSON.Rejection)
        /// A text is not a name, a point in time, a hash or a key.
        case syntax(SyntaxError, at: JSON.Path)
        /// A word is not one of those that the vocabulary knows here.
        case word(at: JSON.Path)

        /// The rule that was broken, and where.
        public var rule: Rule {
            switch self {
            case .json(let rejection): Rule(rejection.clause, rejection.description)
            case .syntax(let error, let path): Rule(error.clause, "\(path): \(error.text)")
            case .word(let path): Rule("TOK-8", "\(path) is a word without meaning here")
            }
        }
    }
}

extension SyntaxError.Format {
    /// The text of a hash or of a key of sixteen bytes.
    package static let hash = SyntaxError.Format("hash or key", "TOK-8")
    /// A secret, a dot and a record's name.
    package static let refreshToken = SyntaxError.Format("refresh token", "TOK-2")
}

// MARK: - Reading members

extension JSON.Document.Value {
    package func text() throws(Record.Rejection) -> String { try wrapping(Record.Rejection.json, try string()) }

    package func members() throws(Record.Rejection) -> JSON.Document.Object {
        try wrapping(Record.Rejection.json, try object())
    }

    package func elements() throws(Record.Rejection) -> JSON.Document.Array {
        try wrapping(Record.Rejection.json, try array())
    }

    func count<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) throws(Record.Rejection) -> Integer {
        try wrapping(Record.Rejection.json, try integer(as: type))
    }

    func identifier<Kind>(
        _ kind: Identifier<Kind>.Type = Identifier<Kind>.self
    ) throws(Record.Rejection) -> Identifier<Kind> {
        let text = try text()
        return try wrapping({ Record.Rejection.syntax($0, at: path) }, try Identifier(parsing: text))
    }

    package func timestamp() throws(Record.Rejection) -> Timestamp {
        do throws(JSON.Rejection) {
            return Timestamp(seconds: try integer(as: Int64.self))
        } catch {
            guard case .fraction = error else { throw .json(error) }
            let number = try wrapping(Record.Rejection.json, try number())
            return try wrapping({ Record.Rejection.syntax($0, at: path) }, try Timestamp(parsing: number.text))
        }
    }

    func flag() throws(Record.Rejection) -> Bool { try wrapping(Record.Rejection.json, try bool()) }

    /// A duration, written as the time that is so long after the epoch.
    func duration() throws(Record.Rejection) -> Duration { try timestamp() - .epoch }

    /// What a text stands for.
    func read<Value>(_ value: (String) -> Value?) throws(Record.Rejection) -> Value {
        guard let value = value(try text()) else { throw .syntax(.malformed(.hash, offset: 0), at: path) }
        return value
    }

    /// One of the words by which a closed set is written.
    ///
    /// The raw values of the set count from zero.
    func word<Word: RawRepresentable<UInt8> & CustomStringConvertible>(
        _ set: Word.Type = Word.self
    ) throws(Record.Rejection) -> Word {
        var rawValue: UInt8 = 0
        while let word = Word(rawValue: rawValue) {
            if isString(word.description) { return word }
            rawValue += 1
        }
        _ = try text()
        throw .word(at: path)
    }

    /// An object with all it holds, as a tree.
    func attributes() throws(Record.Rejection) -> JSON.Object {
        _ = try members()
        return tree().object ?? JSON.Object()
    }
}

extension JSON.Document.Object {
    package func required(_ name: JSON.Name) throws(Record.Rejection) -> JSON.Document.Value {
        try wrapping(Record.Rejection.json, try self[name])
    }

    func identifier<Kind>(ifPresent name: JSON.Name) throws(Record.Rejection) -> Identifier<Kind>? {
        try optional(name)?.identifier()
    }

    func timestamp(ifPresent name: JSON.Name) throws(Record.Rejection) -> Timestamp? {
        try optional(name)?.timestamp()
    }

    func refresh() throws(Record.Rejection) -> Record.Refresh? {
        guard let value = optional("refresh") else { return nil }
        return try Record.Refresh(try value.members())
    }
}

// MARK: - Writing members

extension JSON.ObjectWriter {
    mutating func member(_ name: JSON.Name, _ time: Timestamp) {
        if time.nanoseconds > 0, let number = try? JSON.Number(parsing: time.number) {
            member(name, number)
        } else {
            member(name, time.seconds)
        }
    }

    mutating func member(_ name: JSON.Name, ifPresent time: Timestamp?) {
        if let time { member(name, time) }
    }

    mutating func member(_ name: JSON.Name, _ duration: Duration) { member(name, Timestamp.epoch + duration) }

    mutating func member<Kind>(_ name: JSON.Name, _ identifier: Identifier<Kind>) { member(name, identifier.text) }

    mutating func member<Kind>(_ name: JSON.Name, ifPresent identifier: Identifier<Kind>?) {
        if let identifier { member(name, identifier.text) }
    }

    mutating func member(_ name: JSON.Name, word: some CustomStringConvertible) { member(name, word.description) }
}
