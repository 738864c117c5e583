public import Wire

extension JWS {
    /// The header of one signature: what it says about itself, which is not to be trusted before the signature is
    /// verified.
    public struct Header: Sendable {
        /// What is signed with the payload.
        public let protected: JSON.Document.Object?
        /// What a JSON serialization says beside it; its names are disjoint from the protected ones.
        public let unprotected: JSON.Document.Object?
        /// The algorithm that the signature claims to have.
        public let algorithm: Algorithm
        /// The name of the key that the signature claims to be by, checked to be a name.
        let keyName: JSON.Name?
        /// Whether the payload is Base64url in what is signed, as it nearly always is.
        public let isPayloadEncoded: Bool

        /// The name of the key that the signature claims to be by (`kid`).
        public var keyID: KeyID? { keyName.flatMap { try? KeyID(parsing: $0.text) } }

        /// What kind of thing is signed (`typ`).
        public var type: ContentType? { text("typ").map { ContentType($0) } }

        /// What the payload consists of (`cty`).
        public var contentType: ContentType? { text("cty").map { ContentType($0) } }

        /// The value of a header parameter, wherever it stands.
        public subscript(name: JSON.Name) -> JSON.Document.Value? {
            protected?.optional(name) ?? unprotected?.optional(name)
        }

        private func text(_ name: JSON.Name) -> String? {
            // Its type was checked when the header was read.
            try? self[name]?.string()
        }
    }
}

// MARK: - Reading

extension JWS.Header {
    /// Headers are small; the bounds are far above any that is honest.
    static let limits = JSON.Limits(size: 8 << 10, depth: 10, values: 512, members: 64)

    /// Names that RFC 7515 and RFC 7518 define, which `crit` must not list.
    private static let standard: [JSON.Name] = [
        "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit",
        "enc", "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c",
    ]

    private static let keySources: [JSON.Name] = ["jwk", "jku", "x5u", "x5c"]

    init(
        protected: JSON.Document.Object?, unprotected: JSON.Document.Object? = nil, policy: JWS.Policy
    ) throws(JWS.Rejection) {
        self.protected = protected
        self.unprotected = unprotected
        let reader = Reader(protected: protected, unprotected: unprotected)
        try reader.checkDisjoint()
        (algorithm, keyName) = (try reader.algorithm(policy), try reader.keyName())
        let type = try reader.checkText("typ")
        // Nearly every header consists of these three; then there is nothing else to look for.
        let ordinary = 1 + (keyName == nil ? 0 : 1) + (type ? 1 : 0)
        if unprotected == nil, protected?.count == ordinary {
            isPayloadEncoded = true
            return
        }
        try reader.checkText("cty")
        for name: JSON.Name in ["enc", "zip"] where reader.find(name) != nil { throw .encrypted(name) }
        if !policy.toleratesEmbeddedKeys {
            for name in Self.keySources where reader.find(name) != nil { throw .embeddedKey(name) }
        }
        let critical = try reader.critical(standard: Self.standard)
        isPayloadEncoded = try reader.isPayloadEncoded(critical: critical, policy)
        for name in critical where name != "b64" {
            guard policy.understoodExtensions.contains(name) else { throw .criticalNotUnderstood(name) }
        }
    }

    /// The two parts of a header while they are checked.
    private struct Reader {
        let protected: JSON.Document.Object?
        let unprotected: JSON.Document.Object?

        func find(_ name: JSON.Name) -> JSON.Document.Value? {
            protected?.optional(name) ?? unprotected?.optional(name)
        }

        func checkDisjoint() throws(JWS.Rejection) {
            guard let protected, let unprotected else { return }
            for member in unprotected where protected.contains(member.name) { throw .repeatedParameter(member.name) }
        }

        func string(_ value: JSON.Document.Value) throws(JWS.Rejection) -> String {
            try wrapping(JWS.Rejection.malformedHeader, try value.string())
        }

        /// Whether a parameter is there, which then must be a string.
        @discardableResult
        func checkText(_ name: JSON.Name) throws(JWS.Rejection) -> Bool {
            guard let value = find(name) else { return false }
            if value.kind != .string { _ = try string(value) }
            return true
        }

        func algorithm(_ policy: JWS.Policy) throws(JWS.Rejection) -> Algorithm {
            let value: JSON.Document.Value
            if let found = protected?.optional("alg") {
                value = found
            } else {
                guard let found = unprotected?.optional("alg") else { throw .malformedHeader(.missing(at: "$.alg")) }
                guard policy.allowsUnprotectedAlgorithm else { throw .unprotected("alg") }
                value = found
            }
            guard let algorithm = Algorithm(try string(value)) else { throw .unsecured }
            return algorithm
        }

        func keyName() throws(JWS.Rejection) -> JSON.Name? {
            guard let value = find("kid") else { return nil }
            let name = try string(value)
            // Nearly every name is one beyond doubt; whatever is not has to be parsed as one to be told from none.
            if value.isPlainText(upTo: 256) { return JSON.Name(name) }
            return JSON.Name(try wrapping(JWS.Rejection.malformedKeyID, try KeyID(parsing: name)).text)
        }

        /// The names that the reader must understand (RFC 7515 §4.1.11).
        func critical(standard: [JSON.Name]) throws(JWS.Rejection) -> [JSON.Name] {
            if unprotected?.contains("crit") == true { throw .unprotected("crit") }
            guard let protected, let value = protected.optional("crit") else { return [] }
            let elements = try wrapping(JWS.Rejection.malformedHeader, try value.array())
            guard !elements.isEmpty else { throw .emptyCritical }
            var names: [JSON.Name] = []
            for element in elements {
                let name = JSON.Name(try string(element))
                guard !names.contains(name) else { throw .repeatedCritical(name) }
                guard !standard.contains(name) else { throw .standardCritical(name) }
                guard protected.contains(name) else { throw .absentCritical(name) }
                names.append(name)
            }
            return names
        }

        /// Whether the payload is encoded (RFC 7797 §3); the parameter is only heeded where it is protected, critical
        /// and allowed.
        func isPayloadEncoded(critical: [JSON.Name], _ policy: JWS.Policy) throws(JWS.Rejection) -> Bool {
            if unprotected?.contains("b64") == true { throw .unprotected("b64") }
            guard let value = protected?.optional("b64") else { return true }
            let isEncoded = try wrapping(JWS.Rejection.malformedHeader, try value.bool())
            guard critical.contains("b64") else { throw .encodingNotCritical }
            guard policy.allowsUnencodedPayload else { throw .criticalNotUnderstood("b64") }
            return isEncoded
        }
    }
}
