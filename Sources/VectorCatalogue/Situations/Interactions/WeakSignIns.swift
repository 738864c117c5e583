internal import JOSETesting
internal import Wire

// (5), (8), (9): a service demands something of its users' sign-ins.

extension Catalogue {
    private static let mfa = "https://refeds.org/profile/mfa"
    private static let tooWeak = "insufficient_user_authentication"

    /// A service that takes sign-ins of one of two classes, for ten minutes.
    private static let demanding = World().with(
        ["demand": ["acr_values": ["elsewhere", .string(mfa)], "max_age": 600]], at: .alpha)

    /// An assertion of a sign-in of a class so many seconds ago.
    private static func telling(_ world: World, _ name: String?, _ age: Int64?) -> TestToken {
        world.assertion().claiming([
            "acr": name.map { .string($0) } ?? .null, "auth_time": age.map { world.time(-$0) } ?? .null,
        ])
    }

    mutating func addWeakRedemptions() throws {
        let holder = try World.assertionHolder
        let flaws: [(String, String, String?, Int64?)] = [
            ("weak-sign-in", "an assertion tells another class than is demanded", "password", 0),
            ("untold-sign-in", "an assertion tells no class", nil, 0),
            ("undated-sign-in", "an assertion does not tell when the sign-in was", Self.mfa, nil),
            ("old-sign-in", "an assertion of a sign-in that was too long ago", Self.mfa, 661),
        ]
        for (name, title, told, age) in flaws {
            try add(
                in: Self.demanding, at: .alpha,
                [
                    .refused(name, title, ["FPA-21"], Self.tooWeak, "FPA-21") {
                        $0.redeeming(Self.telling($0, told, age), by: holder)
                    }
                ])
        }
        try add(
            in: Self.demanding, at: .alpha,
            [
                .accepted("strong-sign-in", "it is what is demanded, to the last second", ["FPA-19", "FPA-21"]) {
                    $0.redeeming(Self.telling($0, Self.mfa, 660), by: holder)
                },
                .refused(
                    "mistold-sign-in", "a time that is a text is not told", ["FPA-21"], Self.tooWeak, "FPA-21"
                ) {
                    $0.redeeming(Self.telling($0, Self.mfa, 0).claiming(["auth_time": "1800000000"]), by: holder)
                },
            ])
        let (world, service) = try Self.redeemed()
        try add(
            in: world.later(661), at: .alpha,
            [
                .refused(
                    "old-renewal", "nothing is renewed on a sign-in that is too old", ["FPA-21"], Self.tooWeak, "FPA-21"
                ) {
                    $0.refreshing(service, at: World.alpha + "/oauth/token")
                },
                .accepted("old-ending", "ending works all the same", ["FPA-21"]) {
                    $0.revoking(service.access, by: service, at: World.alpha + "/oauth/revoke")
                },
            ])
    }

    mutating func addWeakAuthorizations() throws {
        let (world, service) = try Self.redeemed()
        try add(
            in: world, at: .alpha,
            [
                .accepted("strong-app", "an app's token tells the sign-in as well", ["FPA-19"]) {
                    $0.authorizing($0.code(service), by: service)
                },
                .refused(
                    "old-app", "an app is given nothing on a sign-in that is too old", ["FPA-21"], Self.tooWeak,
                    "FPA-21", in: world.later(661)
                ) { $0.authorizing($0.code(service), by: service) },
            ])
    }

    mutating func addWeakUses() throws {
        var (world, service) = try Self.redeemed()
        let app = try world.authorize(service)
        try add(
            in: world, at: .alpha, kind: .access,
            [
                .accepted(
                    "sign-in-recent", "an app uses what a recent sign-in stands behind", ["FPA-21"],
                    in: world.later(660)
                ) { Self.using(&$0, World.papi, app) },
                .refused(
                    "sign-in-too-old", "a second later the service wants a newer one", ["FPA-21"], Self.tooWeak,
                    "FPA-21", in: world.later(661)
                ) { Self.using(&$0, World.papi, app) },
            ])
    }

    private static func redeemed() throws -> (World, Held) {
        var world = demanding
        let holder = try World.assertionHolder
        let body = try world.perform(.alpha, world.redeeming(telling(world, mfa, 0), by: holder))
        return (world, try Held(body, .pair("phone"), of: World.phone))
    }
}
