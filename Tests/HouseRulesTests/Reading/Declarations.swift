/// A declaration as its signature alone, with the access that the source states.
struct Declaration {
    /// The type, protocol or extension that it stands in, as a path (`JSON.Value`); empty at the top of a file.
    var container: String
    /// The condition of the extension that it stands in (`where Element == UInt8`), or empty.
    var condition: String
    /// `struct`, `func`, `case` and so on.
    var keyword: String
    /// Its name; the extended type for an extension, empty for initializers and subscripts.
    var name: String
    /// The signature on one line: attributes that callers can see, modifiers, keyword, name, types, default values.
    var signature: String
    /// Whether it says `public` or `open` itself, or stands where that is the default.
    var isPublic: Bool
    /// The types named after the colon of an extension.
    var conformances: [String] = []

    /// The path under which a type's members are found.
    var path: String { container.isEmpty ? name : container + "." + name }
}

/// Every declaration at type or file level in the source; function bodies are not entered.
func declarations(in tokens: [Token]) -> [Declaration] {
    var scanner = DeclarationScanner(tokens: tokens)
    scanner.readMembers(of: Scope())
    return scanner.found
}

/// What members take over from the declaration around them.
private struct Scope {
    var path = ""
    var condition = ""
    var isPublicByDefault = false
    /// Whether members are requirements, which other modules have to meet and which cannot be added without breaking
    /// them.
    var isProtocol = false
}

private struct DeclarationScanner {
    var found: [Declaration] = []
    private let tokens: [Token]
    private var index = 0

    init(tokens: [Token]) {
        self.tokens = tokens
    }

    private static let types: Set<String> = ["struct", "enum", "class", "protocol", "actor", "extension"]
    private static let accesses: Set<String> = ["public", "open", "internal", "package", "fileprivate", "private"]
    private static let modifiers: Set<String> = [
        "static", "class", "final", "mutating", "nonmutating", "consuming", "borrowing", "override", "required",
        "convenience", "lazy",
        "weak",
        "unowned", "nonisolated", "indirect", "prefix", "postfix", "infix", "dynamic", "optional", "isolated",
        "distributed",
    ]
    private static let withoutBody: Set<String> = [
        "typealias", "associatedtype", "operator", "precedencegroup", "import",
    ]
    /// Attributes that only the optimizer sees.
    private static let invisible: Set<String> = [
        "inlinable", "inline", "usableFromInline", "_transparent", "_specialize", "_optimize", "specialize",
    ]
    private static let continuing: Set<String> = [
        "->", ",", ":", "=", "&", "where", "throws", "rethrows", "async", "==", ".", "?", "||", "&&", "+",
    ]

    private var current: Token? { index < tokens.count ? tokens[index] : nil }

    private func isAt(_ text: String) -> Bool { current?.text == text && current?.kind != .literal }

    // MARK: Members

    mutating func readMembers(of scope: Scope) {
        while let token = current, !isAt("}") {
            if token.kind == .directive {
                skipLine()
            } else if !readDeclaration(in: scope) {
                if isAt("{") { skipBalanced() } else { index += 1 }
            }
        }
    }

    private mutating func skipLine() {
        repeat { index += 1 } while current.map { !$0.startsLine } == true
    }

    /// Moves past the bracket at the index and all it encloses.
    private mutating func skipBalanced() {
        var depth = 0
        repeat {
            if isAt("(") || isAt("[") || isAt("{") { depth += 1 }
            if isAt(")") || isAt("]") || isAt("}") { depth -= 1 }
            index += 1
        } while depth > 0 && index < tokens.count
    }

