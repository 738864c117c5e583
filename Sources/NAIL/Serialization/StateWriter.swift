internal import OAuth2Grants
internal import PureCrypto
import RSD2
internal import Wire

extension NAILState {
    /// The version of the format that is written; every earlier one is read too (threat 69).
    static let version = 2

    /// The version of a format without keys but seeds, which earlier apps read as well.
    static let seedVersion = 1

    /// The whole state as a text from which it can be restored entirely (NAI-3); equal states give equal texts.
    ///
    /// The text holds tokens and keys. Without a seal a digest reveals damage, but not the hand of somebody who makes a
    /// new digest.
    public func serialized(sealing seal: Seal? = nil) -> String {
        let keys = keys
        let version = keys.contains { $0.seed == nil } ? Self.version : Self.seedVersion
        let content = encodedContent(keys)
        guard let seal else {
            let digest = Self.digest(of: content)
            return "{\"nail\":\(version),\"digest\":\"\(digest)\",\"state\":"
                + String(decoding: content, as: UTF8.self) + "}"
        }
        return "{\"nail\":\(version),\"sealed\":\"\(Base64URL.encode(seal.seal(content)))\"}"
    }

    static func digest(of content: [UInt8]) -> String { Base64URL.encode(SHA256.hash(data: content)) }

    private var sorted: [Service] { services.values.sorted { $0.url < $1.url } }

    /// The key pairs, each once, in the order of the services.
    private var keys: [DeviceKey] {
        var keys: [DeviceKey] = []
        for key in sorted.flatMap({ $0.grants }).compactMap({ $0.key }) where !keys.contains(key) { keys.append(key) }
        return keys
    }

    private func encodedContent(_ keys: [DeviceKey]) -> [UInt8] {
        JSON.encodedObject { object in
            object.array("keys") { array in
                for key in keys {
                    if let seed = key.seed { array.element(seed) } else { array.object { key.write(to: &$0) } }
                }
            }
            object.array("services") { array in
                for service in sorted { array.object { service.write(to: &$0, keys: keys) } }
            }
        }
    }
}

extension NAILState.Service {
    fileprivate func write(to object: inout JSON.ObjectWriter, keys: [DeviceKey]) {
        object.member("url", url.url.text)
        object.array("grants") { array in
            for grant in grants { array.object { grant.write(to: &$0, keys: keys) } }
        }
    }
}

extension NAILState.Grant {
    fileprivate func write(to object: inout JSON.ObjectWriter, keys: [DeviceKey]) {
        object.member("app", app.text)
        object.member("for", requested.map { $0.text })
        object.member("key", ifPresent: key.flatMap { keys.firstIndex(of: $0) }.map { JSON.Number($0) })
        object.member("document", description.json)
        object.array("authorizations") { array in
            for (place, authorization) in sorted { array.object { authorization.write(to: &$0, at: place) } }
        }
    }
}

extension Authorization {
    fileprivate func write(to object: inout JSON.ObjectWriter, at name: ProtocolName?) {
        object.member("at", ifPresent: name?.text)
        switch self {
        case .live(let credentials):
            object.member("authorization", credentials.members)
            // A time writes itself by the grammar of JSON.
            object.member("expires", ifPresent: credentials.expiration.flatMap { try? JSON.Number(parsing: $0.number) })
            if credentials.isRefused { object.member("refused", true) }
        case .ended(let code):
            object.member("ended", code.text)
        }
    }
}
