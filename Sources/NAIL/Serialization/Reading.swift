internal import OAuth2Grants
import RSD2
internal import Wire

extension NAILState {
    private static let limits = JSON.Limits(size: 64 << 20, depth: 48, stringLength: 64 << 20)

    /// Restores a state from the text that ``serialized(sealing:)`` gave, wholly or not at all (NAI-3, threat 49).
    ///
    /// With a seal only sealed texts are taken, so that nobody can put an open one in the place of a sealed one.
    public init(parsing text: String, opening seal: Seal? = nil) throws(Rejection) {
        let envelope = try Reader.reading { () throws(JSON.Rejection) in
            try JSON.Document(parsing: text, limits: Self.limits).root.object()
        }
        let version = try Reader.reading { () throws(JSON.Rejection) in try envelope["nail"].number() }
        guard version.integer(as: Int.self) == Self.version else { throw .unknownVersion(version.text) }
        if let sealed = envelope.optional("sealed") {
            guard let seal else { throw .sealed }
            let text = try Reader.reading { () throws(JSON.Rejection) in try sealed.string() }
            guard let bytes = try? Base64URL.decode(text), let content = seal.open(bytes) else { throw .brokenSeal }
            let document = try Reader.reading { () throws(JSON.Rejection) in
                try JSON.Document(parsing: content, limits: Self.limits)
            }
            try self.init(document.root)
        } else {
            guard seal == nil else { throw .unsealed }
            let digest = try Reader.reading { () throws(JSON.Rejection) in try envelope["digest"].string() }
            let content = try Reader.reading { () throws(JSON.Rejection) in try envelope["state"] }
            guard Self.digest(of: content.raw).utf8.elementsEqual(digest.utf8) else { throw .otherDigest }
            try self.init(content)
        }
    }

    private init(_ content: JSON.Document.Value) throws(Rejection) {
        let object = try Reader.object(content)
        var keys: [AppKey] = []
        for value in try Reader.array(object, "keys") {
            guard let key = AppKey(seed: try Reader.text(value)) else { throw .malformedKey(at: value.path) }
            keys.append(key)
        }
        let reader = Reader(keys: keys)
        for value in try Reader.array(object, "services") {
            let service = try reader.service(value)
            let identity = JSON.Name(service.url.identity)
            guard services[identity] == nil else { throw .impossible(at: value.path, .repeatedService) }
            services[identity] = service
        }
        guard grantCount <= Self.grantLimit else { throw .impossible(at: content.path, .tooManyGrants) }
    }
}

/// Reads the parts of a state; whatever they say is checked as if it came from a stranger.
private struct Reader {
    typealias Rejection = NAILState.Rejection
    typealias Value = JSON.Document.Value

    let keys: [AppKey]

