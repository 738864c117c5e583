import Wire

/// The members of a service that the information model knows, by their names in documents.
enum ServiceMember {
    case engineName, engineID, engineLink, homePageLink, homePageIcon, apis, authorization

    /// The member of this name, compared as bytes; the length decides first, because this is asked for every member of
    /// a document.
    init?(_ name: String) {
        switch name.utf8.count {
        case 4 where name.spells("apis"): self = .apis
        case 8 where name.spells("engineId"): self = .engineID
        case 10 where name.spells("engineName"): self = .engineName
        case 10 where name.spells("engineLink"): self = .engineLink
        case 12 where name.spells("homePageLink"): self = .homePageLink
        case 12 where name.spells("homePageIcon"): self = .homePageIcon
        case 13 where name.spells("authorization"): self = .authorization
        default: return nil
        }
    }
}

/// The members of a protocol that the information model knows, by their names in documents.
enum APIMember {
    case apiLink, apiVersion, engineID, preferred, transport, docs, description, notes, settings, authorization

    /// The member of this name, compared as bytes.
    init?(_ name: String) {
        switch name.utf8.count {
        case 4 where name.spells("docs"): self = .docs
        case 5 where name.spells("notes"): self = .notes
        case 7 where name.spells("apiLink"): self = .apiLink
        case 8 where name.spells("settings"): self = .settings
        case 8 where name.spells("engineId"): self = .engineID
        case 9 where name.spells("preferred"): self = .preferred
        case 9 where name.spells("transport"): self = .transport
        case 10 where name.spells("apiVersion"): self = .apiVersion
        case 11 where name.spells("description"): self = .description
        case 13 where name.spells("authorization"): self = .authorization
        default: return nil
        }
    }
}

extension String {
    /// Whether both are the same bytes; `JSON.Name` compares them in one go, which `elementsEqual` on their views does
    /// not.
    @inline(__always)
    func spells(_ word: String) -> Bool {
        utf8.count == word.utf8.count && JSON.Name(self) == JSON.Name(word)
    }

    /// The text without the white space around it, or nothing where there is none around it.
    var trimmed: String? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }
        guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else { return nil }
        let start = utf8.firstIndex { !isSpace($0) } ?? utf8.endIndex
        let end = utf8.lastIndex { !isSpace($0) }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}

extension Bool {
    /// `Yes` and `true`, `No` and `false`, in any case.
    init?(choice text: String) {
        let folded = text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        if folded.elementsEqual("yes".utf8) || folded.elementsEqual("true".utf8) {
            self = true
        } else if folded.elementsEqual("no".utf8) || folded.elementsEqual("false".utf8) {
            self = false
        } else {
            return nil
        }
    }
}
