internal import JOSETesting
internal import PureCrypto
internal import Wire

// What lies under a seal: which bytes it comes to, and what does not open.

extension Catalogue {
    mutating func addSeals() {
        add(.sealed, "seal-", Self.sealing) { Self.sealed($0, key: Self.key, ["salt": Self.salt]) }
        let opened = Self.sealing.map { row in
            let words = "what was sealed opens: " + row.title
            return (name: row.name, title: words, proves: row.proves, refusal: Expected?.none, value: row.value)
        }
        add(.sealed, "open-", opened) { value in
            ["key": Self.key, "purpose": value.purpose, "sealed": Self.hex(Self.sealedBytes(of: value))]
        }
        add(.sealed, "open-refused-", Self.shut) { $0 }
        add(.state, "state-sealed-", Self.sealedStates) { $0 }
    }

    private static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes)) }

    private static let key = hex([UInt8](SHA256.hash(data: Array("key of a device".utf8))))
    private static let otherKey = hex([UInt8](SHA256.hash(data: Array("key of another device".utf8))))
    private static let salt = World.entropy("a salt")

    private typealias Sealing = (content: [UInt8], purpose: JSON)

    private static let sealing: [Row<Sealing>] = [
        ("text", "tokens and keys", ["DAT-1", "threat-49"], nil, (Array("tokens and keys".utf8), "")),
        (
            "purpose", "the same for one of two purposes of one key", ["DAT-1", "threat-49"], nil,
            (Array("tokens and keys".utf8), "state of Ada")
        ),
        ("nothing", "no byte at all", ["DAT-1"], nil, ([], "")),
        ("block", "a whole block of the cipher", ["DAT-1"], nil, ([UInt8](repeating: 0x55, count: 64), "")),
        ("blocks", "more than four blocks", ["DAT-1"], nil, ((0..<257).map { UInt8(truncatingIfNeeded: $0) }, "")),
        (
            "letters", "a purpose that is not ASCII", ["DAT-1", "threat-49"], nil,
            (Array("{}".utf8), "Universit\u{e9}")
        ),
    ]

    private static func sealed(_ value: Sealing, key: JSON, _ more: JSON.Object) -> JSON.Object {
        let given: JSON.Object = ["key": key, "purpose": value.purpose, "content": hex(value.content)]
        return given.changed(more)
    }

    private static func sealedBytes(of value: Sealing) -> [UInt8] {
        let outcome = try? Reference.outcome(of: .sealed, sealed(value, key: key, ["salt": salt]))
        return (outcome?["sealed"]?.string).flatMap { try? Hex.decode($0) } ?? []
    }

    // MARK: What stays shut

    private static let sample = sealedBytes(of: (Array("tokens and keys".utf8), "state of Ada"))

    private static func opening(
        _ bytes: [UInt8] = sample, key: JSON = key, for purpose: JSON = "state of Ada"
    ) -> JSON.Object {
        ["key": key, "purpose": purpose, "sealed": hex(bytes)]
    }

    private static func changed(_ place: Int) -> [UInt8] {
        sample.enumerated().map { $0.offset == place ? $0.element ^ 1 : $0.element }
    }

    private static let shut: [Row<JSON.Object>] =
        [
            ("other-key", "by another key", opening(key: otherKey)),
            ("other-purpose", "for another purpose", opening(for: "state of Bob")),
            ("no-purpose", "for no purpose", opening(for: "")),
            ("other-form", "of another form: the first byte is 0", opening(changed(0))),
            ("later-form", "of a later form: the first byte is 2", opening([2] + sample.dropFirst())),
            ("first-of-salt", "with another salt", opening(changed(1))),
            ("last-of-salt", "with a salt whose last byte is another", opening(changed(32))),
            ("first-of-text", "whose first byte was changed", opening(changed(33))),
            ("last-of-text", "whose last byte was changed", opening(changed(sample.count - 17))),
            ("first-of-tag", "whose tag was changed", opening(changed(sample.count - 16))),
            ("last-of-tag", "whose tag ends otherwise", opening(changed(sample.count - 1))),
            ("cut", "of which the last byte is missing", opening(sample.dropLast())),
            ("longer", "with a byte more", opening(sample + [0])),
            ("only-salt", "of which the salt alone is left", opening(Array(sample.prefix(33)))),
            ("half-salt", "that ends in the salt", opening(Array(sample.prefix(16)))),
            ("nothing", "of which nothing is left", opening([])),
        ].map { name, title, given in
            (name, "what was sealed \(title)", ["DAT-1", "threat-49"], "threat-49", given)
        }

    // MARK: The state of an app

    private static let empty = Array(#"{"keys":[],"services":[]}"#.utf8)

    private static func state(_ text: String, _ seal: JSON? = nil) -> JSON.Object {
        let given: JSON.Object = ["text": .string(text)]
        return given.changed(["seal": seal ?? .null])
    }

    private static func seal(_ key: JSON = key, _ purpose: JSON = "state of Ada", salt: JSON? = nil) -> JSON {
        let members: JSON.Object = ["key": key, "purpose": purpose]
        return .object(members.changed(["salt": salt ?? .null]))
    }

    private static func text(
        _ content: [UInt8], version: Int = 1, purpose: JSON = "state of Ada"
    ) -> String {
        #"{"nail":\#(version),"sealed":"\#(Base64URL.encode(sealedBytes(of: (content, purpose))))"}"#
    }

    private static let plain =
        #"{"nail":1,"digest":"\#(Base64URL.encode([UInt8](SHA256.hash(data: empty))))","state":"#
        + String(decoding: empty, as: UTF8.self) + "}"

    private static let granted = Array(
        joined(
            #"{"keys":[],"services":[{"url":"https://alpha.example.ch","grants":[{"app":"ch.example.reader","#,
            #""for":["org.ieee.papi"],"document":{"engineName":"University of Alpha","engineLink":"","#,
            #""homePageLink":"https://alpha.example.ch","apis":{"org.ietf.oauth2":{"apiLink":"oauth"},"#,
            #""org.ieee.papi":{"apiLink":"api/papi"}}},"authorizations":[{"authorization":"#,
            #"{"access_token":"a-token","token_type":"Bearer"}}]}]}]}"#
        ).utf8)

    private static let sealedStates: [Row<JSON.Object>] = [
        ("empty", "a state of nothing, sealed", ["NAI-3"], nil, state(text(empty), seal(salt: salt))),
        ("service", "a state with a service, sealed", ["NAI-3", "DAT-1"], nil, state(text(granted), seal(salt: salt))),
        ("plain", "a state that is not sealed, read without a seal", ["NAI-3"], nil, state(plain)),
        (
            "second", "a sealed state of the second version", ["NAI-3", "threat-69"], nil,
            state(text(empty, version: 2), seal())
        ),
        (
            "no-seal", "a sealed state, and nothing to open it with", ["NAI-3", "threat-49"], "threat-49",
            state(text(empty))
        ),
        (
            "other-key", "a sealed state, and another key", ["NAI-3", "threat-49"], "threat-49",
            state(text(empty), seal(otherKey))
        ),
        (
            "other-purpose", "a sealed state of another person", ["NAI-3", "threat-49"], "threat-49",
            state(text(empty), seal(key, "state of Bob"))
        ),
        (
            "unsealed", "a state that is not sealed in the place of a sealed one", ["NAI-3", "threat-49"],
            "threat-49", state(plain, seal())
        ),
        (
            "future", "a sealed state of a later version", ["NAI-3", "threat-69"], "threat-49",
            state(text(empty, version: 3), seal())
        ),
        (
            "padded", "a sealed state with padding behind its Base64url", ["NAI-3", "threat-49"], "threat-49",
            state(#"{"nail":1,"sealed":"AQ=="}"#, seal())
        ),
        (
            "number", "a number in the place of what is sealed", ["NAI-3"], "RFC8259-3",
            state(#"{"nail":1,"sealed":7}"#, seal())
        ),
        (
            "content", "a sealed list in the place of the object", ["NAI-3"], "RFC8259-3",
            state(text(Array("[]".utf8)), seal())
        ),
    ]
}
