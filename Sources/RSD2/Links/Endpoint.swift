public import Wire

extension ServiceDescription {
    /// The URL under which a protocol is served, or a path below it (RSD-3, NAI-5).
    ///
    /// A protocol named `name.path` answers for the path with its own link. Otherwise the path is appended to the link
    /// of the protocol, and relative links to their base, without the merging of RFC 3986: what is appended never
    /// leaves its base.
    public func endpoint(
        for name: ProtocolName,
        path: String? = nil,
        encryption: Encryption = .required
    ) throws(LinkRejection) -> WebURL {
        guard let path, !path.isEmpty else { return try resolved(name).url(encryption) }
        if let whole = try? ProtocolName(parsing: name.text + "." + path), offers(whole) {
            return try resolved(whole).url(encryption)
        }
        let below = ExpandedLink(text: path, link: .path)
        try below.checkPath()
        return try resolved(name).appending(below).url(encryption)
    }

    private func resolved(_ name: ProtocolName) throws(LinkRejection) -> ExpandedLink {
        guard let api = self[name] else { throw .notOffered(name) }
        guard let text = api.link else { throw .missing(.apiLink(name)) }
        let link = ExpandedLink(text: text, link: .apiLink(name))
        return link.isAbsolute ? link : try base(of: link).appending(link)
    }

    /// What a relative protocol link is appended to.
    private func base(of link: ExpandedLink) throws(LinkRejection) -> ExpandedLink {
        let engine = ExpandedLink(text: engineLink, link: .engineLink)
        if engine.isAbsolute { return engine }
        guard let text = homePageLink else {
            throw .baseless(link.link, missing: engine.text.isEmpty ? .homePageLink : .engineLink)
        }
        let home = ExpandedLink(text: text, link: .homePageLink)
        guard home.isAbsolute else { throw .baseless(link.link, missing: .homePageLink) }
        return engine.text.isEmpty ? home : try home.appending(engine)
    }
}

/// A link on its way to becoming a URL.
private struct ExpandedLink {
    typealias Rejection = ServiceDescription.LinkRejection

    let text: String
    /// The link that was appended last.
    let link: ServiceDescription.Link
    /// What the text is, where something was appended.
    private let joined: WebURL?

    init(text: String, link: ServiceDescription.Link) {
        self.text = text.trimmed ?? text
        self.link = link
        joined = nil
    }

    private init(_ joined: WebURL, link: ServiceDescription.Link) {
        text = joined.text
        self.link = link
        self.joined = joined
    }

    /// Whether `://` stands in the text with no `:` and no `/` before it.
    var isAbsolute: Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }) else {
            return false
        }
        return bytes[colon...].starts(with: "://".utf8)
    }

    /// This link with a relative one behind it, one slash between them.
    func appending(_ part: ExpandedLink) throws(Rejection) -> ExpandedLink {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw .queryOrFragment(link)
        }
        try part.checkPart()
        // The base is checked by itself, because joined to the rest a fault of it could pass for one of the part.
        let base = try url(.optional)
        let below = part.text.utf8.first == UInt8(ascii: "/") ? String(part.text.dropFirst()) : part.text
        return ExpandedLink(
            try wrapping({ Rejection.malformed(part.link, $0) }, try base.appending(below)), link: part.link)
    }

    /// The URL that an absolute link is.
    func url(_ encryption: ServiceDescription.Encryption) throws(Rejection) -> WebURL {
        let url =
            if let joined { joined } else { try wrapping({ Rejection.malformed(link, $0) }, try WebURL(parsing: text)) }
        guard !PathSegments(url.path).climb else { throw .climbing(link) }
        guard encryption == .optional || url.scheme == .https || url.isLoopback else { throw .unencrypted(link) }
        return url
    }

    /// What any relative part must keep to.
    func checkPart() throws(Rejection) {
        guard !text.utf8.starts(with: "//".utf8) else { throw .authority(link) }
        guard !beginsWithActiveScheme else { throw .scheme(link) }
        let segments = PathSegments(String(text.prefix { $0 != "?" && $0 != "#" }))
        guard !segments.climb else { throw .climbing(link) }
        guard !segments.hasControl else { throw .control(link) }
    }

    /// What an app's path must keep to besides.
    func checkPath() throws(Rejection) {
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment(link) }
        guard !isAbsolute, scheme == nil else { throw .scheme(link) }
    }

    /// The scheme that a reader of URIs would see at the start.
    private var scheme: String? {
        let head = text.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard head.count < text.utf8.count, text.utf8[head.endIndex] == UInt8(ascii: ":") else { return nil }
        return head.lowercasedText
    }

    /// Appended to a base these mean nothing, but who takes the link for a URL runs what it says.
    private var beginsWithActiveScheme: Bool {
        guard let scheme else { return false }
        let active = [
            "http", "https", "javascript", "vbscript", "data", "file", "blob", "filesystem", "about", "view-source",
            "intent",
        ]
        return active.contains { $0.utf8.elementsEqual(scheme.utf8) }
    }
}

/// The segments of a path, with percent-encoding taken off until none is left: a server may decode more than once.
struct PathSegments {
    /// Whether any segment is `.` or `..`; a backslash counts as a slash, and a parameter behind `;` does not count.
    let climb: Bool
    /// Whether a control character comes to light.
    let hasControl: Bool

    init(_ path: String) {
        var bytes = Array(path.utf8)
        var passes = 0
        while let decoded = Self.decoded(bytes) {
            bytes = decoded
            passes += 1
            // Nobody encodes so often who has nothing to hide.
            guard passes < 8 else {
                climb = true
                hasControl = false
                return
            }
        }
        climb = bytes.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.contains { segment in
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            return (name.count == 1 || name.count == 2) && name.allSatisfy { $0 == UInt8(ascii: ".") }
        }
        hasControl = bytes.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// One pass of decoding, or `nil` if nothing is encoded.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "%")) else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = ASCII.hexValue(bytes[index + 1]),
                let low = ASCII.hexValue(bytes[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output.count == bytes.count ? nil : output
    }
}
