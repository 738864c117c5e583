extension JSON {
    /// Where a value lies in its document, as people read it: `$.cnf.jwk.kty`, `$.keys[2]`,
    /// `$.apis["org.ietf.oauth2"]`.
    public struct Path: Sendable, CustomStringConvertible, Hashable, ExpressibleByStringLiteral {
        /// The path from the root, `$`; names that are not plain words stand in brackets, quoted as JSON strings.
        public let description: String
    }
}

extension JSON.Path {
    /// The path of the whole document.
    static let root = JSON.Path(description: "$")

    /// The most characters of one name that a path shows; names come from outside, and a message should stay a message.
    private static let widestName = 64

    /// The path of a member of the object here.
    func member(_ name: JSON.Name) -> JSON.Path {
        let scalars = name.text.unicodeScalars
        guard scalars.dropFirst(JSON.Path.widestName).isEmpty else {
            return member(JSON.Name(String(String.UnicodeScalarView(scalars.prefix(JSON.Path.widestName - 1))) + "…"))
        }
        let isWord = name.text.utf8.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        guard isWord, !name.text.isEmpty else {
            return JSON.Path(description: description + "[" + JSON.string(name.text).encodedString() + "]")
        }
        return JSON.Path(description: description + "." + name.text)
    }

    /// The path of an element of the array here.
    func element(_ position: Int) -> JSON.Path {
        JSON.Path(description: description + "[\(position)]")
    }
}

extension JSON.Path {
    /// A path in its written form.
    public init(stringLiteral description: String) {
        self.init(description: description)
    }

    /// Whether both are written with the same bytes.
    public static func == (left: JSON.Path, right: JSON.Path) -> Bool {
        left.description.spells(right.description)
    }

    /// Feeds the bytes of the written form.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(description))
    }
}
