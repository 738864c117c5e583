/// Markup that is well-formed as XML too: what comes in as text goes out as text, whatever is in it (OPS-17).
struct HTML: Sendable {
    /// As it is sent.
    private(set) var markup: String

    private init(markup: String) { self.markup = markup }

    /// Text.
    init(_ text: String) { markup = Self.escaped(text) }

    /// Nothing.
    static let nothing = HTML(markup: "")

    /// An element; attributes without a value are left out.
    ///
    /// - Parameter name: a name that may have content.
    static func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
        @Builder _ content: () -> HTML = { .nothing }
    ) -> HTML {
        HTML(markup: "<\(name)\(written(attributes))>\(content().markup)</\(name)>")
    }

    /// An element that never has content, such as `input`.
    static func void(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) -> HTML {
        HTML(markup: "<\(name)\(written(attributes))/>")
    }

    /// A whole page.
    static func page(_ root: HTML) -> [UInt8] { Array(("<!DOCTYPE html>\n" + root.markup + "\n").utf8) }

    /// One after the other.
    static func joined(_ parts: [HTML]) -> HTML { HTML(markup: parts.map { $0.markup }.joined()) }

    private static func written(_ attributes: KeyValuePairs<StaticString, String?>) -> String {
        var text = ""
        for (name, value) in attributes {
            if let value { text += " \(name)=\"\(escaped(value))\"" }
        }
        return text
    }

    /// A text as markup: without what would be markup, and without what no markup may have.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case "\n": escaped.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Puts parts one after the other.
    @resultBuilder
    enum Builder {
        static func buildExpression(_ part: HTML) -> HTML { part }
        static func buildExpression(_ text: String) -> HTML { HTML(text) }
        static func buildBlock(_ parts: HTML...) -> HTML { .joined(parts) }
        static func buildOptional(_ part: HTML?) -> HTML { part ?? .nothing }
        static func buildEither(first part: HTML) -> HTML { part }
        static func buildEither(second part: HTML) -> HTML { part }
        static func buildArray(_ parts: [HTML]) -> HTML { .joined(parts) }
    }
}

// MARK: - Elements that come often

extension HTML {
    /// A paragraph.
    static func paragraph(_ text: String, class name: String? = nil) -> HTML {
        .element("p", ["class": name]) { text }
    }

    /// A name that somebody else chose: what direction its letters run in changes nothing around it.
    static func name(_ text: String) -> HTML { .element("bdi") { text } }

    /// A field that nobody sees.
    static func hidden(_ name: String, _ value: String) -> HTML {
        .void("input", ["type": "hidden", "name": name, "value": value])
    }

    /// A field with its label.
    static func field(
        _ name: String, _ label: String, type: String = "text", value: String? = nil, completion: String? = nil,
        isRequired: Bool = true, limit: Int? = nil
    ) -> HTML {
        .element("p", ["class": "field"]) {
            HTML.element("label", ["for": name]) { label }
            HTML.void(
                "input",
                [
                    "id": name, "name": name, "type": type, "value": value, "autocomplete": completion,
                    "required": isRequired ? "required" : nil, "maxlength": limit.map { "\($0)" },
                    "autocapitalize": "none", "spellcheck": "false",
                ])
        }
    }

    /// A table with a heading for each column; on narrow screens each row stands by itself, with headings of its own,
    /// and stays a row to whom it is read out.
    static func table(_ caption: String, _ headings: [String], _ rows: [[HTML]]) -> HTML {
        .element("table", ["role": "table"]) {
            HTML.element("caption", ["class": "unseen"]) { caption }
            HTML.element("thead", ["role": "rowgroup"]) {
                HTML.element("tr", ["role": "row"]) {
                    for heading in headings {
                        HTML.element("th", ["scope": "col", "role": "columnheader"]) { heading }
                    }
                }
            }
            HTML.element("tbody", ["role": "rowgroup"]) {
                for row in rows {
                    HTML.element("tr", ["role": "row"]) {
                        for (heading, cell) in zip(headings, row) {
                            HTML.element("td", ["role": "cell", "data-heading": heading]) { cell }
                        }
                    }
                }
            }
        }
    }
}
