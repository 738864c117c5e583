internal import JOSETesting
internal import Wire

// (0) What a service publishes about itself.

extension Catalogue {
    mutating func addPublications() throws {
        let world = World()
        let leaking = world.with("document", at: .alpha) { $0.with("authorization", ["access_token": "secret"]) }
        let pages: [(String, String, [String], String)] = [
            ("document", "the service description", ["RSD-1", "RSD-2", "DSC-7"], "/rsd2.json"),
            ("services", "the list that leads to it", ["RSD-1", "RSD-2"], "/services.txt"),
            ("keys", "the public keys", ["REQ-14"], "/oauth/jwks"),
            (
                "metadata", "the metadata of the authorization server", ["GRT-1"],
                "/.well-known/oauth-authorization-server"
            ),
            ("resource", "the metadata of the protected resource", ["GRT-1"], "/.well-known/oauth-protected-resource"),
        ]
        for (name, title, proves, path) in pages {
            try add(
                in: world, at: .alpha,
                [
                    .accepted("published-" + name, title, proves) { _ in World.request("GET", World.alpha + path) },
                    .refused("published-\(name)-post", title + ", with the method POST", proves, "http_405", "-") { _ in
                        World.request("POST", World.alpha + path)
                    },
                ])
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted("published-edu-id", "the metadata of the edu-ID service", ["FED-1", "GRT-1"]) { _ in
                    World.request("GET", World.eduID + "/.well-known/oauth-authorization-server")
                },
                .accepted("published-edu-id-keys", "the public keys of the edu-ID service", ["REQ-14"]) { _ in
                    World.request("GET", World.eduID + "/jwks")
                },
                .accepted(
                    "published-discovery", "the metadata of a service that has a discovery of its own",
                    ["DSC-8", "GRT-1"], at: .alpha, in: world.discovering
                ) { _ in World.request("GET", World.alpha + "/.well-known/oauth-authorization-server") },
                .refused("published-nothing", "a page that is not there", ["RSD-1"], "http_404", "-", at: .alpha) { _ in
                    World.request("GET", World.alpha + "/rsd2.xml")
                },
                .accepted(
                    "published-without-tokens", "an authorization in the description is not published",
                    ["RSD-2", "threat-45"], at: .alpha, in: leaking
                ) { _ in World.request("GET", World.alpha + "/rsd2.json") },
            ])
    }
}
