public import Wire

extension JWS {
    /// What goes into the protected header beside `alg` and `kid`, which the key says.
    public struct SigningHeader: Sendable {
        /// What kind of thing is signed (`typ`).
        public var type: ContentType?
        /// What the payload consists of (`cty`).
        public var contentType: ContentType?
        /// Further parameters.
        ///
        /// They cannot replace those that the key and this type determine.
        public var others = JSON.Object()

        /// A header; what is not given stays unsaid.
        public init(type: ContentType? = nil, contentType: ContentType? = nil) {
            self.type = type
            self.contentType = contentType
        }
    }
}

extension JWS.SigningHeader {
    private static let reserved: [JSON.Name] = ["alg", "kid", "typ", "cty", "crit", "b64"]

    /// The header as Base64url, as it stands in every serialization.
    func encoded(for key: SigningKey, encodesPayload: Bool = true) throws(SigningKey.Rejection) -> [UInt8] {
        if let name = others.first(where: { Self.reserved.contains($0.name) })?.name { throw .reservedParameter(name) }
        let json = JSON.encodedObject { header in
            header.member("alg", key.algorithm.name.text)
            header.member("kid", ifPresent: key.id?.text)
            header.member("typ", ifPresent: type?.text)
            header.member("cty", ifPresent: contentType?.text)
            for member in others { header.member(member.name, member.value) }
            if !encodesPayload {
                header.member("b64", false)
                header.member("crit", ["b64"])
            }
        }
        var text: [UInt8] = []
        Base64URL.encode(json.span, to: &text)
        return text
    }
}

// MARK: - Compact serialization

extension JWS {
    /// The compact serialization of a payload, signed.
    public static func signed(
        _ payload: [UInt8], with key: SigningKey, header: SigningHeader = SigningHeader()
    ) throws(SigningKey.Rejection) -> String {
        try unsigned(payload, for: key, header: header).signed()
    }

    /// The compact serialization of a signed payload that travels by itself: its place in the text is empty (RFC 7515
    /// appendix F).
    ///
    /// - Parameter encoded: whether the payload is Base64url in what is signed; if not, the header says so (RFC 7797).
    public static func signedDetached(
        _ payload: [UInt8], encoded: Bool = true, with key: SigningKey, header: SigningHeader = SigningHeader()
    ) throws(SigningKey.Rejection) -> String {
        let encodedHeader = try header.encoded(for: key, encodesPayload: encoded)
        var output = encodedHeader
        output += [dot, dot]
        try key.signature(over: input(encodedHeader, payload, encoded: encoded).span).append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// What is signed: header, dot, payload.
    static func input(_ encodedHeader: [UInt8], _ payload: [UInt8], encoded: Bool) -> [UInt8] {
        encoded ? signingInput(payload, encodedHeader: encodedHeader) : encodedHeader + [dot] + payload
    }

    /// Header, dot and encoded payload, in a buffer that is large enough for the signature as well.
    static func signingInput(_ payload: [UInt8], encodedHeader: [UInt8]) -> [UInt8] {
        // Two dots, the longest signature made here, and what the encoder writes beyond its text.
        let ending = 2 + Base64URL.length(ofBytes: 64) + 32
        var input: [UInt8] = []
        input.reserveCapacity(encodedHeader.count + Base64URL.length(ofBytes: payload.count) + ending)
        input += encodedHeader
        input.append(dot)
        Base64URL.encode(payload.span, to: &input)
        return input
    }
}

extension SigningKey {
    /// Appends a dot and the signature to what is signed.
    func sign(_ text: inout [UInt8], knowing signatures: Signatures = .none) throws(Rejection) {
        let signature = try signature(over: text.span, knowing: signatures)
        text.append(JWS.dot)
        signature.append(to: &text)
    }
}

// MARK: - JSON serializations

extension JWS {
    /// The general JSON serialization of a payload, signed by each of these keys; by one key alone the flattened one.
    public static func signedJSON(
        _ payload: [UInt8], with keys: [SigningKey], header: SigningHeader = SigningHeader()
    ) throws(SigningKey.Rejection) -> [UInt8] {
        var entries: [JSON.Object] = []
        for key in keys {
            let encodedHeader = try header.encoded(for: key)
            var signature: [UInt8] = []
            try key.signature(over: input(encodedHeader, payload, encoded: true).span).append(to: &signature)
            entries.append([
                "protected": .string(String(decoding: encodedHeader, as: UTF8.self)),
                "signature": .string(String(decoding: signature, as: UTF8.self)),
            ])
        }
        return JSON.encodedObject { object in
            object.member("payload", Base64URL.encode(payload))
            if entries.count == 1 {
                for member in entries[0] { object.member(member.name, member.value) }
            } else {
                object.member("signatures", entries)
            }
        }
    }
}
