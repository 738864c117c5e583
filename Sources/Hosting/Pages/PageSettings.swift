public import Wire

/// What an edu-ID service says of itself on its pages.
public struct PageSettings: Sendable, Hashable {
    /// What people call it.
    public var name: String
    /// Where people find help, and whoever runs it.
    public var help: WebURL?
    /// The language for people whose browsers ask for none that there is.
    public var language = PageLanguage.english
    /// After how many days backups are removed, as people are told who erase their data.
    public var backupDays: Int?

    /// Pages of a service that people call so.
    public init(named name: String) { self.name = name }
}
