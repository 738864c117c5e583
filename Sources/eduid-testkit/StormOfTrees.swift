import TokenTree
import TokenTreeTesting
import Wire

extension Storm.Target {
    /// Trees as they are kept, altered by whoever can write the files, so that seal and chain fit all the same: each is
    /// refused, or gives a tree whose own snapshot gives it back.
    static let keptTrees: [Self] = {
        let lines = KeptTree.sample
        return [
            Self("kept tree", [KeptTree.text(of: lines)]) { bytes in
                try reread(KeptTree.sealed(KeptTree.lines(of: bytes)))
            },
            Self("rearranged tree", (0..<8).map { "\($0)" }) { bytes in
                var chance = SeededSequence(
                    seed: bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
                var changed = lines
                for _ in 0...chance.below(3) { KeptTree.rearrange(&changed, using: &chance) }
                try reread(KeptTree.sealed(changed))
            },
        ]
    }()

    /// Reads a kept tree back, and what it writes then.
    private static func reread(_ text: [UInt8]) throws {
        let tree = try restored(text)
        let snapshot = tree.snapshot().encoded()
        guard let again = try? restored(snapshot), again.snapshot().encoded() == snapshot, again.head == tree.head
        else {
            preconditionFailure(
                "a tree was restored whose snapshot cannot be read:\n\(String(decoding: text, as: UTF8.self))")
        }
    }

    private static func restored(_ text: [UInt8]) throws -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try restoration.read(text)
        return try restoration.inspected().tree
    }
}

/// A snapshot and the journal behind it, as lines without their ends.
private enum KeptTree {
    typealias Line = [UInt8]

    static func lines(of text: [UInt8]) -> [Line] { text.split(separator: UInt8(ascii: "\n")).map { Line($0) } }

    static func text(of lines: [Line]) -> String {
        lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
    }

    // MARK: What is written anew

