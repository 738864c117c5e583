import TestSupport

@testable import PureCrypto

/// A fixture of lines whose fields are separated by spaces; `#` begins a comment, `-` is an empty run of bytes.
struct Ed25519Vectors: Sequence {
    struct Line {
        let number: Int
        let fields: [String]

        func bytes(_ index: Int) -> [UInt8] { fields[index] == "-" ? [] : [UInt8](hex: fields[index]) }
        func words(_ index: Int) -> FourWords { FourWords(bytes(index).span) }
        func element(_ index: Int) -> FieldElement { FieldElement(words(index)) }
    }

    let lines: [Line]

    init(_ name: String) throws {
        let text = String(decoding: try Repository.fixture("Ed25519/\(name)"), as: UTF8.self)
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

extension FieldElement {
    init(_ words: FourWords) {
        self.init(words.w0, words.w1, words.w2, words.w3)
    }

    var words: FourWords { FourWords(s0, s1, s2, s3) }

    /// Whether every operation may take the words: at most 2p = 2²⁵⁶ − 38.
    var isInRange: Bool { (s1 & s2 & s3) != .max || s0 <= 0 &- 38 }
}

extension SeededGenerator {
    /// Four words, each often at the edge of what a word holds, and the whole often at the edge of a modulus.
    mutating func edgyWords() -> FourWords {
        let edges: [UInt64] = [0, 1, 18, 19, 37, 38, 0 &- 38, 0 &- 39, 0 &- 19, 1 << 63, 1 << 63 - 1, .max]
        var words: [UInt64] = []
        for _ in 0..<4 {
            let draw = next()
            words.append(
                draw & 3 == 0
                    ? edges[Int(next() % UInt64(edges.count))] : draw & 3 == 1 ? draw >> (next() & 63) : next())
        }
        return FourWords(words[0], words[1], words[2], words[3])
    }

    mutating func fieldElement() -> FieldElement {
        let element = FieldElement(edgyWords())
        return element.isInRange ? element : fieldElement()
    }

    mutating func scalar() -> Scalar { Scalar(reducing: edgyWords(), next() & 1 == 0 ? .zero : edgyWords()) }
}