    func service(_ value: Value) throws(Rejection) -> NAILState.Service {
        let object = try Self.object(value)
        let place = try Self.reading { () throws(JSON.Rejection) in try object["url"] }
        let text = try Self.text(place)
        let url: ServiceURL
        do throws(WebURL.Rejection) { url = try ServiceURL(parsing: text) } catch {
            throw .malformedURL(at: place.path, error)
        }
        var grants: [NAILState.Grant] = []
        for element in try Self.array(object, "grants") {
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
        let object = try Self.object(value)
        let app: BundleID = try Self.name(object, "app")
        var requested: [ProtocolName] = []
        for element in try Self.array(object, "for") {
            let name: ProtocolName = try Self.name(element)
            guard !requested.contains(name) else { throw .impossible(at: element.path, .repeatedProtocol) }
            requested.append(name)
        }
        guard !requested.isEmpty else { throw .impossible(at: value.path, .nothingGranted) }
        let place = try Self.reading { () throws(JSON.Rejection) in try object["document"] }
        let description: ServiceDescription
        do throws(ServiceDescription.Rejection) {
            description = try ServiceDescription(parsing: place.raw)
        } catch {
            throw .malformedDocument(at: place.path, error)
        }
        guard requested.allSatisfy(description.offers) else { throw .impossible(at: place.path, .notOffered) }
        var grant = NAILState.Grant(
            app: app, requested: requested, description: description.filtered(for: requested).withoutAuthorization,
            key: try key(object),
            common: nil, own: [:])
        try readAuthorizations(object, into: &grant)
        return grant
    }

    private func key(_ object: JSON.Document.Object) throws(Rejection) -> AppKey? {
        guard let value = object.optional("key") else { return nil }
        let index = try Self.reading { () throws(JSON.Rejection) in try value.integer(as: Int.self) }
        guard keys.indices.contains(index) else { throw .impossible(at: value.path, .unknownKey) }
        return keys[index]
    }

    private func readAuthorizations(_ object: JSON.Document.Object, into grant: inout NAILState.Grant) throws(Rejection)
    {
        for element in try Self.array(object, "authorizations") {
            let members = try Self.object(element)
            let authorization = try self.authorization(members, of: element, grant)
            guard members.contains("at") else {
                guard grant.common == nil else { throw .impossible(at: element.path, .repeatedAuthorization) }
                grant.common = authorization
                continue
            }
            let name: ProtocolName = try Self.name(members, "at")
            guard grant.description.offers(name) else { throw .impossible(at: element.path, .notOffered) }
            guard grant.own[name] == nil else { throw .impossible(at: element.path, .repeatedAuthorization) }
            grant.own[name] = authorization
        }
    }

    private func authorization(
        _ members: JSON.Document.Object, of value: Value, _ grant: NAILState.Grant
    ) throws(Rejection) -> Authorization {
        if let ended = members.optional("ended") {
            let text = try Self.text(ended)
            guard let code = try? OAuth2Error.Code(parsing: text) else {
                throw .impossible(at: value.path, .malformedCode)
            }
            return .ended(.renewalRefused(code))
        }
        let place = try Self.reading { () throws(JSON.Rejection) in try members["authorization"] }
        let tree = try Self.object(place).tree()
        let checked: ServiceDescription.Authorization
        do throws(ServiceDescription.Rejection) {
            checked = try ServiceDescription.Authorization(members: tree)
        } catch {
            throw .malformedDocument(at: place.path, error)
        }
        let expiration = try self.expiration(members)
        let isRefused = try members.optional("refused").map { value throws(Rejection) in try Self.flag(value) } ?? false
        do throws(AuthorizationRejection) {
            var credentials = try Credentials(checked.members, expiration: expiration, key: grant.key, app: grant.app)
            credentials.isRefused = isRefused
            return .live(credentials)
        } catch {
            throw .unusable(at: place.path, error)
        }
    }

    private func expiration(_ members: JSON.Document.Object) throws(Rejection) -> Timestamp? {
        guard let value = members.optional("expires") else { return nil }
        let number = try Self.reading { () throws(JSON.Rejection) in try value.number() }
        do throws(Timestamp.Rejection) { return try Timestamp(parsing: number.text) } catch {
            throw .malformedTime(at: value.path, error)
        }
    }

    // MARK: values

    static func reading<Result>(_ read: () throws(JSON.Rejection) -> Result) throws(Rejection) -> Result {
        do throws(JSON.Rejection) { return try read() } catch { throw .json(error) }
    }

    static func object(_ value: Value) throws(Rejection) -> JSON.Document.Object {
        try reading { () throws(JSON.Rejection) in try value.object() }
    }

    static func array(_ object: JSON.Document.Object, _ name: JSON.Name) throws(Rejection) -> JSON.Document.Array {
        try reading { () throws(JSON.Rejection) in try object[name].array() }
    }

    static func text(_ value: Value) throws(Rejection) -> String {
        try reading { () throws(JSON.Rejection) in try value.string() }
    }

    static func flag(_ value: Value) throws(Rejection) -> Bool {
        try reading { () throws(JSON.Rejection) in try value.bool() }
    }

    static func name<Kind: Identifier>(_ object: JSON.Document.Object, _ member: JSON.Name) throws(Rejection) -> Kind {
        try name(try reading { () throws(JSON.Rejection) in try object[member] })
    }

    static func name<Kind: Identifier>(_ value: Value) throws(Rejection) -> Kind {
        let text = try text(value)
        do throws(IdentifierRejection) { return try Kind(parsing: text) } catch {
            throw .malformedName(at: value.path, error)
        }
    }
}