    /// Reads one declaration with its prefix; answers whether one began here.
    private mutating func readDeclaration(in scope: Scope) -> Bool {
        let start = index
        var prefix: [String] = []
        var access: String?
        while let token = current {
            if token.text == "@" {
                let attribute = index
                index += 2
                if isAt("("), current?.spaced == false { skipBalanced() }
                if !Self.invisible.contains(tokens[attribute + 1].text) { prefix.append(render(attribute..<index)) }
            } else if Self.accesses.contains(token.text) {
                index += 1
                if isAt("(") { skipBalanced() } else { access = token.text }
            } else if Self.modifiers.contains(token.text), !declaresClass() {
                let modifier = index
                index += 1
                if isAt("(") { skipBalanced() }
                prefix.append(render(modifier..<index))
            } else {
                break
            }
        }
        let isPublic = access.map { $0 == "public" || $0 == "open" } ?? scope.isPublicByDefault
        if access == "open" { prefix.append("open") }
        guard let keyword = current?.text, current?.kind == .word else {
            index = start
            return false
        }
        let isNarrowed = tokens[start..<index].indices.contains { position in
            position + 2 < index && Self.accesses.contains(tokens[position].text) && tokens[position + 1].text == "("
                && !["public", "open"].contains(tokens[position].text)
        }
        switch keyword {
        case _ where Self.types.contains(keyword):
            readType(keyword, prefix: prefix, isPublic: isPublic, access: access, in: scope)
        case "var", "let":
            readProperties(prefix: prefix, isPublic: isPublic, isWritable: keyword == "var" && !isNarrowed, in: scope)
        case "subscript":
            readSubscript(prefix: prefix, isPublic: isPublic, isNarrowed: isNarrowed, in: scope)
        case "case":
            readCases(prefix: prefix, isPublic: isPublic, in: scope)
        case "func", "init", "deinit":
            readFunction(keyword, prefix: prefix, isPublic: isPublic, in: scope)
        case _ where Self.withoutBody.contains(keyword):
            let from = index
            skipSignature(stoppingAt: ["{"])
            if keyword != "import" {
                add(keyword, name: tokens[from + 1].text, prefix + [render(from..<index)], isPublic, in: scope)
            }
            if isAt("{") { skipBalanced() }
        default:
            index = start
            return false
        }
        return true
    }

    /// `class` opens a class unless another declaration follows, of which it is a modifier.
    private func declaresClass() -> Bool {
        guard isAt("class"), index + 1 < tokens.count else { return false }
        let members: Set<String> = ["func", "var", "let", "subscript"]
        return !members.union(Self.modifiers).union(Self.accesses).contains(tokens[index + 1].text)
    }

    private mutating func add(_ keyword: String, name: String, _ signature: [String], _ isPublic: Bool, in scope: Scope)
    {
        let text = (scope.isProtocol ? ["requirement"] : []) + signature
        found.append(
            Declaration(
                container: scope.path, condition: scope.condition, keyword: keyword, name: name,
                signature: text.joined(separator: " "),
                isPublic: isPublic
            )
        )
    }

    // MARK: Types and extensions

    private mutating func readType(
        _ keyword: String, prefix: [String], isPublic: Bool, access: String?, in scope: Scope
    ) {
        let start = index
        index += 1
        let nameStart = index
        var nameEnd: Int?
        var inherited: Int?
        var condition: Int?
        var angles = 0
        while let token = current, token.text != "{" {
            if angles == 0, token.text == ":", inherited == nil, condition == nil { inherited = index }
            if angles == 0, token.text == "where" { condition = index }
            let endsName = [":", "where"].contains(token.text) || (token.text.hasPrefix("<") && keyword != "extension")
            if angles == 0, endsName, nameEnd == nil { nameEnd = index }
            angles += balance(token)
            index += 1
        }
        let name = render(nameStart..<(nameEnd ?? index))
        let conformances =
            inherited.map { render(($0 + 1)..<(condition ?? index)).split(separator: ", ").map(String.init) } ?? []
        let signature = prefix + [render(start..<index)]
        add(keyword, name: name, signature, isPublic, in: scope)
        found[found.count - 1].conformances = conformances
        if keyword == "extension" { found[found.count - 1].isPublic = access != "private" && access != "fileprivate" }
        var inner = Scope()
        inner.path = keyword == "extension" || scope.path.isEmpty ? name : scope.path + "." + name
        inner.condition = keyword == "extension" ? condition.map { render($0..<index) } ?? "" : ""
        inner.isProtocol = keyword == "protocol"
        inner.isPublicByDefault = isPublic && ["extension", "protocol"].contains(keyword)
        index += 1
        readMembers(of: inner)
        index += 1
    }

    // MARK: Functions, initializers, subscripts

    private mutating func readFunction(_ keyword: String, prefix: [String], isPublic: Bool, in scope: Scope) {
        let start = index
        let name = keyword == "func" ? tokens[start + 1].text : ""
        index += keyword == "func" ? 2 : 1
        skipSignature(stoppingAt: ["{"])
        if keyword != "deinit" { add(keyword, name: name, prefix + [render(start..<index)], isPublic, in: scope) }
        if isAt("{") { skipBalanced() }
    }

    private mutating func readSubscript(prefix: [String], isPublic: Bool, isNarrowed: Bool, in scope: Scope) {
        let start = index
        index += 1
        skipSignature(stoppingAt: ["{"])
        let signature = render(start..<index)
        let accessors = isAt("{") ? readAccessors(isWritable: false, isNarrowed: isNarrowed) : "{ get }"
        add("subscript", name: "", prefix + [signature, accessors], isPublic, in: scope)
    }

