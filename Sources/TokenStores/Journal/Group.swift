internal import Wire

/// What one write brings into a journal: the lines of all who waited together, behind a line about them.
///
/// That line is `{"group":…,"crc":"…"}`: how many bytes of lines follow, and their CRC-32 in eight hexadecimal digits.
/// A group is written and made durable before the next one begins. So whatever follows a group shows that the group had
/// been durable.
struct Group {
    /// How many bytes of lines it has.
    let byteCount: Int
    /// Their checksum.
    let checksum: UInt32

    /// The longest line about a group, its end included.
    static let headerLimit = 64

    /// The group of these lines.
    init(of lines: [UInt8]) {
        byteCount = lines.count
        checksum = Checksum.of(lines)
    }

    /// Reads the line at the beginning of these bytes, and says how long it is; `nil` if there is none.
    static func read(_ bytes: [UInt8]) -> (group: Group, length: Int)? {
        guard let end = bytes.prefix(headerLimit).firstIndex(of: UInt8(ascii: "\n")),
            let members = try? JSON.Document(parsing: bytes.span.extracting(0..<end)).root.object(),
            let count = try? members["group"].integer(as: Int.self), let digits = try? members["crc"].string(),
            digits.utf8.count == 8, let checksum = UInt32(digits, radix: 16), count >= 0
        else { return nil }
        return (Group(byteCount: count, checksum: checksum), end + 1)
    }

    private init(byteCount: Int, checksum: UInt32) {
        self.byteCount = byteCount
        self.checksum = checksum
    }

    /// The line about it.
    var header: [UInt8] {
        let digits = String(checksum, radix: 16)
        let line = JSON.encodedObject { members in
            members.member("group", byteCount)
            members.member("crc", String(repeating: "0", count: 8 - digits.utf8.count) + digits)
        }
        return line + [UInt8(ascii: "\n")]
    }

    /// Whether these are its lines.
    func holds(_ lines: [UInt8]) -> Bool { lines.count == byteCount && Checksum.of(lines) == checksum }
}
