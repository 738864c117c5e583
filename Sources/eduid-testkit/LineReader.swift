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
    private var start = 0
    private var searched = 0
    private var ended = false

    /// The next line without its line feed, or nil at the end of the input; a last line may lack the line feed.
    mutating func next() -> Line? {
        var overflowed = false
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[start..<end]
                start = end + 1
                searched = start
                return overflowed ? .tooLong : .bytes(line)
            }
            if ended {
                let line = buffer[start...]
                start = buffer.count
                searched = start
                if overflowed { return .tooLong }
                return line.isEmpty ? nil : .bytes(line)
            }
            if buffer.count - start > Self.longestLine {
                overflowed = true
                start = buffer.count
            }
            fill()
        }
    }

    /// Takes what is there, without waiting for more: the other side may want this answer before it sends the next
    /// line.
    private mutating func fill() {
        buffer.removeFirst(start)
        searched = buffer.count
        start = 0
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
