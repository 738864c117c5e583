public import Wire

/// A `services.txt` file: one line for each document, and how long the list is good for.
public struct ServiceList: Sendable, Equatable {
    /// A line of the file.
    public struct Entry: Sendable, Equatable {
        /// The media type of the document.
        public let mediaType: String
        /// Where it is, maybe relative to the file.
        public let reference: URI.Reference

        /// A document of a media type.
        public init(mediaType: String, reference: URI.Reference) {
            self.mediaType = mediaType
            self.reference = reference
        }

        /// Whether both say the same, byte for byte.
        public static func == (left: Entry, right: Entry) -> Bool {
            left.mediaType.spells(right.mediaType) && left.reference == right.reference
        }
    }

    /// The documents, in the order of the file.
    public var entries: [Entry]
    /// After how many seconds to look again.
    public var timeToLive: Int64?

    /// A list of documents.
    public init(entries: [Entry], timeToLive: Int64? = nil) {
        self.entries = entries
        self.timeToLive = timeToLive
    }

    /// The longest file that is read.
    public static let lengthLimit = 64 << 10
    /// The most documents of a file.
    public static let entryLimit = 256

    /// The documents as seen from the file's own URL; those that lead to no web URL are left out.
    public func publications(at url: WebURL) -> [Publication] {
        entries.compactMap { entry in
            guard let target = try? WebURL(parsing: entry.reference.text, relativeTo: url) else { return nil }
            return Publication(mediaType: entry.mediaType, url: target)
        }
    }

    /// The file.
    public func encoded() -> [UInt8] {
        var text = ""
        if let timeToLive { text += "ttl: \(timeToLive)\n" }
        for entry in entries { text += "\(entry.mediaType); \(entry.reference.text)\n" }
        return Array(text.utf8)
    }
}

extension ServiceList: Parsable {
    /// Why a file is not taken, with the number of the line.
    public enum Rejection: Error, Equatable, Sendable {
        /// The file has more bytes than the limit.
        case tooLong(bytes: Int, limit: Int)
        /// The file lists more documents than the limit.
        case tooManyEntries(line: Int, limit: Int)
        /// The line is neither `type; uri` nor `ttl: SECONDS`.
        case malformedLine(line: Int)
        /// What stands before the semicolon is no media type.
        case malformedType(line: Int)
        /// What stands behind the semicolon is no URI.
        case malformedReference(line: Int, URI.Rejection)
        /// What stands behind the semicolon is a URL, but not a safe one of the web.
        case unusableURL(line: Int, WebURL.Rejection)
        /// The interval is no number of seconds, or stands there twice.
        case malformedInterval(line: Int)
    }

    /// Reads a file; line ends may be LF, CR or both.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        guard bytes.count <= Self.lengthLimit else { throw .tooLong(bytes: bytes.count, limit: Self.lengthLimit) }
        entries = []
        timeToLive = nil
        var start = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
        var number = 0
        while start < bytes.count {
            number += 1
            var end = start
            while end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D { end += 1 }
            try take(Self.trimmed(bytes.extracting(start..<end)), number)
            let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
            start = end + (isPair ? 2 : 1)
        }
    }

    private mutating func take(_ line: [UInt8], _ number: Int) throws(Rejection) {
        guard let first = line.first, first != UInt8(ascii: "#") else { return }
        guard let semicolon = line.firstIndex(of: UInt8(ascii: ";")) else {
            timeToLive = try Self.interval(line, isSecond: timeToLive != nil, number)
            return
        }
        guard entries.count < Self.entryLimit else { throw .tooManyEntries(line: number, limit: Self.entryLimit) }
        let type = Self.trimmed(Array(line[..<semicolon]).span)
        guard !type.isEmpty, type.allSatisfy(Self.isTypeCharacter) else { throw .malformedType(line: number) }
        let text = Self.trimmed(Array(line[(semicolon + 1)...]).span)
        guard !text.isEmpty else { throw .malformedLine(line: number) }
        let reference: URI.Reference
        do throws(URI.Rejection) {
            reference = try URI.Reference(parsing: text)
        } catch {
            throw .malformedReference(line: number, error)
        }
        if reference.scheme != nil {
            do throws(WebURL.Rejection) {
                _ = try WebURL(parsing: reference.text)
            } catch {
                throw .unusableURL(line: number, error)
            }
        }
        entries.append(Entry(mediaType: String(decoding: type, as: UTF8.self), reference: reference))
    }

    /// `ttl: SECONDS`, of at most ten digits.
    private static func interval(_ line: [UInt8], isSecond: Bool, _ number: Int) throws(Rejection) -> Int64 {
        let name = line.prefix(4).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        guard name.elementsEqual("ttl:".utf8) else { throw .malformedLine(line: number) }
        let digits = trimmed(Array(line.dropFirst(4)).span)
        guard !isSecond, !digits.isEmpty, digits.count <= 10, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            throw .malformedInterval(line: number)
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// The characters of tokens (RFC 9110 §5.6.2) and the slash.
    private static func isTypeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func trimmed(_ bytes: Span<UInt8>) -> [UInt8] {
        var range = bytes.indices
        while let last = range.last, bytes[last] == 0x20 || bytes[last] == 0x09 { range = range.dropLast() }
        while let first = range.first, bytes[first] == 0x20 || bytes[first] == 0x09 { range = range.dropFirst() }
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        for index in range { output.append(bytes[index]) }
        return output
    }
}

extension ServiceList.Rejection: CustomStringConvertible {
    /// The rule in words, with the line of its breach.
    public var description: String {
        switch self {
        case .tooLong(let bytes, let limit): "\(bytes) bytes where \(limit) are allowed (\(clause))"
        case .tooManyEntries(let line, let limit): "line \(line): more than \(limit) documents (\(clause))"
        case .malformedLine(let line): "line \(line): neither a document nor an interval (\(clause))"
        case .malformedType(let line): "line \(line): no media type before the semicolon (\(clause))"
        case .malformedReference(let line, let rejection): "line \(line): \(rejection.description)"
        case .unusableURL(let line, let rejection): "line \(line): \(rejection.description)"
        case .malformedInterval(let line): "line \(line): no number of seconds, or a second one (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .tooLong, .tooManyEntries: "threat-43"
        case .malformedLine, .malformedType, .malformedInterval: "RSD-2"
        case .malformedReference(_, let rejection): rejection.clause
        case .unusableURL(_, let rejection): rejection.clause
        }
    }
}
