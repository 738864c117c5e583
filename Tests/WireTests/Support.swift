import TestSupport
import Testing
import Wire

/// A fixture of lines with tabs between their fields; lines that begin with "# " are comments, `\xNN` stands for a
/// byte.
struct Table {
    let rows: [[[UInt8]]]

    init(_ path: String) throws {
        rows = try Repository.fixture(path).split(separator: UInt8(ascii: "\n"))
            .filter { !$0.starts(with: "# ".utf8) }
            .map { $0.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(Self.unescaped) }
    }

    /// The rows as texts.
    var texts: [[String]] { rows.map { $0.map { String(decoding: $0, as: UTF8.self) } } }

    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x") {
                bytes.append(UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

extension SeededGenerator {
    /// One of the elements.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }

    /// A number below the bound.
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// The bytes with some of them changed, dropped, doubled or added, mostly by the bytes that the grammar cares
    /// about.
    mutating func mutated(_ bytes: [UInt8], with special: String) -> [UInt8] {
        var result = bytes
        let candidates = Array(special.utf8)
        for _ in 0...below(3) {
            let byte = below(4) == 0 ? UInt8(truncatingIfNeeded: next()) : pick(candidates)
            let place = below(result.count + 1)
            switch below(3) {
            case 0: result.insert(byte, at: place)
            case 1 where place < result.count: result[place] = byte
            case 2 where place < result.count: result.remove(at: place)
            default: break
            }
        }
        return result
    }
}
