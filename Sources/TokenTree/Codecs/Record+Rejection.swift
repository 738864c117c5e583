public import Wire

extension Record {
    /// Why a JSON text is not taken as a record, change, batch or message of this vocabulary; no case carries a value
    /// from the text.
    public enum Rejection: Error, Equatable, Sendable {
        /// The text is not JSON, or a member is missing or of the wrong type.
        case json(JSON.Rejection)
        /// A name does not keep the rules of its kind.
        case identifier(IdentifierRejection, at: JSON.Path)
        /// A number is not a point in time.
        case time(Timestamp.Rejection, at: JSON.Path)
        /// A text is not Base64URL of the right number of bytes.
        case bytes(at: JSON.Path)
        /// A word is none of those that the vocabulary knows here.
        case word(at: JSON.Path)
    }
}

extension Record.Rejection: CustomStringConvertible {
    /// The rule that was broken, and where.
    public var description: String {
        switch self {
        case .json(let rejection): rejection.description
        case .identifier(let rejection, let path): "\(path): \(rejection)"
        case .time(let rejection, let path): "\(path): \(rejection)"
        case .bytes(let path): "\(path) is not the text of a hash or key (\(clause))"
        case .word(let path): "\(path) is a word without meaning here (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .json(let rejection): rejection.clause
        case .identifier(let rejection, _): rejection.clause
        case .time(let rejection, _): rejection.clause
        case .bytes, .word: "TOK-8"
        }
    }
}

// MARK: - Reading members

extension JSON.Document.Value {
    func identifier<ID: Identifier>(_ kind: ID.Type = ID.self) throws(Record.Rejection) -> ID {
        let text = try text()
        do throws(IdentifierRejection) { return try ID(parsing: text) } catch { throw .identifier(error, at: path) }
    }

    func text() throws(Record.Rejection) -> String {
        do throws(JSON.Rejection) { return try string() } catch { throw .json(error) }
    }

    func timestamp() throws(Record.Rejection) -> Timestamp {
        do throws(JSON.Rejection) {
            return Timestamp(seconds: try integer(as: Int64.self))
        } catch {
            guard case .fraction = error else { throw .json(error) }
        }
        let text: String
        do throws(JSON.Rejection) { text = try number().text } catch { throw .json(error) }
        do throws(Timestamp.Rejection) { return try Timestamp(parsing: text) } catch { throw .time(error, at: path) }
    }

    /// A duration, written as the time that is so long after the epoch.
    func duration() throws(Record.Rejection) -> Duration {
        try timestamp() - .epoch
    }

    func fingerprint() throws(Record.Rejection) -> Fingerprint {
        let text = try text()
        guard let fingerprint = Fingerprint(text: text) else { throw .bytes(at: path) }
        return fingerprint
    }

    func replayKey() throws(Record.Rejection) -> ReplayKey {
        let text = try text()
        guard let key = ReplayKey(text: text) else { throw .bytes(at: path) }
        return key
    }

    /// One of the words by which a closed set is written.
    ///
    /// The raw values of the set count from zero.
    func word<Word: RawRepresentable<UInt8> & CustomStringConvertible>(_ set: Word.Type = Word.self) throws(Record
        .Rejection) -> Word
    {
        var rawValue: UInt8 = 0
        while let word = Word(rawValue: rawValue) {
            if isString(word.description) { return word }
            rawValue += 1
        }
        _ = try text()
        throw .word(at: path)
    }

    func count<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) throws(Record.Rejection) -> Integer {
        do throws(JSON.Rejection) { return try integer(as: type) } catch { throw .json(error) }
    }

    func members() throws(Record.Rejection) -> JSON.Document.Object {
        do throws(JSON.Rejection) { return try object() } catch { throw .json(error) }
    }

    func elements() throws(Record.Rejection) -> JSON.Document.Array {
        do throws(JSON.Rejection) { return try array() } catch { throw .json(error) }
    }

    /// An object with all it holds, as a tree.
    func attributes() throws(Record.Rejection) -> JSON.Object {
        _ = try members()
        return tree().object ?? JSON.Object()
    }
}

extension JSON.Document.Object {
    func required(_ name: JSON.Name) throws(Record.Rejection) -> JSON.Document.Value {
        do throws(JSON.Rejection) { return try self[name] } catch { throw .json(error) }
    }

    func identifier<ID: Identifier>(ifPresent name: JSON.Name, _ kind: ID.Type = ID.self) throws(Record.Rejection)
        -> ID?
    {
        guard let value = optional(name) else { return nil }
        return try value.identifier(kind)
    }

    func timestamp(ifPresent name: JSON.Name) throws(Record.Rejection) -> Timestamp? {
        guard let value = optional(name) else { return nil }
        return try value.timestamp()
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

    mutating func member(_ name: JSON.Name, _ duration: Duration) {
        member(name, Timestamp.epoch + duration)
    }

    mutating func member(_ name: JSON.Name, _ identifier: some Identifier) {
        member(name, identifier.text)
    }

    mutating func member(_ name: JSON.Name, ifPresent identifier: (some Identifier)?) {
        if let identifier { member(name, identifier.text) }
    }

    mutating func member(_ name: JSON.Name, word: some CustomStringConvertible) {
        member(name, word.description)
    }
}
