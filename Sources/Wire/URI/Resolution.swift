extension URI.Reference {
    /// The target of a reference that was found in a document whose own URI this is (RFC 3986 §5.2, strict).
    package func resolve(_ reference: URI.Reference) throws(URI.Rejection) -> URI.Reference {
        guard let baseScheme = layout.scheme else { throw .relativeBase }
        let other = reference.layout
        func theirs(_ range: Range<Int>?) -> ArraySlice<UInt8>? { range.map { reference.bytes[$0] } }
        let path = reference.bytes[other.path]
        let isOwnPlace = other.scheme != nil || other.authority != nil
        let isSamePath = !isOwnPlace && path.isEmpty
        let isWholePath = isOwnPlace || path.first == UInt8(ascii: "/")
        return try URI.Reference(
            scheme: theirs(other.scheme) ?? bytes[baseScheme],
            authority: isOwnPlace ? theirs(other.authority) : layout.authority.map { bytes[$0] },
            path: isSamePath
                ? [UInt8](bytes[layout.path]) : Self.removingDotSegments(isWholePath ? path : merged(path)[...]),
            query: theirs(other.query) ?? (isSamePath ? layout.query.map { bytes[$0] } : nil),
            fragment: theirs(other.fragment))
    }

    /// The normal form by case, percent-encoding and, where the path is absolute, dot segments (RFC 3986 §6.2.2).
    package func normalized() -> URI.Reference {
        var path = PercentEncoding.normalized(bytes[layout.path])
        if layout.scheme != nil, path.first == UInt8(ascii: "/") { path = Self.removingDotSegments(path[...]) }
        var authority: [UInt8]?
        if let host = layout.host {
            let user = layout.userInformation.map { PercentEncoding.normalized(bytes[$0]) + [UInt8(ascii: "@")] }
            authority =
                (user ?? []) + PercentEncoding.normalized(bytes[host], lowercasing: true)
                + bytes[host.upperBound..<layout.path.lowerBound]
        }
        let form = try? URI.Reference(
            scheme: layout.scheme.map { bytes[$0].map(ASCII.lowercased)[...] }, authority: authority?[...], path: path,
            query: layout.query.map { PercentEncoding.normalized(bytes[$0])[...] },
            fragment: layout.fragment.map { PercentEncoding.normalized(bytes[$0])[...] })
        // Only a path such as "/.//x" without an authority has no form without its dot segments.
        return form ?? self
    }

    /// Composes the components (RFC 3986 §5.3).
    private init(
        scheme: ArraySlice<UInt8>?, authority: ArraySlice<UInt8>?, path: [UInt8], query: ArraySlice<UInt8>?,
        fragment: ArraySlice<UInt8>?
    ) throws(URI.Rejection) {
        if authority == nil, path.starts(with: "//".utf8) { throw .pathReadsAsAuthority }
        var text: [UInt8] = []
        if let scheme { text += scheme + [UInt8(ascii: ":")] }
        if let authority { text += "//".utf8 + authority }
        text += path
        if let query { text += [UInt8(ascii: "?")] + query }
        if let fragment { text += [UInt8(ascii: "#")] + fragment }
        try self.init(parsing: text)
    }

    /// RFC 3986 §5.2.3.
    private func merged(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let base = bytes[layout.path]
        if layout.host != nil, base.isEmpty { return [UInt8(ascii: "/")] + path }
        guard let slash = base.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8](path) }
        return [UInt8](base[...slash] + path)
    }

    /// RFC 3986 §5.2.4; each byte is written once and dropped once at most.
    static func removingDotSegments(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var output: [UInt8] = []
        output.reserveCapacity(path.count)
        var rest = path
        while let first = rest.first {
            let isRooted = first == slash
            let body = isRooted ? rest.dropFirst() : rest
            let end = body.firstIndex(of: slash) ?? body.endIndex
            switch PathSegment(body[..<end]) {
            case .ordinary:
                output += rest[..<end]
                rest = rest[end...]
            case .current where isRooted, .parent where isRooted:
                if PathSegment(body[..<end]) == .parent {
                    output.removeSubrange((output.lastIndex(of: slash) ?? 0)...)
                }
                if end == rest.endIndex { output.append(slash) }
                rest = rest[end...]
            case .current, .parent:
                rest = rest[end...].dropFirst()
            }
        }
        return output
    }
}

/// What a segment of a path does.
enum PathSegment {
    case ordinary
    /// "."
    case current
    /// ".."
    case parent

    init(_ bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 1: self = bytes.first == UInt8(ascii: ".") ? .current : .ordinary
        case 2: self = bytes.allSatisfy { $0 == UInt8(ascii: ".") } ? .parent : .ordinary
        default: self = .ordinary
        }
    }
}
