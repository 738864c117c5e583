internal import OAuth2Grants
import RSD2
internal import Wire

extension NAILState {
    /// More than the grants of a state have together, each with a document and some authorizations of their limits.
    private static let limits = JSON.Limits(size: 256 << 20, depth: 48, stringLength: 256 << 20)

    /// Restores a state from the text that ``serialized(sealing:)`` gave, wholly or not at all (NAI-3, threat 49).
    ///
    /// With a seal only sealed texts are taken, so that nobody can put an open one in the place of a sealed one.
    public init(parsing text: String, opening seal: Seal? = nil) throws(Rejection) {
        try self.init(text, opening: seal) { (damage) throws(Rejection) in throw damage }
    }

    /// Restores what can be restored: a service whose entry is damaged is left out and told, and costs no other one.
    ///
    /// A text that was changed after it was written is refused as a whole.
    public init(salvaging text: String, opening seal: Seal? = nil, losing: (Rejection) -> Void) throws(Rejection) {
        try self.init(text, opening: seal) { (damage) throws(Rejection) in losing(damage) }
    }

    private init(
        _ text: String, opening seal: Seal?, damaged: (Rejection) throws(Rejection) -> Void
    ) throws(Rejection) {
        let envelope = try wrapping(
            Rejection.json, try JSON.Document(parsing: text, limits: Self.limits).root.object())
        let version = try wrapping(Rejection.json, try envelope["nail"].number())
        guard let number = version.integer(as: Int.self), Self.seedVersion...Self.version ~= number else {
            throw .unknownVersion(version.text)
        }
        if let sealed = envelope.optional("sealed") {
            guard let seal else { throw .sealed }
            let text = try wrapping(Rejection.json, try sealed.string())
            guard let bytes = try? Base64URL.decode(text), let content = seal.open(bytes) else { throw .brokenSeal }
            let document = try wrapping(Rejection.json, try JSON.Document(parsing: content, limits: Self.limits))
            try self.init(document.root, number, damaged: damaged)
        } else {
            guard seal == nil else { throw .unsealed }
            let digest = try wrapping(Rejection.json, try envelope["digest"].string())
            let content = try wrapping(Rejection.json, try envelope["state"])
            guard Self.digest(of: content.raw).utf8.elementsEqual(digest.utf8) else { throw .otherDigest }
            try self.init(content, number, damaged: damaged)
        }
    }

    private init(
        _ content: JSON.Document.Value, _ version: Int, damaged: (Rejection) throws(Rejection) -> Void
    ) throws(Rejection) {
        let object = try wrapping(Rejection.json, try content.object())
        var keys: [DeviceKey?] = []
        for value in try wrapping(Rejection.json, try object["keys"].array()) {
            let key = DeviceKey(value, of: version)
            if key == nil { try damaged(.malformedKey(at: value.path)) }
            keys.append(key)
        }
        let reader = StateReader(keys: keys)
        for value in try wrapping(Rejection.json, try object["services"].array()) {
            do throws(Rejection) {
                let service = try reader.service(value)
                let identity = JSON.Name(service.url.identity)
                guard services[identity] == nil else { throw .impossible(at: value.path, .repeatedService) }
                guard grantCount + service.grants.count <= Self.grantLimit else {
                    throw .impossible(at: content.path, .tooManyGrants)
                }
                services[identity] = service
            } catch {
                try damaged(error)
            }
        }
    }
}

extension DeviceKey {
    /// A key of a state: its seed, and since version 2 an object that tells its type.
    fileprivate init?(_ value: JSON.Document.Value, of version: Int) {
        if let seed = try? value.string() {
            self.init(seed: seed)
        } else if version > NAILState.seedVersion, let members = try? value.object() {
            self.init(keptIn: members)
        } else {
            return nil
        }
    }
}

/// Reads the parts of a state; whatever they say is checked as if it came from a stranger.
private struct StateReader {
    typealias Rejection = NAILState.Rejection
    typealias Value = JSON.Document.Value

    /// By their numbers; `nil` where one is damaged.
    let keys: [DeviceKey?]

