internal import Wire

/// A language of the pages.
public enum PageLanguage: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case italian = "it"

    /// What those call it who speak it.
    var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "Français"
        case .italian: "Italiano"
        }
    }

    /// What pages say in it.
    var words: Words {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .italian: .italian
        }
    }

    /// The language that somebody likes best among those that there are (RFC 9110 §12.5.4); `nil` for none of them.
    ///
    /// - Parameter field: what the browser says it accepts.
    init?(accepting field: String) {
        var best: (language: PageLanguage, quality: Double)?
        for range in field.split(separator: ",").prefix(32) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first?.lowercased().split(separator: "-").first,
                let language = PageLanguage(rawValue: String(tag))
            else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            let quality = weight ?? 1
            if quality > best?.quality ?? 0 { best = (language, quality) }
        }
        guard let best else { return nil }
        self = best.language
    }
}