    /// The lines with a seal over those before it, and a chain through those behind it.
    static func sealed(_ lines: [Line]) -> [UInt8] {
        var text: [UInt8] = []
        var head: Fingerprint?
        var isSealed = false
        for line in lines {
            var line = line
            let members = try? JSON.Document(parsing: line).root.members()
            if !isSealed, members?.contains("seal") == true {
                isSealed = true
                line = Array(#"{"seal":"\#(Fingerprint(of: text))"}"#.utf8)
            } else if isSealed, let members, let last = head, let next = link(members, after: last) {
                (line, head) = next
            } else if head == nil, let text = try? members?.required("head").text() {
                head = (try? Base64URL.decode(text)).flatMap { Fingerprint(bytes: $0) }
            }
            text += line + [UInt8(ascii: "\n")]
        }
        return text
    }

    /// A journal's line as the next of its chain.
    private static func link(_ members: JSON.Document.Object, after last: Fingerprint) -> (Line, Fingerprint)? {
        for kind in ["batch", "purge", "reset", "unproven"] {
            guard let step = members.optional(JSON.Name(kind))?.raw else { continue }
            let head = Fingerprint(of: last.bytes + step)
            var line = Array("{".utf8)
            if let version = members.optional("version")?.raw { line += Array(#""version":"#.utf8) + version + [0x2c] }
            line += Array(#""head":"\#(head)","\#(kind)":"#.utf8) + step + Array("}".utf8)
            return (line, head)
        }
        return nil
    }

    // MARK: What is altered

    /// Alters the meaning of one line or two.
    static func rearrange(_ lines: inout [Line], using chance: inout SeededSequence) {
        guard !lines.isEmpty else { return }
        let (place, other) = (chance.below(lines.count), chance.below(lines.count))
        switch chance.below(8) {
        case 0: lines.remove(at: place)
        case 1: lines.insert(lines[place], at: other)
        case 2: lines.swapAt(place, other)
        default:
            guard let value = try? JSON(parsing: lines[place]), let foreign = try? JSON(parsing: lines[other]) else {
                return
            }
            lines[place] = altered(value, with: foreign, using: &chance).encoded()
        }
    }

    private static let numbers: [JSON] = [
        0, 1, 2, 3, 7, -1, 1_800_000_000, 4_294_967_295, 4_294_967_296, .number(JSON.Number(Int64.max)),
        .number(JSON.Number(Int64.min)), .number(JSON.Number(Int64.max - 63)), 2_147_483_647,
    ]

    /// The value with something in it replaced by what another value has of that name, or by a number of the edges.
    private static func altered(_ value: JSON, with foreign: JSON, using chance: inout SeededSequence) -> JSON {
        switch value {
        case .object(var object):
            guard !object.isEmpty else { return value }
            let name = object[chance.below(object.count)].name
            let theirs = foreign.object?[name]
            switch chance.below(6) {
            case 0: object[name] = nil
            case 1 where theirs != nil: object[name] = theirs
            default: object[name] = object[name].map { altered($0, with: theirs ?? foreign, using: &chance) }
            }
            return .object(object)
        case .array(var elements):
            guard !elements.isEmpty else { return value }
            let place = chance.below(elements.count)
            if chance.below(3) == 0 { return .array(elements + [elements[place]]) }
            elements[place] = altered(elements[place], with: foreign, using: &chance)
            return .array(elements)
        case .number: return numbers[chance.below(numbers.count)]
        case .string: return words[chance.below(words.count)]
        default: return value
        }
    }

    /// All texts of the sample, and some that no record has.
    private static let words: [JSON] = {
        var found: [JSON] = ["", "nobody", "\u{1}", "{\"a\":1}", "{\"a\": [[1]]}"]
        func collect(_ value: JSON) {
            switch value {
            case .string: found.append(value)
            case .array(let elements): elements.forEach(collect)
            case .object(let object): object.forEach { collect($0.value) }
            default: break
            }
        }
        for line in sample { if let value = try? JSON(parsing: line) { collect(value) } }
        return found
    }()

    // MARK: What it begins with

    private static func at(_ seconds: Int64) -> Timestamp { Timestamp(seconds: 1_800_000_000 + seconds) }

    private static func record(_ id: TokenID, _ kind: Record.Kind, on parent: TokenID? = nil) -> Change {
        let refresh = Record.Refresh(
            generation: 0, hash: Fingerprint(of: []), salt: Fingerprint(of: []), rotated: nil)
        return .insert(
            Record(
                id: id, kind: kind, parent: parent, issued: at(0),
                holder: Record.Holder(stringLiteral: "holder-\(kind)"), subject: "anna",
                audience: "service", accessExpiry: kind == .versionKey ? nil : at(300),
                refresh: kind == .service ? refresh : nil, attributes: ["n": .string(id.text)]))
    }

    /// Something of everything.
    static let sample: [Line] = {
        var tree = MemoryStore()
        let message = OutgoingMessage(id: "m", destination: "service", about: "assertion", body: ["n": 1], due: at(9))
        let past: [Change] = [
            record("version", .versionKey), record("client", .client, on: "version"),
            record("personal", .personal, on: "client"), record("assertion", .assertion, on: "personal"),
            record("service", .service, on: "assertion"), record("app", .app, on: "service"),
            record("code", .code, on: "service"), .consume("assertion"), .touch("client"), .confirm("personal"),
            .revoke("app", .misused), .visit("anna", "service"), .enqueue(message),
            .remember(ReplayKey("a", "b"), until: at(60)),
        ]
        _ = tree.commit(Batch(at: at(1), past))
        var text = tree.snapshot().encoded()
        let steps: [[Change]] = [
            [record("newer", .app, on: "code"), .consume("code"), .touch("service")],
            [.attempt("m", after: 0, retry: at(50)), .describe("service", ["deep": [["er": true]]])],
            [.settle("m", .delivered), .remember(ReplayKey("a", "c"), until: at(90)), .revoke("personal", .user)],
        ]
        for (number, changes) in steps.enumerated() {
            _ = tree.commit(Batch(at: at(Int64(number) + 10), changes), journal: &text)
        }
        tree.resetHorizon(at: at(20), journal: &text)
        var restoration = MemoryStore.Restoration()
        guard (try? restoration.read(text)) != nil,
            var again = try? restoration.finish(unprovenAt: at(30), journal: &text).tree
        else { preconditionFailure("what was written is read") }
        _ = again.commit(Batch(at: at(31), [.confirm("client")]), journal: &text)
        _ = again.purge(at: at(5_000), keeping: Retention(explained: .zero, settled: .zero), journal: &text)
        return lines(of: text)
    }()
}
