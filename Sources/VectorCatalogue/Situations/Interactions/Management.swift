internal import JOSETesting
internal import Wire

// (10) What users and administrators see, end and lock: devices, services, apps, people.

extension Catalogue {
    mutating func addManagement() throws {
        try addUsersServices()
        try addAdministrators()
        try addLockedUsers()
        try addUsersApps()
        try addAdministratorsOfServices()
    }

    private static let ada = "pseudonym-of-ada"

    private static func word(_ service: String) -> String { Base64URL.encode(Array(service.utf8)) }

    /// A request for a list, whose proof names no query.
    private static func listing(_ world: inout World, _ held: Held, _ path: String, _ query: String) -> JSON {
        let url = World.eduID + path
        return World.request("GET", url + "?" + query, bearer: world.proof(held, url).text)
    }

    // MARK: At the edu-ID service

    /// Ada is signed in on two devices, and was introduced to a service from one of them.
    private func introduced() throws -> (World, phone: Held, tablet: Held) {
        var world = World()
        let phone = try world.signIn(try world.register())
        let tablet = try world.signIn(try world.register(World.tablet, device: "tablet"))
        _ = try world.introduce(phone)
        return (world, phone, tablet)
    }

    private mutating func addUsersServices() throws {
        let (world, phone, tablet) = try introduced()
        let path = "/services/" + Self.word(World.alpha + "/")
        try add(
            in: world, at: .eduID,
            [
                .accepted("services", "a user lists the services where something lives", ["USE-1", "TOK-5"]) {
                    $0.asking(phone, "GET", "/services")
                },
                .accepted(
                    "service-left", "a user leaves a service from another device; the service is told",
                    ["TOK-5", "TOK-7"]
                ) { $0.asking(tablet, "DELETE", path) },
                .accepted(
                    "service-left-late", "a user leaves a service with a token that would have to be renewed",
                    ["TOK-5", "TOK-7"], after: { $0.now += 3_600 }
                ) { $0.asking(tablet, "DELETE", path) },
                .accepted("all-devices", "a user ends all devices at once", ["USR-3", "TOK-5"]) {
                    $0.asking(tablet, "DELETE", "/instances")
                },
                .refused(
                    "service-never-used", "a service where nothing of the user's lives", ["threat-33"], "http_404", "-"
                ) { $0.asking(phone, "DELETE", "/services/" + Self.word(World.beta + "/")) },
                .refused(
                    "service-by-its-url", "a service that is named by its URL itself", ["threat-65"], "http_404", "-"
                ) { $0.asking(phone, "DELETE", "/services/alpha.example.ch") },
                .refused(
                    "services-late", "a list with a token that has to be renewed", ["TOK-2"], "invalid_token", "TOK-1",
                    after: { $0.now += 3_600 }
                ) { $0.asking(phone, "GET", "/services") },
            ])
        var gone = world
        try gone.perform(.eduID, gone.asking(tablet, "DELETE", "/instances"))
        try add(
            in: gone, at: .eduID,
            [
                .refused("all-devices-ended", "the other device after that", ["USR-3"], "invalid_token", "TOK-1") {
                    $0.asking(phone, "GET", "/userinfo")
                }
            ])
    }

