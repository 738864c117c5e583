internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
public import Wire

extension ProtocolRequest {
    /// The signatures that were taken and must not come again; the authorizing app keeps it from one request to the
    /// next.
    public struct Seen: Sendable, Equatable {
        /// By app, until when each is remembered.
        private var apps: [BundleID: [JWT.ID: Timestamp]] = [:]

        /// As many of one app as nobody taps in ten minutes.
        static let limit = 64
        /// As many of all apps together.
        static let commonLimit = 1_024

        /// None so far.
        public init() {}

        /// Takes a signature for the first time.
        mutating func take(
            _ id: JWT.ID, of app: BundleID, issued: Timestamp, _ policy: CheckPolicy, at now: Timestamp
        ) throws(MessageRejection) {
            apps = apps.compactMapValues { signatures in
                let rest = signatures.filter { now < $0.value }
                return rest.isEmpty ? nil : rest
            }
            let name = Self.short(id)
            if apps[app]?[name] != nil { throw .seen(id) }
            guard apps[app]?.count ?? 0 < Self.limit else { throw .tooManySigned(limit: Self.limit) }
            let sum = apps.values.reduce(0) { $0 + $1.count }
            guard sum < Self.commonLimit else { throw .tooManySigned(limit: Self.commonLimit) }
            apps[app, default: [:]][name] = issued + policy.maximumAge + .seconds(1)
        }

        /// What a signature is remembered by: its name, or that of a long name.
        private static func short(_ id: JWT.ID) -> JWT.ID {
            let bytes = Array(id.text.utf8)
            return bytes.count <= 64 ? id : JWT.ID(stringLiteral: Base64URL.encode(SHA256.hash(data: bytes)))
        }
    }
}

extension ProtocolRequest.Seen {
    /// What is remembered, as an object of objects: apps, signatures, and until when, in seconds.
    public var json: JSON.Object {
        JSON.Object(
            apps.sorted { $0.key < $1.key }.map { app, signatures in
                let times = signatures.sorted { $0.key < $1.key }.map { id, until in
                    (JSON.Name(id.text), JSON.number(JSON.Number(until.seconds)))
                }
                return (JSON.Name(app.text), JSON.object(JSON.Object(times)))
            })
    }

    /// Takes back what ``json`` gave; what cannot be read is passed over, because it remembers nothing.
    public init(_ json: JSON.Object) {
        for app in json {
            guard let name = try? BundleID(parsing: app.name.text), let signatures = app.value.object else { continue }
            for signature in signatures {
                guard let id = try? JWT.ID(parsing: signature.name.text),
                    let seconds = signature.value.number?.integer(as: Int64.self)
                else { continue }
                apps[name, default: [:]][id] = Timestamp(seconds: seconds)
            }
        }
    }
}
