import Foundation
import Hosting
import RSD2
import Wire

/// The services of a federation, as its edu-ID service lists them.
enum ServiceCommands {
    static let command = Command(
        name: "service", abstract: "Services of the federation: list, add, allow, release, remove.",
        subcommands: [
            Administering.listing("services", "Show the services, and how much lives at each."), add,
            adding("allow", "hosts", "Let a service's description lie on another host too.", "a host", "may lie there"),
            adding(
                "release", "releases", "Have a service learn another attribute of its users.", "an attribute",
                "learns it"),
            remove,
        ])

    private static let url = Argument(name: "url", kind: .text, abstract: "The URL of the service's home page.")
    private static let release = Option(
        name: "release", value: "attribute", abstract: "What the service learns about users, such as email.",
        isRepeated: true)
    private static let host = Option(
        name: "host", value: "name", abstract: "Another host on which its description may lie.", isRepeated: true)
    private static let common = Option(
        name: "common-names", abstract: "Know users by names that other services know as well.")

    private static let add = Command(
        name: "add", abstract: "Take a service into the federation.", arguments: [Running.folder, url],
        options: [release, host, common],
        discussion: """
            It is written into the file that 'services' names in the configuration, which the party
            reads anew; then its description is read.
            """
    ) { (invocation, console) throws(Failure) in
        var roster = try roster(invocation, console)
        let home = try Failure.refusing("the URL", try ServiceURL(parsing: try invocation.required(url))).identity
        guard roster.place(of: home) == nil else { throw .refused("'\(home)' is listed already") }
        var entry: JSON.Object = ["url": .string(home)]
        let (releases, hosts) = (invocation.all(release), invocation.all(host))
        if !releases.isEmpty { entry["releases"] = .array(releases.map { .string($0) }) }
        if !hosts.isEmpty { entry["hosts"] = .array(hosts.map { .string($0) }) }
        if invocation.has(common) { entry["users"] = "common" }
        roster.add(entry)
        try roster.save(&console, "'\(home)' belongs to the federation.")
        try crawl(roster.configuration)
    }

    private static let remove = Command(
        name: "remove", abstract: "Take a service out of the federation.", arguments: [Running.folder, url],
        discussion: """
            Nobody is introduced to it any more. What it was given before lives until it ends there
            or is ended: sign people out, or have the service end it.
            """
    ) { (invocation, console) throws(Failure) in
        var roster = try roster(invocation, console)
        roster.remove(at: try place(in: roster, invocation))
        try roster.save(&console, "'\(try invocation.required(url))' does not belong to the federation any more.")
    }

    private static func adding(
        _ word: String, _ member: JSON.Name, _ abstract: String, _ what: String, _ outcome: String
    ) -> Command {
        let value = Argument(name: "name", kind: .text, abstract: "The name of \(what).")
        return Command(name: word, abstract: abstract, arguments: [Running.folder, url, value]) {
            (invocation, console) throws(Failure) in
            var roster = try roster(invocation, console)
            let (place, text) = (try place(in: roster, invocation), try invocation.required(value))
            guard roster.add(text, to: member, at: place) else { throw .refused("'\(text)' is there already") }
            try roster.save(&console, "'\(text)': the service \(outcome).")
            try crawl(roster.configuration)
        }
    }

    // MARK: parts

    private static func roster(_ invocation: Invocation, _ console: Console) throws(Failure) -> Roster {
        try console.meet()
        let configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        let path = try configuration.eduID(for: "the services").services
        return try Roster("services", in: path, of: configuration, console)
    }

    private static func place(in roster: Roster, _ invocation: Invocation) throws(Failure) -> Int {
        let text = try invocation.required(url)
        let home = try Failure.refusing("the URL", try ServiceURL(parsing: text)).identity
        guard let place = roster.place(of: home) else { throw .refused("'\(home)' is not listed") }
        return place
    }

    private static func crawl(_ configuration: Configuration) throws(Failure) {
        let office = try Office(of: configuration)
        if office.isOpen { try office.run("crawl") }
    }
}

extension Roster {
    /// The place of a service, however its URL is written in the file.
    fileprivate func place(of home: String) -> Int? {
        entries.firstIndex { entry in
            guard let text = entry["url"]?.string, let url = try? ServiceURL(parsing: text) else { return false }
            return url.identity.spells(home)
        }
    }
}
