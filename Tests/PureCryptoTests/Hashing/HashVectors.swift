import PureCrypto
import TestSupport

/// A fixture of lines whose fields are separated by spaces, the first of them naming a hash; `#` begins a comment.
struct HashVectors: Sequence {
    struct Line {
        let number: Int
        let algorithm: Algorithm
        let fields: [String]

        /// A field of bytes: hexadecimal, `-` if empty, `bytes*count` if repeated.
        func bytes(_ index: Int) -> [UInt8] {
            let parts = fields[index].split(separator: "*")
            let content = parts[0] == "-" ? [] : [UInt8](hex: String(parts[0]))
            let count = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
            return Array(repeatElement(content, count: count).joined())
        }
    }

    private let lines: [Line]

    init(_ name: String) throws {
        let text = String(decoding: try Repository.fixture("Hashing/\(name)"), as: UTF8.self)
        lines = text.split(separator: "\n").enumerated().compactMap { index, line in
            let fields = line.split(separator: " ").map(String.init)
            return Algorithm(rawValue: fields[0]).map { Line(number: index + 1, algorithm: $0, fields: fields) }
        }
    }

    func makeIterator() -> IndexingIterator<[Line]> { lines.makeIterator() }

    /// The message or key of a length in the fixtures that `generate.py` writes: bytes that differ from one length to
    /// the next.
    static func message(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + count) }
    }
}

/// Something to be done with each of the hashes.
protocol HashTask {
    associatedtype Outcome
    func callAsFunction<H: HashFunction>(_: H.Type) -> Outcome
}

/// The hashes under the names that the fixtures give them.
enum Algorithm: String, CaseIterable {
    case sha224, sha256, sha384, sha512

    func run<Task: HashTask>(_ task: Task) -> Task.Outcome {
        switch self {
        case .sha224: task(SHA224.self)
        case .sha256: task(SHA256.self)
        case .sha384: task(SHA384.self)
        case .sha512: task(SHA512.self)
        }
    }

    func digest(_ message: [UInt8]) -> [UInt8] { run(Hashing(message: message)) }

    func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] { run(Authenticating(message: message, key: key)) }
}

private struct Hashing: HashTask {
    let message: [UInt8]

    func callAsFunction<H: HashFunction>(_: H.Type) -> [UInt8] { Array(H.hash(data: message)) }
}

private struct Authenticating: HashTask {
    let message: [UInt8]
    let key: [UInt8]

    func callAsFunction<H: HashFunction>(_: H.Type) -> [UInt8] {
        Array(HMAC<H>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

extension [UInt8] {
    /// A collection of the same bytes that does not lie in one piece.
    var scattered: LazyMapCollection<[UInt8], UInt8> { lazy.map { $0 } }
}
