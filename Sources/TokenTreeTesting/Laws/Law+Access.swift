internal import TokenTree
internal import Wire

extension Law {
    /// What a check of access reads by itself.
    static var access: [Law] { [grant, withdrawnKey] }

    /// The levels from a key of the edu-ID service down to an app, as a federation service holds them.
    private static let branch = Batch(
        at: at(0),
        [
            .issue("key", .versionKey),
            .insert(
                Record(
                    id: "introduction", kind: .assertion, parent: "key", issued: at(1), holder: "instance",
                    subject: "user", accessExpiry: at(300), attributes: ["claims": ["name": "Anna"]])),
            .insert(
                Record(
                    id: "home", kind: .service, parent: "introduction", issued: at(1), holder: "instance",
                    subject: "user", scope: "authorize", boundKey: "key of the instance",
                    attributes: ["token": "serial"])),
            .issue("code", .code, on: "home", holder: "instance", subject: "user", access: 300),
            .insert(
                Record(
                    id: "reader", kind: .app, parent: "code", issued: at(2), holder: "org.example.reader",
                    subject: "user", audience: "https://service.example", scope: "read write",
                    accessExpiry: at(600), refresh: .generation(0), attributes: ["secret": "hash"])),
        ])

    private static var grant: Law {
        Law(
            "a check of access reads what the lineage says, and nothing of others", "STO-9",
            [
                .commit(branch, .applied),
                .grant("reader", 3) { isReader($0, .live) },
                .grant("home", 3) { found in
                    found?.instance == "instance" && found?.boundKey == "key of the instance"
                        && found?.attributes == ["token": "serial"] && found?.holder == "instance"
                        && found?.introducedWith == ["claims": ["name": "Anna"]]
                },
                .grant("introduction", 3) { found in
                    found?.kind == .assertion && found?.instance == nil
                        && found?.introducedWith == ["claims": ["name": "Anna"]]
                },
                .grant("key", 3) { found in
                    found?.verdict == .live && found?.subject == nil && found?.introducedWith == [:]
                },
                .grant("nobody", 3) { $0 == nil },
                .restart,
                .grant("reader", 599) { isReader($0, .live) },
                .grant("reader", 600) { isReader($0, .expired("reader", 600, .access)) },
                .applied(10, .consume("introduction")),
                .grant("introduction", 11) { $0?.verdict == .consumed(at: at(10)) },
                .grant("reader", 11) { isReader($0, .live) },
                .applied(12, .describe("reader", ["secret": "hash", "narrowed_scope": "read"])),
                .grant("reader", 13) { $0?.attributes["narrowed_scope"]?.string == "read" },
                .applied(14, .describe("reader", ["secret": "hash"])),
                .applied(20, .revoke("introduction", .issuer)),
                .grant("reader", 21) { isReader($0, .revoked(by: "introduction", 20, .issuer)) },
                .grant("key", 21) { $0?.verdict == .live },
            ])
    }

    private static func isReader(_ found: Grant?, _ verdict: Verdict) -> Bool {
        found?.id == "reader" && found?.kind == .app && found?.verdict == verdict
            && found?.holder == "org.example.reader" && found?.subject == "user" && found?.scope == "read write"
            && found?.boundKey == nil && found?.attributes == ["secret": "hash"] && found?.instance == "instance"
            && found?.introducedWith == ["claims": ["name": "Anna"]]
    }

    private static var withdrawnKey: Law {
        /// Nothing counts that the key signed since that time.
        func withdraw(_ seconds: Int) -> Change {
            .describe("key", ["withdrawn": .number(JSON.Number(at(seconds).seconds))])
        }
        return Law(
            "a check of access knows of keys that were withdrawn", "threat-76",
            [
                .commit(branch, .applied),
                .applied(5, withdraw(2)),
                .grant("reader", 6) { $0?.verdict == .live },
                .applied(7, withdraw(1)),
                .grant("reader", 8) { $0?.verdict == .revoked(by: "key", 1, .administrator) },
                .grant("introduction", 8) { $0?.verdict == .revoked(by: "key", 1, .administrator) },
                .grant("key", 8) { $0?.verdict == .live },
                .applied(9, .revoke("home", .user)),
                .grant("reader", 10) { $0?.verdict == .revoked(by: "home", 9, .user) },
            ])
    }
}
