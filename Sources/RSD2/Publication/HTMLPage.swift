public import Wire

extension Publication {
    /// The most bytes of a page that are looked at.
    static let pageLimit = 1 << 20
    /// The most announcements of a page that are taken.
    static let announcementLimit = 32

    /// The documents that a web page announces, as seen from its URL or the base that it names.
    ///
    /// Taken are `link` elements with the relation `ServiceAPI` or `EditURI` and a web URL, in page order, each URL
    /// once. Real pages are not XML, so what cannot be understood is passed over.
    public static func announced(by page: some Collection<UInt8>, at url: WebURL) -> [Publication] {
        var scanner = HTMLScanner(bytes: Array(page.prefix(pageLimit)))
        var base: WebURL?
        var links: [(type: String, href: String)] = []
        while let tag = scanner.nextTag() {
            guard let href = tag["href"].map({ $0.trimmed ?? $0 }) else { continue }
            if tag.name.spells("base"), base == nil {
                base = try? WebURL(parsing: href, relativeTo: url)
            } else if tag.name.spells("link"), links.count < announcementLimit, tag.announcesService {
                let type = tag["type"] ?? ""
                links.append((type.trimmed ?? type, href))
            }
        }
        var found: [Publication] = []
        for link in links {
            guard let url = try? WebURL(parsing: link.href, relativeTo: base ?? url) else { continue }
            if !found.contains(where: { $0.url == url }) { found.append(Publication(mediaType: link.type, url: url)) }
        }
        return found
    }
}

/// A start tag with its attributes; names are in lower case, of two attributes with one name the first counts.
struct HTMLTag {
    let name: String
    var attributes: [(name: String, value: String)] = []

    subscript(name: String) -> String? {
        attributes.first { $0.name.spells(name) }?.value
    }

    /// Whether one of the words of `rel` is a relation that leads to a service description.
    var announcesService: Bool {
        guard let relations = self["rel"] else { return false }
        return relations.utf8.split { $0 == 0x20 || $0 >= 0x09 && $0 <= 0x0D }.contains { word in
            ["serviceapi", "edituri"].contains(where: word.lowercasedText.spells)
        }
    }
}

/// Finds start tags as browsers do: not in comments, declarations, nor in the text of scripts, styles, titles and text
/// areas.
///
/// Linear in the page: the position only moves on, and what is searched for and not found ends the page.
struct HTMLScanner {
    private let bytes: [UInt8]
    private var position = 0
    /// The element whose end alone ends the raw text that the position is in.
    private var rawText: String?

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    private func lies(_ token: String) -> Bool {
        bytes[position...].starts(with: token.utf8) { ASCII.lowercased($0) == $1 }
    }

    /// Moves behind the next occurrence of a token, or to the end.
    private mutating func skip(behind token: String) {
        guard let first = token.utf8.first else { return }
        while let byte {
            if byte == first && lies(token) {
                position += token.utf8.count
                return
            }
            position += 1
        }
    }

    mutating func nextTag() -> HTMLTag? {
        if let name = rawText {
            rawText = nil
            skip(behind: "</" + name)
        }
        while true {
            _ = take { $0 != UInt8(ascii: "<") }
            guard position < bytes.count else { return nil }
            if lies("<!--") {
                position += 4
                // These two are comments too.
                if lies(">") || lies("->") { skip(behind: ">") } else { skip(behind: "-->") }
            } else if position + 1 < bytes.count, ASCII.isLetter(bytes[position + 1]) {
                position += 1
                // The page's end cuts off what is not a tag then.
                guard let tag = tag() else { return nil }
                if ["script", "style", "textarea", "title", "template"].contains(where: tag.name.spells) {
                    rawText = tag.name
                }
                return tag
            } else if position + 1 < bytes.count,
                [UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "/")].contains(bytes[position + 1])
            {
                skip(behind: ">")
            } else {
                position += 1
            }
        }
    }

    private mutating func take(while holds: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let byte, holds(byte) { position += 1 }
        return bytes[start..<position]
    }

    private mutating func tag() -> HTMLTag? {
        func endsName(_ byte: UInt8) -> Bool {
            Self.isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
        }
        var tag = HTMLTag(name: take { !endsName($0) }.lowercasedText)
        while true {
            _ = take { Self.isSpace($0) || $0 == UInt8(ascii: "/") }
            guard let byte else { return nil }
            let start = position
            position += 1
            if byte == UInt8(ascii: ">") { return tag }
            // An equals sign in the place of a name is the name; behind any other character it ends the name.
            if byte != UInt8(ascii: "=") { _ = take { !endsName($0) && $0 != UInt8(ascii: "=") } }
            let name = byte == UInt8(ascii: "=") ? "" : bytes[start..<position].lowercasedText
            let value = attributeValue()
            if tag.attributes.count < 64 && tag[name] == nil { tag.attributes.append((name, value)) }
        }
    }

    private mutating func attributeValue() -> String {
        let behindName = position
        _ = take(while: Self.isSpace)
        guard byte == UInt8(ascii: "=") else {
            position = behindName
            return ""
        }
        position += 1
        _ = take(while: Self.isSpace)
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return HTMLReferences.resolved(take { !Self.isSpace($0) && $0 != UInt8(ascii: ">") })
        }
        position += 1
        let value = HTMLReferences.resolved(take { $0 != quote })
        if byte != nil { position += 1 }
        return value
    }
}

/// Character references in attribute values: numeric ones, and those names that occur in URLs and titles.
enum HTMLReferences {
    static func resolved(_ bytes: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        var rest = bytes
        while let byte = rest.first {
            if byte == UInt8(ascii: "&"), let (scalar, length) = reference(rest) {
                output.appendUTF8(scalar)
                rest = rest.dropFirst(length)
            } else {
                output.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func reference(_ bytes: ArraySlice<UInt8>) -> (scalar: UInt32, length: Int)? {
        for (name, scalar) in XMLCharacter.entities where bytes.dropFirst().starts(with: name.utf8) {
            return (scalar, 1 + name.utf8.count)
        }
        guard bytes.starts(with: "&#".utf8) else { return nil }
        var digits = bytes.dropFirst(2)
        let isHexadecimal = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
        if isHexadecimal { digits = digits.dropFirst() }
        let number = digits.prefix(8).prefix { $0 != UInt8(ascii: ";") }
        guard !number.isEmpty, bytes.indices.contains(number.endIndex), bytes[number.endIndex] == UInt8(ascii: ";"),
            let scalar = UInt32(String(decoding: number, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
            Unicode.Scalar(scalar) != nil
        else { return nil }
        return (scalar, number.endIndex + 1 - bytes.startIndex)
    }
}