    func service(_ value: Value) throws(Rejection) -> NAILState.Service {
        let object = try wrapping(Rejection.json, try value.object())
        let place = try wrapping(Rejection.json, try object["url"])
        let text = try wrapping(Rejection.json, try place.string())
        let url = try wrapping({ Rejection.malformedURL(at: place.path, $0) }, try ServiceURL(parsing: text))
        var grants: [NAILState.Grant] = []
        for element in try wrapping(Rejection.json, try object["grants"].array()) {
            let grant = try self.grant(element)
            guard grant.description.serviceURL == url else { throw .impossible(at: element.path, .otherService) }
            let names = grants.flatMap { $0.requested }
            guard !grant.requested.contains(where: names.contains) else {
                throw .impossible(at: element.path, .repeatedProtocol)
            }
            grants.append(grant)
        }
        guard !grants.isEmpty else { throw .impossible(at: value.path, .nothingGranted) }
        return NAILState.Service(url: url, grants: grants)
    }

    private func grant(_ value: Value) throws(Rejection) -> NAILState.Grant {
        let object = try wrapping(Rejection.json, try value.object())
        let app: BundleID = try name(try wrapping(Rejection.json, try object["app"]))
        var requested: [ProtocolName] = []
        for element in try wrapping(Rejection.json, try object["for"].array()) {
            let name: ProtocolName = try name(element)
            guard !requested.contains(name) else { throw .impossible(at: element.path, .repeatedProtocol) }
            requested.append(name)
        }
        guard !requested.isEmpty else { throw .impossible(at: value.path, .nothingGranted) }
        let place = try wrapping(Rejection.json, try object["document"])
        let description = try wrapping(
            { Rejection.malformedDocument(at: place.path, $0) }, try ServiceDescription(parsing: place.raw))
        guard requested.allSatisfy(description.offers) else { throw .impossible(at: place.path, .notOffered) }
        var grant = NAILState.Grant(
            app: app, requested: requested, description: description.filtered(for: requested).withoutAuthorization,
            key: try key(object), authorizations: [:])
        for element in try wrapping(Rejection.json, try object["authorizations"].array()) {
            let members = try wrapping(Rejection.json, try element.object())
            let authorization = try self.authorization(members, of: element, grant)
            var place: ProtocolName?
            if let value = members.optional("at") {
                let name: ProtocolName = try name(value)
                guard grant.description.offers(name) else { throw .impossible(at: element.path, .notOffered) }
                place = name
            }
            guard grant.authorizations[place] == nil else {
                throw .impossible(at: element.path, .repeatedAuthorization)
            }
            grant.authorizations[place] = authorization
        }
        return grant
    }

    private func key(_ object: JSON.Document.Object) throws(Rejection) -> DeviceKey? {
        guard let value = object.optional("key") else { return nil }
        let index = try wrapping(Rejection.json, try value.integer(as: Int.self))
        guard keys.indices.contains(index), let key = keys[index] else {
            throw .impossible(at: value.path, .unknownKey)
        }
        return key
    }

    private func authorization(
        _ members: JSON.Document.Object, of value: Value, _ grant: NAILState.Grant
    ) throws(Rejection) -> Authorization {
        if let ended = members.optional("ended") {
            let text = try wrapping(Rejection.json, try ended.string())
            guard let code = try? OAuth2Error.Code(parsing: text) else {
                throw .impossible(at: value.path, .malformedCode)
            }
            return .ended(code)
        }
        let place = try wrapping(Rejection.json, try members["authorization"])
        let tree = try wrapping(Rejection.json, try place.object()).tree()
        let checked = try wrapping(
            { Rejection.malformedDocument(at: place.path, $0) }, try ServiceDescription.Authorization(members: tree))
        let expires = members.optional("expires")
        let expiration = try expires.map { value throws(Rejection) in
            let number = try wrapping(Rejection.json, try value.number())
            return try wrapping({ Rejection.malformedTime(at: value.path, $0) }, try Timestamp(parsing: number.text))
        }
        let isRefused = try wrapping(Rejection.json, try members.optional("refused")?.bool() ?? false)
        var credentials = try wrapping(
            { Rejection.unusable(at: place.path, $0) },
            try Credentials(checked.members, expiration: expiration, key: grant.key, app: grant.app))
        credentials.isRefused = isRefused
        return .live(credentials)
    }

    private func name<Kind>(_ value: Value) throws(Rejection) -> Identifier<Kind> {
        let text = try wrapping(Rejection.json, try value.string())
        return try wrapping({ Rejection.malformedName(at: value.path, $0) }, try Identifier(parsing: text))
    }
}
