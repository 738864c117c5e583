internal import Wire

/// What a browser is called among the devices of its user.
enum BrowserName {
    /// Names that stand in what browsers say about themselves; what many pretend to be comes last.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"),
        ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Chromium", "Chromium"), ("Safari", "Safari"),
        ("curl", "curl"),
    ]
    private static let systems = [
        ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "Mac"),
        ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    /// A name such as 'Firefox, Windows'.
    static func text(of request: HTTP.Request) -> String {
        guard let name = try? HTTP.Field.Name(parsing: "User-Agent"), let told = request.fields.value(of: name).value
        else { return "Browser" }
        let found = [browsers, systems].compactMap { list in list.first { told.contains($0.0) }?.1 }
        return found.isEmpty ? "Browser" : found.joined(separator: ", ")
    }
}
