import TestSupport

@testable import PureCrypto

/// A fixture of lines whose fields are separated by spaces; `#` begins a comment, `-` is an empty run of bytes.
struct RSAVectors {
    struct Line {
        let fields: [String]

        var name: String { fields[0] }
        var verdict: String { fields[1] }
        func bytes(_ index: Int) -> [UInt8] { fields[index] == "-" ? [] : [UInt8](hex: fields[index]) }
    }

    let lines: [Line]

    init(_ name: String) throws {
        let text = String(decoding: try Repository.fixture("RSA/\(name)"), as: UTF8.self)
        lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            Line(fields: line.split(separator: " ").map(String.init))
        }
    }

    /// The keys that signatures of the fixtures are by.
    static func keys() throws -> [String: RSA.Signing.PublicKey] {
        var keys: [String: RSA.Signing.PublicKey] = [:]
        for line in try RSAVectors("keys.txt").lines where line.verdict == "accept" {
            keys[line.name] = try RSA.Signing.PublicKey(modulus: line.bytes(2), exponent: line.bytes(3))
        }
        return keys
    }
}
