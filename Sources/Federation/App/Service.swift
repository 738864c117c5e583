public import RSD2
public import Wire

extension AuthorizingApp.Store {
    /// A service (DAT-2, DAT-3): its RSD2 description with the very text that the discovery delivered, or what is left
    /// of it when the discovery finds it no more, and the service token that the instance holds there.
    ///
    /// Its description shows no token, and nothing of the text: a careless service may have left tokens there (threat
    /// 45).
    public struct Service: Sendable {
        /// The URL that the service is known by (`baseurl`).
        public let url: ServiceURL
        /// What the text says.
        public private(set) var description: ServiceDescription
        /// The text, byte for byte (`rsd`): with the white space, the unknown members and the spelling of numbers that
        /// it came with.
        package private(set) var text: String
        /// The name that people know the service by (`name`): its host if it has no other.
        public var name: String
        /// The service token (`token`); that one is kept is the app's own record of a successful authorization (USE-4).
        package var token: Token?
        /// The OAuth2 endpoint that the token is for (`token_target`): the description's, or where the edu-ID service
        /// named one with its assertion (AST-1), that one.
        package var tokenTarget: WebURL?

        /// The same service after it was discovered anew.
        ///
        /// The token is kept only while the description names the same places that it is shown at: to another one it
        /// would be shown for the first time.
        func rediscovered(as later: Service) -> Service {
            let shownAt: [String?] = [nil, "token", "revoke"]
            guard shownAt.allSatisfy({ later.described($0) == described($0) }) else { return later }
            var service = later
            (service.token, service.tokenTarget) = (token, tokenTarget)
            return service
        }

        /// The same service when the discovery does not find it any more: what is left of its description is where
        /// tokens are ended, and by what a service that comes back is known to be where it was.
        var withdrawn: Service {
            let rest = description.filtered(for: [])
            guard rest != description else { return self }
            var service = self
            (service.description, service.text) = (rest, String(decoding: rest.encoded(), as: UTF8.self))
            return service
        }

        /// The token with where it is for, which is the description's endpoint where there is none.
        var held: Held? {
            get { token.map { Held(token: $0, target: tokenTarget) } }
            set {
                token = newValue?.token
                tokenTarget = newValue?.target ?? tokenTarget
            }
        }

        struct Held: Equatable {
            let token: Token
            let target: WebURL?
        }

        /// Whether both say the same of the service, whatever is held there.
        func isSame(as other: Service) -> Bool {
            name.utf8.elementsEqual(other.name.utf8) && text.utf8.elementsEqual(other.text.utf8)
        }

        /// Where the service takes what its authorization component is asked, such as `revoke` (RSD-3).
        ///
        /// It is where the description has it, if that has the token endpoint where the token is from; otherwise it is
        /// beside that endpoint.
        func endpoint(_ path: String) -> WebURL? { place(path, orBeside: path) }

        /// The base of what only the service's authorization component is asked (AST-7).
        var component: WebURL? { place(nil, orBeside: ".") }

        private func place(_ path: String?, orBeside reference: String) -> WebURL? {
            guard let tokenTarget else { return nil }
            let place = described("token") == tokenTarget ? described(path) : nil
            return place ?? (try? WebURL(parsing: reference, relativeTo: tokenTarget))
        }

        /// The endpoint of `org.ietf.oauth2`, or of a path below it, where the description leads to a safe one.
        private func described(_ path: String? = nil) -> WebURL? {
            guard let oauth2 = description.oauth2 else { return nil }
            return try? description.endpoint(for: oauth2.name, path: path)
        }

        /// Each service once, sorted, whatever the order they came in; of several descriptions of one service that with
        /// the smallest text counts.
        static func distinct(_ services: [Service]) -> [Service] {
            let sorted = services.sorted { one, other in
                one.url == other.url
                    ? one.text.utf8.lexicographicallyPrecedes(other.text.utf8) : one.url < other.url
            }
            var distinct: [Service] = []
            for service in sorted where distinct.last?.url != service.url { distinct.append(service) }
            return distinct
        }
    }
}

extension AuthorizingApp.Store.Service: Parsable {
    /// Reads one description and keeps its text; the service has no token yet.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        do throws(ServiceDescription.Rejection) {
            description = try ServiceDescription(parsing: bytes)
        } catch {
            throw .document(error)
        }
        guard let url = description.serviceURL else { throw .nameless }
        self.url = url
        text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        name = description.engineName.flatMap { $0.isEmpty ? nil : $0 } ?? url.url.host.text
        tokenTarget = described()
    }
}

extension AuthorizingApp.Store.Service: CustomDebugStringConvertible, CustomReflectable {
    /// Name and URL, and whether there is a token.
    public var debugDescription: String { "\(name) <\(url)>" + (token == nil ? "" : ", token redacted") }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthorizingApp {
    /// What the protocol discovery answered (3b): the descriptions, each service once, in an order of their own (DSC-2,
    /// DSC-4).
    package struct DiscoveryAnswer: Sendable, Parsable {
        /// The services, sorted by their URLs.
        package let services: [Store.Service]
        /// What was left out, by its position, so that one broken description does not hide the others.
        package let dropped: [(position: Int, reason: Federation.Rejection)]
        /// Whether there was no room for one more, so that there may be others.
        package let isFull: Bool

        /// Reads an answer.
        package init(parsing bytes: Span<UInt8>) throws(JSON.Rejection) {
            var found: [Store.Service] = []
            var dropped: [(position: Int, reason: Federation.Rejection)] = []
            let limits = JSON.Limits(size: ServiceDirectory.answerLimit)
            for (position, element) in try JSON.Document(parsing: bytes, limits: limits).root.array().enumerated() {
                do throws(Federation.Rejection) {
                    let service = try Store.Service(parsing: element.raw)
                    // Apps could not use a longer one.
                    try wrapping(Federation.Rejection.document, try service.description.checkLength())
                    found.append(service)
                } catch {
                    dropped.append((position, error))
                }
            }
            services = Store.Service.distinct(found)
            isFull =
                bytes.count + ServiceDescription.lengthLimit >= ServiceDirectory.answerLimit
                || found.count + dropped.count >= ServiceDirectory.documentLimit
            self.dropped = dropped
        }
    }
}
