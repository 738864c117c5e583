public import OAuth2Grants
public import RSD2
public import Wire

/// What an app asks the authorizing app on its device: authorization for services that offer these protocols (NIF-2).
///
/// It goes over the operating system's channel under the ``typeName``, and brings one answer (NIF-1).
public struct ProtocolRequest: Sendable, Equatable {
    /// The name of the data type by which the operating system finds the authorizing app; also the audience of the
    /// request's token.
    public static let typeName = "urn:ietf:params:oauth:assertion"
    /// The same name where types are told apart by Apple's identifiers, which have no colons.
    public static let typeIdentifier = "ch.eduid.oauth-assertion"
    /// The same name where types are media types, as on Android; of the tree for names that nobody has registered (RFC
    /// 6838 §3.4).
    public static let mediaType = "application/x.oauth-assertion"

    /// The most protocols that one request may name.
    package static let protocolLimit = 64

    /// The name of this instance of the app, from the operating system where it has one.
    public let clientID: ClientID
    /// The app's name in its store.
    public let appID: BundleID
    /// The app's name for people, as its store shows it.
    public let appName: AppName
    /// The protocols that each service must offer, each named once.
    public let protocols: [ProtocolName]
    /// Whether the app would rather have one authorization than several (NIF-4).
    public let prefersSingle: Bool
    /// The app's signature under all this, where it has a key for that (NIF-3).
    public internal(set) var token: Assertion?

    /// A request without a signature; repeated protocols are named once.
    public init(
        from clientID: ClientID, of appID: BundleID, named appName: AppName, for protocols: [ProtocolName],
        prefersSingle: Bool = false
    ) throws(MessageRejection) {
        if let offset = appName.text.firstUnfitForDisplay { throw .unfitName(offset: offset) }
        var distinct: [ProtocolName] = []
        for name in protocols where !distinct.contains(name) {
            guard distinct.count < Self.protocolLimit else { throw .tooManyProtocols(limit: Self.protocolLimit) }
            distinct.append(name)
        }
        guard !distinct.isEmpty else { throw .noProtocols }
        self.clientID = clientID
        self.appID = appID
        self.appName = appName
        self.protocols = distinct
        self.prefersSingle = prefersSingle
    }
}

/// The name of a third-party app for people, as its store shows it.
public typealias AppName = Identifier<ProtocolRequest.AppKind>

extension ProtocolRequest {
    /// Names an app for people.
    public enum AppKind: IdentifierKind {}
}

// MARK: - On the channel

extension ProtocolRequest: Parsable {
    private static let limits = JSON.Limits(size: 64 << 10, depth: 8, values: 4_096, members: 256)

    /// Reads a request; members that this module does not know are passed over.
    public init(parsing bytes: Span<UInt8>) throws(MessageRejection) {
        let members: JSON.Document.Object
        do throws(JSON.Rejection) {
            members = try JSON.Document(parsing: bytes, limits: Self.limits).root.object()
        } catch {
            throw .json(error)
        }
        func name<Kind>(
            _ value: JSON.Document.Value, of member: JSON.Name
        ) throws(MessageRejection) -> Identifier<Kind> {
            let text = try wrapping(MessageRejection.json, try value.string())
            return try wrapping({ MessageRejection.malformedName(member, $0) }, try Identifier(parsing: text))
        }
        func member(_ name: JSON.Name) throws(MessageRejection) -> JSON.Document.Value {
            try wrapping(MessageRejection.json, try members[name])
        }
        func optional(_ name: JSON.Name) -> JSON.Document.Value? {
            members.optional(name).flatMap { $0.isNull ? nil : $0 }
        }
        let list = try wrapping(MessageRejection.json, try members["protocols"].array())
        var protocols: [ProtocolName] = []
        for element in list { protocols.append(try name(element, of: "protocols")) }
        let single = optional("single")
        try self.init(
            from: name(member("client_id"), of: "client_id"), of: name(member("app_id"), of: "app_id"),
            named: name(member("app_name"), of: "app_name"), for: protocols,
            prefersSingle: wrapping(MessageRejection.json, try single?.bool() ?? false))
        guard let value = optional("token") else { return }
        let text = try wrapping(MessageRejection.json, try value.string())
        token = try wrapping(MessageRejection.malformedToken, try Assertion(parsing: text))
    }

    /// The request as the channel carries it.
    public func encoded() -> [UInt8] {
        JSON.encodedObject { object in
            object.member("client_id", clientID.text)
            object.member("app_id", appID.text)
            object.member("app_name", appName.text)
            object.member("protocols", protocols.map { $0.text })
            object.member("token", ifPresent: token?.secret)
            if prefersSingle { object.member("single", true) }
        }
    }
}
