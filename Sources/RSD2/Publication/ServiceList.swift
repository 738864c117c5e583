public import Wire

/// A `services.txt` file: one line for each document, and how long the list is good for.
public struct ServiceList: Sendable, Equatable {
    /// A line of the file.
    public struct Entry: Sendable, Equatable {
        /// The media type of the document.
        @ExactText public private(set) var mediaType: String
        /// The document's URL, maybe relative to the file.
        public let reference: URI.Reference

        /// A document of a media type.
        public init(mediaType: String, reference: URI.Reference) {
            self.mediaType = mediaType
            self.reference = reference
        }
    }

    /// The documents, in the order of the file.
    public var entries: [Entry]
    /// After how many seconds to look again.
    public var timeToLive: Int64?
    /// Why lines of the file that was read were left out: one bad line costs that line.
    public private(set) var skipped: [FormatRejection] = []

    /// A list of documents.
    public init(entries: [Entry], timeToLive: Int64? = nil) {
        self.entries = entries
        self.timeToLive = timeToLive
    }

    /// The longest file that is read.
    public static let lengthLimit = 64 << 10
    /// The most documents of a file.
    public static let entryLimit = 256

    /// Where a service publishes its list, and where a crawl looks for it: below its home page (threat 57).
    public static func location(for service: ServiceURL) -> WebURL? { try? service.url.appending("services.txt") }

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
    /// Reads a file, as far as its lines can be read; line ends may be LF, CR or both.
    public init(parsing bytes: Span<UInt8>) throws(FormatRejection) {
        guard bytes.count <= Self.lengthLimit else { throw .tooLong(bytes: bytes.count, limit: Self.lengthLimit) }
        entries = []
        timeToLive = nil
        let start = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
        var text: [UInt8] = []
        for index in start..<bytes.count where bytes[index] != 0x0A || index == 0 || bytes[index - 1] != 0x0D {
            text.append(bytes[index] == 0x0D ? 0x0A : bytes[index])
        }
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            do throws(FormatRejection) {
                try take(Self.trimmed(line), index + 1)
            } catch {
                skipped.append(error)
            }
            guard skipped.count <= Self.entryLimit else { return }
        }
    }

    private mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) throws(FormatRejection) {
        guard let first = line.first, first != UInt8(ascii: "#") else { return }
        guard let semicolon = line.firstIndex(of: UInt8(ascii: ";")) else {
            timeToLive = try Self.interval(line, isSecond: timeToLive != nil, number)
            return
        }
        guard entries.count < Self.entryLimit else { throw .tooManyEntries(line: number, limit: Self.entryLimit) }
        let type = Self.trimmed(line[..<semicolon])
        guard !type.isEmpty, type.allSatisfy(Self.isTypeCharacter) else { throw .malformedType(line: number) }
        let text = Self.trimmed(line[(semicolon + 1)...])
        guard !text.isEmpty else { throw .malformedLine(line: number) }
        let wrap = { (rejection: URI.Rejection) in
            FormatRejection.malformedReference(line: number, rejection.rule)
        }
        let reference = try wrapping(wrap, try URI.Reference(parsing: text))
        if reference.scheme != nil { _ = try wrapping(wrap, try WebURL(parsing: reference.text)) }
        entries.append(Entry(mediaType: String(decoding: type, as: UTF8.self), reference: reference))
    }

    /// `ttl: SECONDS`, of at most ten digits.
    private static func interval(
        _ line: ArraySlice<UInt8>, isSecond: Bool, _ number: Int
    ) throws(FormatRejection) -> Int64 {
        guard line.prefix(4).lowercasedText.spells("ttl:") else { throw .malformedLine(line: number) }
        let digits = trimmed(line.dropFirst(4))
        guard !isSecond, !digits.isEmpty, digits.count <= 10, digits.allSatisfy(ASCII.isDigit) else {
            throw .malformedInterval(line: number)
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// The characters of media types in use, and the slash.
    private static func isTypeCharacter(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "/+-._".utf8.contains(byte)
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let end = line.lastIndex(where: { !ASCII.isBlank($0) }) else { return [] }
        return line[...end].drop(while: ASCII.isBlank)
    }
}

/// The rules of `services.txt`.
extension FormatRejection {
    static func tooManyEntries(line: Int, limit: Int) -> Self {
        Self("threat-43", line: line, "more than \(limit) documents")
    }

    static func malformedLine(line: Int) -> Self {
        Self("RSD-2", line: line, "neither a document nor an interval")
    }

    static func malformedType(line: Int) -> Self { Self("RSD-2", line: line, "no media type before the semicolon") }

    /// What stands behind the semicolon is not a URI, or is a URL, but not a safe one of the web.
    static func malformedReference(line: Int, _ rule: Rule) -> Self { Self(rule.clause, line: line, rule.text) }

    static func malformedInterval(line: Int) -> Self {
        Self("RSD-2", line: line, "no number of seconds, or a second one")
    }
}
