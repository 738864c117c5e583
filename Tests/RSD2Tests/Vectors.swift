import TestSupport
import Wire

@testable import RSD2

/// Lines of a fixture, each a JSON object.
func vectors(_ name: String) throws -> [JSON.Object] {
    let bytes = try Repository.fixture("rsd2/" + name)
    return try bytes.split(separator: UInt8(ascii: "\n")).compactMap { try JSON(parsing: $0).object }
}

/// Mutates a text: bytes flipped, dropped, doubled, and pieces that mean something put in.
func mutated(_ bytes: [UInt8], with pieces: [String], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let position = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.insert(contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8), at: position)
        case 1 where position < bytes.count: bytes[position] = UInt8(truncatingIfNeeded: generator.next())
        case 2 where position < bytes.count: bytes.remove(at: position)
        default: bytes.insert(contentsOf: bytes.prefix(position).suffix(5), at: position)
        }
    }
    return bytes
}

func protocolName(_ text: String) throws -> ProtocolName { try ProtocolName(parsing: text) }

func serviceURL(_ text: String) throws -> ServiceURL { try ServiceURL(parsing: text) }
