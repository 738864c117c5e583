internal import JOSETesting
internal import Wire

// (2a, 9) A party that demands a nonce of its own in DPoP proofs (RFC 9449 §8).

extension Catalogue {
    /// At the edu-ID service.
    mutating func addNonces(_ world: World, of personal: Held) throws {
        let url = World.eduID + "/userinfo"
        try addNonces("profile", at: .eduID, in: world, kind: .exchange, of: personal, for: url)
    }

    /// At the endpoints of a service.
    mutating func addNonces(_ world: World, ofApp app: Held) throws {
        try addNonces("app", at: .alpha, in: world, kind: .access, of: app, for: World.papi)
    }

    private mutating func addNonces(
        _ prefix: String, at role: World.Role, in world: World, kind: Vector.Kind, of held: Held, for url: String
    ) throws {
        func proof(_ world: inout World, _ claims: JSON.Object) -> JSON {
            World.request(
                "GET", url, dpop: (held.access, world.dpop(held, "GET", url).claiming(claims).text))
        }
        try add(
            in: world.with(["dpop_nonce": "nonce-2"], at: role), at: role, kind: kind,
            [
                .accepted(prefix + "-nonce", "a DPoP proof with the nonce that is demanded", ["threat-36"]) {
                    proof(&$0, ["nonce": "nonce-2"])
                },
                .refused(
                    prefix + "-nonce-missing", "a DPoP proof without the nonce that is demanded", ["threat-36"],
                    "use_dpop_nonce", "RFC9449-8"
                ) { proof(&$0, [:]) },
                .refused(
                    prefix + "-nonce-old", "a DPoP proof with the nonce that was demanded before", ["threat-36"],
                    "use_dpop_nonce", "RFC9449-8"
                ) { proof(&$0, ["nonce": "nonce-1"]) },
                .refused(
                    prefix + "-nonce-number", "a DPoP proof with a nonce that is a number", ["threat-36"],
                    "invalid_dpop_proof", "RFC7519-2"
                ) { proof(&$0, ["nonce": 2]) },
            ])
    }
}
