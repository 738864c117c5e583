import Federation
import Foundation
import RSD2
import Wire

/// A file that lists what a federation consists of, services or versions of the app: it is written anew below its own
/// words, and only if the party takes it (OPS-13).
struct Roster {
    /// What is listed: the name of the list.
    let name: String
    let path: String
    let configuration: Configuration
    private(set) var entries: [JSON.Object]
    /// What stands above the list, which is people's.
    private let head: String
    private let former: [UInt8]

    init(_ name: String, in path: String, of configuration: Configuration, _ console: Console) throws(Failure) {
        (self.name, self.path, self.configuration) = (name, path, configuration)
        former = try console.read(path)
        let members = try Configuration.members(of: path, console)
        entries = (members[JSON.Name(name)]?.array ?? []).compactMap { $0.object }
        let lines = String(decoding: former, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        head = lines.prefix { !$0.hasPrefix(name + ":") }.map { $0 + "\n" }.joined()
    }

    /// Adds an entry.
    mutating func add(_ entry: JSON.Object) { entries.append(entry) }

    mutating func remove(at place: Int) { entries.remove(at: place) }

    /// Adds a text to a list of an entry; answers whether it was not there yet.
    mutating func add(_ text: String, to member: JSON.Name, at place: Int) -> Bool {
        var list = entries[place][member]?.array ?? entries[place][member].map { [$0] } ?? []
        guard !list.contains(where: { $0.string?.spells(text) ?? false }) else { return false }
        list.append(.string(text))
        entries[place][member] = .array(list)
        return true
    }

    /// Writes the list, has it checked as the party would read it, and has the party at work read it; what is refused
    /// is undone.
    func save(_ console: inout Console, _ words: String) throws(Failure) {
        // JSON is YAML, and says what has to be quoted.
        let list = entries.map { "  - " + JSON.object($0).encodedString() + "\n" }.joined()
        let text = head + name + (entries.isEmpty ? ": []\n" : ":\n" + list)
        try console.store(Array(text.utf8), path, .shared, true)
        do throws(Failure) {
            try configuration.checkLists(console)
            let office = try Office(of: configuration)
            guard office.isOpen else {
                return console.say(words + " The party is not at work; it will read it.")
            }
            try office.run("reload")
        } catch {
            try console.store(former, path, .shared, true)
            throw error
        }
        console.say(words)
    }
}

extension Configuration {
    /// What only an edu-ID service has, or why this is none.
    func eduID(for what: String) throws(Failure) -> EduID {
        guard case .eduID(let eduID) = role else {
            throw .refused("'\(folder)' is a service of a federation; its edu-ID service lists \(what)")
        }
        return eduID
    }

    /// Refuses lists that the party would refuse.
    fileprivate func checkLists(_ console: Console) throws(Failure) {
        let eduID = try eduID(for: "services and versions")
        _ = try eduID.party(self, knowing: .init(), users: .init(), console)
    }
}
