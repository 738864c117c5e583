import TestSupport

/// A fixture of lines whose fields are separated by spaces; `#` begins a comment, `-` is an empty run of bytes.
struct FixtureLines {
    struct Line {
        let fields: [String]

        var name: String { fields[0] }
        var verdict: String { fields[1] }
        func bytes(_ index: Int) -> [UInt8] { fields[index] == "-" ? [] : [UInt8](hex: fields[index]) }
    }

    let lines: [Line]

    init(_ path: String) throws {
        let text = String(decoding: try Repository.fixture(path), as: UTF8.self)
        lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            Line(fields: line.split(separator: " ").map(String.init))
        }
    }

    /// All lines in a release build; the first and every n-th after it in a debug build, which runs arithmetic some
    /// hundred times slower.
    func thinnedInDebug(toEvery n: Int) -> [Line] {
        #if DEBUG
        stride(from: 0, to: lines.count, by: n).map { lines[$0] }
        #else
        lines
        #endif
    }
}
