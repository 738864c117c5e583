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
