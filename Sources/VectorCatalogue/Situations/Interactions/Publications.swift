internal import Wire

// (0) What a service publishes about itself.

extension Catalogue {
    mutating func addPublications() throws(Malformed) {
        let stage = Stage()
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
            accept("published-" + name, title, proves, stage, .alpha, Stage.request("GET", Stage.alpha + path))
            refuse(
                "published-\(name)-post", title + ", with the method POST", proves, "http_405", "-", stage, .alpha,
                Stage.request("POST", Stage.alpha + path))
        }
        accept(
            "published-edu-id", "the metadata of the edu-ID service", ["FED-1", "GRT-1"], stage, .eduID,
            Stage.request("GET", Stage.eduID + "/.well-known/oauth-authorization-server"))
        accept(
            "published-edu-id-keys", "the public keys of the edu-ID service", ["REQ-14"], stage, .eduID,
            Stage.request("GET", Stage.eduID + "/jwks"))
        refuse(
            "published-nothing", "a page that is not there", ["RSD-1"], "http_404", "-", stage, .alpha,
            Stage.request("GET", Stage.alpha + "/rsd2.xml"))
        var leaking = stage
        leaking.parties[.alpha]?["document"] = .object(Self.leaking)
        accept(
            "published-without-tokens", "an authorization in the description is not published", ["RSD-2", "threat-45"],
            leaking, .alpha,
            Stage.request("GET", Stage.alpha + "/rsd2.json"))
    }

    private static var leaking: JSON.Object {
        var document = Parties.document(Stage.alpha, true)
        document["authorization"] = ["access_token": "secret"]
        return document
    }
}