    private mutating func addAdministrators() throws {
        let (world, phone, _) = try introduced()
        let administrated = world.with(["administrators": ["user-0001"]], at: .eduID)
        try add(
            in: administrated, at: .eduID,
            [
                .accepted("overview", "an administrator finds the lists", ["TOK-5"]) {
                    $0.asking(phone, "GET", "/admin")
                },
                .accepted("versions-after", "an administrator goes on in the list of versions", ["FED-2", "TOK-5"]) {
                    Self.listing(&$0, phone, "/admin/versions", "after=ios-1.0&limit=1")
                },
                .refused(
                    "versions-lost", "a place in the list that is not there", ["threat-14"], "invalid_request",
                    "threat-14"
                ) { Self.listing(&$0, phone, "/admin/versions", "after=ios-0.9") },
                .accepted("withdrawn", "the key of a version is withdrawn since a time", ["FED-4", "threat-76"]) {
                    let url = World.eduID + "/admin/versions/ios-1.0/withdraw"
                    let pairs: KeyValuePairs = ["since": "1800000000", "reason": "it is on the internet"]
                    return World.form(url, pairs, bearer: $0.proof(phone, url).text)
                },
                .refused(
                    "withdrawn-ever", "a key is withdrawn, and nobody says since when", ["threat-76"],
                    "invalid_request", "threat-76"
                ) { $0.asking(phone, "POST", "/admin/versions/ios-1.0/withdraw") },
                .accepted("locked-users", "an administrator lists who is locked", ["TOK-5", "threat-78"]) {
                    Self.listing(&$0, phone, "/admin/users", "locked=true")
                },
                .accepted("instances-of-version", "an administrator lists the devices of a version", ["FED-3"]) {
                    Self.listing(&$0, phone, "/admin/instances", "version=ios-1.0")
                },
                .accepted("users", "an administrator lists users, a portion at a time", ["TOK-5"]) {
                    Self.listing(&$0, phone, "/admin/users", "limit=1")
                },
                .accepted("users-found", "an administrator finds a user by name", ["TOK-5"]) {
                    Self.listing(&$0, phone, "/admin/users", "name=user-0001")
                },
                .accepted("instances-found", "an administrator finds a device by its name", ["FED-3", "TOK-5"]) {
                    Self.listing(&$0, phone, "/admin/instances", "name=PHONE&user=user-0001")
                },
                .accepted("services-counted", "an administrator lists what lives where", ["TOK-5"]) {
                    $0.asking(phone, "GET", "/admin/services")
                },
                .accepted("device-of-user", "one device is taken from one user", ["USR-4", "TOK-5"]) {
                    $0.asking(phone, "DELETE", "/admin/users/user-0001/instances/" + World.tablet)
                },
                .accepted("service-of-user", "what a user has at one service ends", ["USR-4", "TOK-7"]) {
                    $0.asking(phone, "DELETE", "/admin/users/user-0001/services/" + Self.word(World.alpha))
                },
                .accepted("locked", "a user is locked, and it is said why", ["threat-78", "TOK-5"]) {
                    let url = World.eduID + "/admin/users/user-0001/lock"
                    return World.form(url, ["reason": "stolen"], bearer: $0.proof(phone, url).text)
                },
                .refused("no-portion", "a list of nothing", ["threat-14"], "invalid_request", "RFC6749-3.1") {
                    Self.listing(&$0, phone, "/admin/users", "limit=0")
                },
                .refused(
                    "device-of-nobody", "a device on which the user is not signed in", ["USR-4"], "http_404", "-"
                ) { $0.asking(phone, "DELETE", "/admin/users/user-0002/instances/" + World.tablet) },
                .refused("unlocked-nobody", "a user who is not locked", ["threat-78"], "http_404", "-") {
                    $0.asking(phone, "POST", "/admin/users/user-0001/unlock")
                },
                .refused(
                    "lock-by-user", "a user who is no administrator", ["TOK-5"], "insufficient_scope", "TOK-5",
                    in: world
                ) { $0.asking(phone, "POST", "/admin/users/user-0001/lock") },
            ])
    }

