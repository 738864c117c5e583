extension HTTP {
    /// A cookie that browsers give back to the host that set it and to no other, over TLS alone, whatever the path: so
    /// the prefix of its name makes them do (RFC 6265bis §4.1.3.2).
    package struct Cookie: Hashable, Sendable {
        /// The name, prefix and all.
        package let name: String

        /// A cookie of a name of letters.
        package init(_ name: StaticString) { self.name = "__Host-\(name)" }

        /// The most bytes of a value that are read.
        package static let valueLimit = 2_048
    }
}

extension HTTP.Request {
    /// How often a request bears a cookie, and its value where that is once.
    ///
    /// Only values of unreserved characters are read, because no others are written.
    package func value(of cookie: HTTP.Cookie) -> HTTP.Occurrence<String> {
        let pairs = fields.values(of: .cookie).flatMap { $0.split(separator: ";") }
        return HTTP.Occurrence(
            pairs.lazy.compactMap { pair -> String? in
                let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard words.count == 2, words[0].drop(while: { $0 == " " }).utf8.elementsEqual(cookie.name.utf8) else {
                    return nil
                }
                let value = words[1].utf8
                guard value.count <= HTTP.Cookie.valueLimit, value.allSatisfy({ ASCII.isUnreserved($0) }) else {
                    return ""
                }
                return String(words[1])
            })
    }
}

extension HTTP.Response {
    /// Sets a cookie that no script reads and that other sites' forms do not bring along.
    ///
    /// - Parameters:
    ///   - value: unreserved characters; what has others is not set.
    ///   - lifetime: how long the browser keeps it; until it is closed, where nothing is said.
    package mutating func set(_ cookie: HTTP.Cookie, to value: String, for lifetime: Duration? = nil) {
        guard value.utf8.count <= HTTP.Cookie.valueLimit, value.utf8.allSatisfy({ ASCII.isUnreserved($0) }) else {
            return
        }
        let age = lifetime.map { "; Max-Age=\($0.components.seconds)" } ?? ""
        try? fields.append(.setCookie, "\(cookie.name)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax" + age)
    }

    /// Has the browser forget a cookie.
    package mutating func remove(_ cookie: HTTP.Cookie) { set(cookie, to: "", for: .zero) }
}

extension HTTP.Field.Name {
    /// RFC 6265 §4.2.
    static let cookie = Self(text: "Cookie")
    /// RFC 6265 §4.1.
    static let setCookie = Self(text: "Set-Cookie")
}
