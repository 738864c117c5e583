internal import Federation
internal import NAIL
internal import PureCrypto
internal import Synchronization
internal import Wire

// What a device keeps: bytes under a seal, and the store of the edu-ID app.

extension Reference {
    /// Bytes that are sealed, or what was sealed and is opened.
    static func sealed(_ given: Given) throws -> JSON.Object {
        let seal = try given.seal
        guard given["sealed"] == nil else {
            guard let content = seal.open(try given.bytes("sealed")) else { return refused("threat-49") }
            return ["content": hexadecimal(content)]
        }
        return ["sealed": hexadecimal(seal.seal(try given.bytes("content")))]
    }

    static func state(_ given: Given) throws -> JSON.Object {
        let part = given["seal"] == nil ? nil : try given.part("seal")
        let seal = try part?.seal
        let state = try NAILState(parsing: given["text"]?.string ?? "", opening: seal)
        var members: JSON.Object = ["services": names(of: state)]
        // What is read and written again under a seal of the same salt is the same text.
        if part?["salt"] != nil { members["text"] = .string(state.serialized(sealing: seal)) }
        return members
    }
}

extension Given {
    /// The seal of `key` and `purpose`; what is sealed has the given `salt`.
    var seal: Seal {
        get throws {
            let zeros = Hex.encode([UInt8](repeating: 0, count: Salt.byteCount))
            let salt = Salt(try Entropy(Hex.decode(self["salt"]?.string ?? zeros)))
            return Seal(
                SymmetricKey(data: try bytes("key")), for: self["purpose"]?.string ?? "", using: { salt.next() })
        }
    }

    /// The chance of one seal, which draws from it whenever it seals.
    private final class Salt: Sendable {
        static let byteCount = 32

        private let words: Mutex<Entropy>

        init(_ words: Entropy) { self.words = Mutex(words) }

        func next() -> UInt64 { words.withLock { $0.next() } }
    }
}

extension Reference {
    /// The store of the edu-ID app, read from a text or from what lies under its seal.
    static func appStore(_ given: Given) throws -> JSON.Object {
        let place = try given.need("place") { $0.string.flatMap { AuthorizingApp.Store.Place(rawValue: $0) } }
        let part = given["seal"] == nil ? nil : try given.part("seal")
        let seal = try part?.seal ?? clear
        let text = given["content"] == nil ? try given.text("text") : whole(Array(try given.text("content").utf8))
        let limits = try given["limits"].map { _ in try given.part("limits").storeLimits } ?? .standard
        var lost: [JSON] = []
        let store =
            if given["salvage"] == true {
                try AuthorizingApp.Store(salvaging: text, opening: seal, in: place, limits: limits) { damage in
                    lost.append(.string(damage.rule.clause))
                }
            } else {
                try AuthorizingApp.Store(parsing: text, opening: seal, in: place, limits: limits)
            }
        let written = json(Array(store.serialized(sealing: clear).utf8))["sealed"]?.string ?? ""
        var members: JSON.Object = ["content": json((try? Base64URL.decode(written)) ?? [])]
        if given["salvage"] == true { members["lost"] = .array(lost) }
        if part?["salt"] != nil { members["text"] = .string(store.serialized(sealing: seal)) }
        return members
    }

    /// A seal that changes nothing, so that what lies under one can be shown.
    private static let clear = Seal(seal: { $0 }, open: { $0 })

    private static func whole(_ content: [UInt8]) -> String {
        #"{"eduid":2,"sealed":"\#(Base64URL.encode(clear.seal(content)))"}"#
    }
}

extension Given {
    fileprivate var storeLimits: AuthorizingApp.Store.Limits {
        get throws {
            func number(_ member: JSON.Name) throws -> Int { try need(member) { $0.number?.integer(as: Int.self) } }
            return AuthorizingApp.Store.Limits(
                rows: try number("rows"), field: try number("field"), bytes: try number("bytes"))
        }
    }
}
