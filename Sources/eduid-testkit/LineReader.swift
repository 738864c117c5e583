import Foundation

/// Standard input as lines of bytes; UTF-8 is for the parsers to judge.
struct LineReader {
    enum Line {
        case bytes(ArraySlice<UInt8>)
        case tooLong
    }

    /// The longest line that is kept; vectors of a megabyte of input have two in hexadecimal.
    static let longestLine = 64 << 20

    private var buffer: [UInt8] = []
    /// How much of the buffer has been searched for the end of its first line.
    private var searched = 0
    private var ended = false

    /// The next line without its line feed, or `nil` at the end of the input; a last line may lack the line feed.
    mutating func next() -> Line? {
        var overflowed = false
        while true {
            let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
            if end != nil || ended {
                let line = buffer[..<(end ?? buffer.count)]
                buffer.removeFirst(end.map { $0 + 1 } ?? buffer.count)
                searched = 0
                return overflowed ? .tooLong : end == nil && line.isEmpty ? nil : .bytes(line)
            }
            searched = buffer.count
            if buffer.count > Self.longestLine {
                overflowed = true
                buffer.removeAll()
                searched = 0
            }
            fill()
        }
    }

    /// Takes what is there, without waiting for more: the other side may want this answer before it sends the next
    /// line.
    private mutating func fill() {
        let room = 1 << 16
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { chunk in
            let count = read(STDIN_FILENO, chunk.baseAddress, room)
            // Bound: read() filled at most `room` bytes.
            if count > 0 { buffer.append(contentsOf: chunk[..<count]) }
            return count
        }
        if count == 0 || (count < 0 && errno != EINTR) { ended = true }
    }
}
