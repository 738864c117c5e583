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

    /// The most protocols that one request may name.
    public static let protocolLimit = 64

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
    ) throws(Rejection) {
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

    /// Why something is no request.
    public enum Rejection: Error, Equatable, Sendable {
        /// It is not JSON, or a member is missing or of another type.
        case json(JSON.Rejection)
        /// A member that names something is no name.
        case malformedName(JSON.Name, IdentifierRejection)
        /// No protocol is named.
        case noProtocols
        /// More protocols than ``ProtocolRequest/protocolLimit``.
        case tooManyProtocols(limit: Int)
        /// The token is not one.
        case malformedToken(SecretRejection)
    }
}

/// The name of a third-party app for people, as its store shows it.
public struct AppName: Identifier {
    /// The checked text.
    public let spelling: Spelling<AppName>

    /// Takes a checked text.
    public init(_ spelling: Spelling<AppName>) { self.spelling = spelling }
}

// MARK: - On the channel

extension ProtocolRequest: Parsable {
    private static let limits = JSON.Limits(size: 64 << 10, depth: 8, values: 4_096, members: 256)

    /// Reads a request; members that this module does not know are passed over.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        let members: JSON.Document.Object
        do throws(JSON.Rejection) {
            members = try JSON.Document(parsing: bytes, limits: Self.limits).root.object()
        } catch {
            throw .json(error)
        }
        let reader = Reader(members: members)
        try self.init(
            from: reader.name("client_id"), of: reader.name("app_id"), named: reader.name("app_name"),
            for: reader.protocols(),
            prefersSingle: reader.flag("single"))
        token = try reader.token()
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

    /// The members of a request while they are read.
    private struct Reader {
        let members: JSON.Document.Object

        func name<Kind: Identifier>(_ member: JSON.Name) throws(Rejection) -> Kind {
            let text: String
            do throws(JSON.Rejection) { text = try members[member].string() } catch { throw .json(error) }
            do throws(IdentifierRejection) { return try Kind(parsing: text) } catch {
                throw .malformedName(member, error)
            }
        }

        func protocols() throws(Rejection) -> [ProtocolName] {
            var texts: [String] = []
            do throws(JSON.Rejection) {
                for element in try members["protocols"].array() { texts.append(try element.string()) }
            } catch {
                throw .json(error)
            }
            var names: [ProtocolName] = []
            for text in texts {
                do throws(IdentifierRejection) {
                    names.append(try ProtocolName(parsing: text))
                } catch {
                    throw .malformedName("protocols", error)
                }
            }
            return names
        }

        func flag(_ member: JSON.Name) throws(Rejection) -> Bool {
            guard let value = members.optional(member), !value.isNull else { return false }
            do throws(JSON.Rejection) { return try value.bool() } catch { throw .json(error) }
        }

        func token() throws(Rejection) -> Assertion? {
            guard let value = members.optional("token"), !value.isNull else { return nil }
            let text: String
            do throws(JSON.Rejection) { text = try value.string() } catch { throw .json(error) }
            do throws(SecretRejection) { return try Assertion(parsing: text) } catch { throw .malformedToken(error) }
        }
    }
}

extension ProtocolRequest.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .json(let rejection): "a protocol request: \(rejection) (\(clause))"
        case .malformedName(let member, let rejection): "'\(member)' of a protocol request: \(rejection)"
        case .noProtocols: "a protocol request names no protocol (\(clause))"
        case .tooManyProtocols(let limit): "a protocol request names more than \(limit) protocols (\(clause))"
        case .malformedToken(let rejection): "the token of a protocol request: \(rejection)"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .json(.missing), .json(.mismatch), .noProtocols, .malformedName(_, .empty): "NIF-2"
        case .json(let rejection): rejection.clause
        case .malformedName(_, let rejection): rejection.clause
        case .tooManyProtocols: "threat-14"
        case .malformedToken(let rejection): rejection.clause
        }
    }
}
