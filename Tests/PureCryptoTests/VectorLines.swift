import TestSupport

@testable import PureCrypto

/// A fixture of lines whose fields are separated by spaces; `#` begins a comment, `-` is an empty run of bytes.
struct VectorLines: Sequence {
    struct Line {
        let number: Int
        let fields: [String]

        func bytes(_ index: Int) -> [UInt8] { fields[index] == "-" ? [] : [UInt8](hex: fields[index]) }
        /// What a line of verdicts begins with.
        var name: String { fields[0] }
        var verdict: String { fields[1] }
        func words(_ index: Int) -> FourWords { FourWords(bytes(index).span) }
    }

    let lines: [Line]

    /// Reads a file below `Fixtures`.
    init(_ path: String) throws {
        let text = String(decoding: try Repository.fixture(path), as: UTF8.self)
        lines = text.split(separator: "\n").enumerated().compactMap { index, line in
            line.hasPrefix("#") ? nil : Line(number: index + 1, fields: line.split(separator: " ").map(String.init))
        }
    }

    /// All lines in a release build; every n-th in a debug build, which runs this arithmetic some hundred times slower.
    func thinnedInDebug(toEvery n: Int) -> [Line] {
        #if DEBUG
        stride(from: 0, to: lines.count, by: n).map { lines[$0] }
        #else
        lines
        #endif
    }

    func makeIterator() -> IndexingIterator<[Line]> { lines.makeIterator() }
}

extension [UInt8] {
    init(hex text: String) {
        let digits = text.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