    private mutating func addLockedUsers() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        try world.administrate(["do": "lock", "user": "user-0001"])
        var open = world
        try open.administrate(["do": "unlock", "user": "user-0001"])
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "locked-token", "what a locked user was given", ["threat-78"], "invalid_token", "TOK-1"
                ) { $0.asking(personal, "GET", "/userinfo") },
                .refused(
                    "locked-right", "a locked user with the right password", ["threat-78"], "access_denied", "threat-78"
                ) { $0.challenging(client) },
                .refused(
                    "locked-wrong", "a stranger who tries the name of a locked user learns nothing",
                    ["threat-78", "threat-39"], "invalid_grant", "threat-39"
                ) { $0.challenging(client, "ada", "a guess") },
                .accepted("locked-other", "another user on the same device", ["threat-78"]) {
                    $0.challenging(client, "bob", "hunter2hunter2")
                },
                .accepted("unlocked", "the user when unlocked", ["threat-78"], in: open) { $0.challenging(client) },
            ])
    }

    // MARK: At a federation service

    private func asking(
        _ world: inout World, _ held: Held, _ method: String, _ path: String, query: String = ""
    ) -> JSON {
        let url = World.alpha + "/oauth/" + path
        return World.request(method, url + query, bearer: world.proof(held, url).text)
    }

    private mutating func addUsersApps() throws {
        var world = World()
        let service = try world.redeem()
        let app = try world.authorize(service)
        let ask = asking
        var ended = world
        try ended.perform(.alpha, ask(&ended, service, "DELETE", "apps/" + World.reader, ""))
        var lasting = world.with(["grant_lifetime": 86_400], at: .alpha)
        try lasting.authorize(service, scope: World.lti)
        try add(
            in: world, at: .alpha,
            [
                .accepted("apps", "a user lists what apps were given", ["TOK-5", "APP-11"]) {
                    ask(&$0, service, "GET", "apps", "")
                },
                .accepted(
                    "apps-for-a-time", "a user lists what apps were given, where grants end by themselves",
                    ["TOK-5", "TOK-2"], in: lasting
                ) { ask(&$0, service, "GET", "apps", "") },
                .accepted("app-ended", "a user ends an app", ["TOK-5", "TOK-6"]) {
                    ask(&$0, service, "DELETE", "apps/" + World.reader, "")
                },
                .accepted(
                    "apps-ended-late", "a user ends all apps, with a token that would have to be renewed", ["TOK-5"],
                    after: { $0.now += 3_600 }
                ) { ask(&$0, service, "DELETE", "apps", "") },
                .refused("app-nobody", "an app that was given nothing", ["threat-33"], "http_404", "-") {
                    ask(&$0, service, "DELETE", "apps/ch.example.writer", "")
                },
                .refused("apps-by-app", "an app that looks at others", ["threat-18"], "invalid_token", "threat-18") {
                    ask(&$0, app, "GET", "apps", "")
                },
                .refused(
                    "app-ended-renewal", "a renewal by an app that was ended", ["TOK-3"], "invalid_grant", "TOK-3",
                    in: ended
                ) {
                    $0.refreshing(app, at: World.alpha + "/oauth/token")
                },
            ])
    }

    private mutating func addAdministratorsOfServices() throws {
        var world = World()
        let service = try world.redeem()
        let app = try world.authorize(service)
        let ask = asking
        let administrated = world.with(["administrators": [.string(Self.ada)]], at: .alpha)
        var locked = administrated
        try locked.perform(.alpha, ask(&locked, service, "POST", "admin/apps/\(World.reader)/lock", ""))
        var out = administrated
        try out.perform(.alpha, ask(&out, service, "POST", "admin/users/\(Self.ada)/lock", ""))
        let url = World.alpha + "/oauth/token"
        try add(
            in: administrated, at: .alpha,
            [
                .accepted("service-overview", "an administrator of a service finds the lists", ["TOK-5"]) {
                    ask(&$0, service, "GET", "admin", "")
                },
                .accepted("service-users", "an administrator of a service lists its users", ["TOK-5"]) {
                    ask(&$0, service, "GET", "admin/users", "")
                },
                .accepted("service-apps", "an administrator of a service lists apps", ["TOK-5", "APP-6"]) {
                    ask(&$0, service, "GET", "admin/apps", "?limit=2")
                },
                .accepted("service-app-of-user", "an administrator of a service ends an app of a user", ["TOK-5"]) {
                    ask(&$0, service, "DELETE", "admin/users/\(Self.ada)/apps/\(World.reader)", "")
                },
                .accepted("service-app", "an administrator of a service ends an app, and says why", ["APP-6"]) {
                    ask(&$0, service, "DELETE", "admin/apps/" + World.reader, "?reason=leaks")
                },
                .accepted("service-user", "an administrator of a service ends a user", ["AST-6"]) {
                    ask(&$0, service, "DELETE", "admin/users/" + Self.ada, "")
                },
                .refused(
                    "service-admin-by-user", "a user who is no administrator", ["TOK-5"], "insufficient_scope", "TOK-5",
                    in: world
                ) { ask(&$0, service, "POST", "admin/apps/\(World.reader)/lock", "") },
                .refused(
                    "app-locked", "an app that is locked", ["APP-6", "threat-78"], "access_denied", "threat-78",
                    in: locked
                ) {
                    $0.authorizing($0.code(service), by: service)
                },
                .refused(
                    "app-locked-renewal", "a renewal by an app that is locked", ["APP-6", "threat-78"], "access_denied",
                    "threat-78", in: locked
                ) { $0.refreshing(app, at: url) },
                .accepted("app-unlocked", "an app is let in again", ["APP-6", "threat-78"], in: locked) {
                    ask(&$0, service, "POST", "admin/apps/\(World.reader)/unlock", "")
                },
                .refused(
                    "user-locked", "the next introduction of a user who is locked", ["AST-6", "threat-78"],
                    "access_denied",
                    "threat-78", in: out
                ) { try $0.redeeming($0.assertion("assertion-2"), by: World.assertionHolder) },
            ])
    }
}
