internal import Wire

extension Restoration {
    /// Why a text does not give back a tree, and in which line.
    public enum Rejection: Error, Equatable, Sendable {
        /// The line is not what the format says.
        case malformed(line: Int, Record.Rejection)
        /// The line has none of the members that tell lines apart.
        case foreign(line: Int)
        /// The snapshot was written by another version of the format.
        case unsupportedVersion(Int)
        /// The line is longer than the limit.
        case lineTooLong(line: Int, limit: Int)
        /// The snapshot ends without its seal.
        case truncated(line: Int)
        /// The seal is not that of the lines before it: the snapshot was altered.
        case brokenSeal(line: Int)
        /// The line does not continue the chain: it was altered, or lines before it were left out or added.
        case brokenChain(line: Int)
        /// There are more or fewer records than the snapshot announced.
        case miscounted(expected: Int, found: Int)
        /// The number is not that of a text or record which could stand there.
        case misnumbered(line: Int, number: Int)
        /// The record could not exist in a tree.
        case impossible(line: Int, Breach)
        /// The batch cannot be applied where it stands.
        case inapplicable(line: Int, Batch.Conflict)
        /// The chain does not end where it is known to end.
        case otherHead(expected: Fingerprint, found: Fingerprint)

        init(_ flaw: Flaw, line: Int) {
            switch flaw {
            case .malformed(let rejection): self = .malformed(line: line, rejection)
            case .foreign: self = .foreign(line: line)
            case .version(let version): self = .unsupportedVersion(version)
            case .seal: self = .brokenSeal(line: line)
            case .chain: self = .brokenChain(line: line)
            case .count(let expected, let found): self = .miscounted(expected: expected, found: found)
            case .number(let number): self = .misnumbered(line: line, number: number)
            case .breach(let breach): self = .impossible(line: line, breach)
            case .conflict(let conflict): self = .inapplicable(line: line, conflict)
            }
        }
    }

    /// What is wrong with a line.
    enum Flaw: Error {
        case malformed(Record.Rejection)
        case foreign
        case version(Int)
        case seal
        case chain
        case count(expected: Int, found: Int)
        case number(Int)
        case breach(Breach)
        case conflict(Batch.Conflict)

        static func converting<Value>(_ read: () throws(Record.Rejection) -> Value) throws(Flaw) -> Value {
            do throws(Record.Rejection) { return try read() } catch { throw .malformed(error) }
        }
    }
}

extension Restoration.Rejection: CustomStringConvertible {
    /// The rule that was broken, and where.
    public var description: String {
        switch self {
        case .malformed(let line, let rejection): "line \(line): \(rejection)"
        case .foreign(let line): "line \(line) is none of this format (\(clause))"
        case .unsupportedVersion(let version): "version \(version) of the format is not known (\(clause))"
        case .lineTooLong(let line, let limit): "line \(line) is longer than \(limit) bytes (\(clause))"
        case .truncated(let line): "the snapshot ends after line \(line) without a seal (\(clause))"
        case .brokenSeal(let line): "the seal in line \(line) is not that of the lines before it (\(clause))"
        case .brokenChain(let line): "line \(line) does not continue the chain (\(clause))"
        case .miscounted(let expected, let found): "\(found) records, \(expected) announced (\(clause))"
        case .misnumbered(let line, let number):
            "line \(line): nothing that could stand there has number \(number) (\(clause))"
        case .impossible(let line, let breach): "line \(line): \(breach)"
        case .inapplicable(let line, let conflict): "line \(line): \(conflict)"
        case .otherHead(let expected, let found): "the chain ends with \(found), expected \(expected) (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .malformed(_, let rejection): rejection.clause
        case .lineTooLong: "threat-14"
        case .foreign, .unsupportedVersion: "threat-49"
        case .truncated, .brokenSeal, .brokenChain, .miscounted, .misnumbered, .otherHead: "TOK-8"
        case .impossible(_, let breach): breach.clause
        case .inapplicable(_, let conflict): conflict.breach.clause
        }
    }
}