    private mutating func readCases(prefix: [String], isPublic: Bool, in scope: Scope) {
        repeat {
            index += 1
            let start = index
            skipSignature(stoppingAt: [","])
            // A case is as public as its enum: the container's own access decides.
            add("case", name: tokens[start].text, prefix + ["case", render(start..<index)], true, in: scope)
        } while isAt(",")
    }

    // MARK: Properties

    private mutating func readProperties(prefix: [String], isPublic: Bool, isWritable: Bool, in scope: Scope) {
        repeat {
            index += 1
            let start = index
            if isAt("(") { skipBalanced() } else { index += 1 }
            let name = render(start..<index)
            let hasType = isAt(":")
            skipSignature(stoppingAt: ["{", "=", ","])
            var declared = render(start..<index)
            if isAt("=") {
                let value = index
                skipSignature(stoppingAt: [","])
                // Only where no type is stated does the value tell what the type is.
                if !hasType { declared += " " + render(value..<index) }
            }
            let accessors =
                isAt("{")
                ? readAccessors(isWritable: isWritable, isNarrowed: !isWritable)
                : isWritable ? "{ get set }" : "{ get }"
            add("var", name: name, prefix + ["var", declared, accessors], isPublic, in: scope)
        } while isAt(",")
    }

    /// Reads the braces after a property or subscript and says what callers may do with it.
    private mutating func readAccessors(isWritable: Bool, isNarrowed: Bool) -> String {
        let start = index
        skipBalanced()
        var depth = 0
        var words: [String] = []
        var getter: Int?
        for position in start..<index {
            let token = tokens[position]
            if depth == 1, token.kind == .word { words.append(token.text) }
            if depth == 1, token.text == "get", getter == nil { getter = position }
            if ["(", "[", "{"].contains(token.text) { depth += 1 }
            if [")", "]", "}"].contains(token.text) { depth -= 1 }
        }
        let opening = [
            "get", "set", "willSet", "didSet", "_read", "_modify", "mutating", "nonmutating", "borrowing",
            "unsafeAddress",
        ]
        let isExplicit = words.first.map(opening.contains) ?? false
        let observed = isExplicit && words.contains { $0 == "willSet" || $0 == "didSet" }
        let writes = isExplicit && words.contains { ["set", "_modify", "unsafeMutableAddress"].contains($0) }
        var reading = "get"
        if isExplicit, let getter {
            var end = getter + 1
            while end < index, !["{", "}", "set"].contains(tokens[end].text), !tokens[end].startsLine { end += 1 }
            reading = render(getter..<end)
        }
        return (writes || observed) && !isNarrowed ? "{ \(reading) set }" : "{ \(reading) }"
    }

    // MARK: Extents

    /// How a token changes the depth of angle brackets.
    private func balance(_ token: Token) -> Int {
        guard token.kind == .symbol, token.text != "->", token.text.contains(where: { $0 == "<" || $0 == ">" }) else {
            return 0
        }
        return token.text.reduce(0) { $1 == "<" ? $0 + 1 : $1 == ">" ? $0 - 1 : $0 }
    }

    /// Whether a signature goes on around a token; the question mark of an optional type ends it, that of a choice does
    /// not.
    private func continues(_ token: Token) -> Bool {
        Self.continuing.contains(token.text) && (token.text != "?" || token.spaced)
    }

    /// Moves to the end of a signature or expression: a stop outside of brackets, a closing brace, or a line that does
    /// not go on.
    private mutating func skipSignature(stoppingAt stops: Set<String>) {
        let start = index
        var angles = 0
        while let token = current {
            if token.text == "}" || token.text == ";" || token.kind == .directive { return }
            if angles <= 0, stops.contains(token.text), token.kind != .literal { return }
            let goesOn = continues(token) || (index > 0 && continues(tokens[index - 1]))
            if index > start, token.startsLine, !goesOn { return }
            if ["(", "[", "{"].contains(token.text) {
                skipBalanced()
            } else {
                angles += balance(token)
                index += 1
            }
        }
    }

    /// The tokens on one line, spaced as in the source, without the blanks that line breaks leave inside brackets.
    private func render(_ range: Range<Int>) -> String {
        var text = ""
        for position in range {
            let token = tokens[position]
            let closes = [")", "]"].contains(token.text)
            let opened = position > range.lowerBound && ["(", "["].contains(tokens[position - 1].text)
            if closes, text.hasSuffix(",") { text.removeLast() }
            if position > range.lowerBound, token.spaced, !closes, !opened { text += " " }
            text += token.text
        }
        return text
    }
}
