import TestSupport
import Wire

/// The rows of a table below `Fixtures/json`: a line each, columns between tabs, lines with `#` are comments.
struct JSONFixture {
    let rows: [[String]]

    init(_ name: String) throws {
        let text = String(decoding: try Repository.fixture("json/\(name).tsv"), as: UTF8.self)
        rows = text.split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    /// The bytes that a column stands for: `%XX` is a byte, everything else is itself in UTF-8.
    static func bytes(_ column: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(column.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

/// The rejection of a text, if there is one.
func rejection(of bytes: [UInt8], limits: JSON.Limits = JSON.Limits()) -> JSON.Rejection? {
    do throws(JSON.Rejection) {
        _ = try JSON.Document(parsing: bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// The rejection of a text, if there is one.
func rejection(of text: String, limits: JSON.Limits = JSON.Limits()) -> JSON.Rejection? {
    rejection(of: Array(text.utf8), limits: limits)
}
