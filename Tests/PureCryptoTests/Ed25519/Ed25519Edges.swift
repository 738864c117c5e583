import TestSupport

@testable import PureCrypto

extension VectorLines.Line {
    func element(_ index: Int) -> FieldElement { FieldElement(words(index)) }
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
