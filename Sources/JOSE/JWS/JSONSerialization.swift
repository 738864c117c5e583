package import Wire

// MARK: - JSON serializations (RFC 7515 §7.2)

extension JWS.Unverified {
    /// Reads a flattened or general JSON serialization from its text.
    ///
    /// - Parameter detachedPayload: the payload, where it is kept elsewhere; then the object must have none.
    public init(
        parsingJSON text: some Collection<UInt8>, detachedPayload: [UInt8]? = nil, policy: JWS.Policy = JWS.Policy()
    ) throws(JWS.Rejection) {
        let limits = JSON.Limits(size: policy.contentSize, depth: 12)
        let document = try wrapping(
            JWS.Rejection.malformedSerialization, try JSON.Document(parsing: text, limits: limits))
        try self.init(json: document.root, detachedPayload: detachedPayload, policy: policy)
    }

    /// Reads a flattened or general JSON serialization that is a value in a document.
    ///
    /// - Parameter detachedPayload: the payload, where it is kept elsewhere; then the object must have none.
    package init(json value: JSON.Document.Value, detachedPayload: [UInt8]? = nil, policy: JWS.Policy = JWS.Policy())
        throws(JWS.Rejection)
    {
        let serialization = try Serialization(value)
        let entries = try serialization.entries(policy)
        let encodedPayload = try serialization.text("payload", of: serialization.object)
        if encodedPayload != nil, detachedPayload != nil { throw .payloadNotDetached }

        var signatures: [Signature] = []
        var payload: [UInt8]?
        for entry in entries {
            let header = try serialization.header(of: entry, policy)
            let content = try Serialization.payload(encodedPayload, detachedPayload, isEncoded: header.isPayloadEncoded)
            // RFC 7797 §3: all signatures must agree on what the payload is.
            if let first = signatures.first, first.header.isPayloadEncoded != header.isPayloadEncoded {
                throw .payloadInTwoForms
            }
            guard content.count <= policy.contentSize else {
                throw .tooLarge(size: content.count, limit: policy.contentSize)
            }
            payload = content
            signatures.append(try serialization.signature(of: entry, header, content))
        }
        // There is at least one entry, and each has set the payload and added its signature.
        guard let payload, let first = signatures.first else { throw .emptySignature }
        self.init(
            payload: payload, first: first, further: Array(signatures.dropFirst()), isCompact: false, policy: policy)
    }
}

/// The members of a JSON serialization.
private struct Serialization {
    let object: JSON.Document.Object

    typealias Rejection = JWS.Rejection

    init(_ value: JSON.Document.Value) throws(Rejection) {
        object = try wrapping(Rejection.malformedSerialization, try value.object())
    }

    /// The objects that hold the signatures: the elements of the general form, or the one flattened object.
    func entries(_ policy: JWS.Policy) throws(Rejection) -> [JSON.Document.Object] {
        guard let list = object.optional("signatures") else { return [object] }
        for name: JSON.Name in ["signature", "protected", "header"] where object.contains(name) {
            throw .mixedSerializations(name)
        }
        let elements = try wrapping(Rejection.malformedSerialization, try list.array())
        guard !elements.isEmpty else { throw .malformedSerialization(.missing(at: "$.signatures[0]")) }
        var objects: [JSON.Document.Object] = []
        for element in elements {
            objects.append(try wrapping(Rejection.malformedSerialization, try element.object()))
        }
        guard objects.count <= policy.signatures else {
            throw .tooManySignatures(found: objects.count, limit: policy.signatures)
        }
        return objects
    }

    /// A member that must be a string where it is present.
    func text(_ name: JSON.Name, of object: JSON.Document.Object) throws(Rejection) -> [UInt8]? {
        guard let value = object.optional(name) else { return nil }
        return Array(try wrapping(Rejection.malformedSerialization, try value.string()).utf8)
    }

    func header(of entry: JSON.Document.Object, _ policy: JWS.Policy) throws(Rejection) -> JWS.Header {
        var protected: JSON.Document.Object?
        if let text = try text("protected", of: entry) {
            protected = try JWS.Header.object(ofBase64URL: text, 0..<text.count)
        }
        let unprotected = try wrapping(Rejection.malformedSerialization, try entry.optional("header")?.object())
        return try JWS.Header(protected: protected, unprotected: unprotected, policy: policy)
    }

    static func payload(_ encoded: [UInt8]?, _ detached: [UInt8]?, isEncoded: Bool) throws(Rejection) -> [UInt8] {
        if let detached { return detached }
        guard let encoded else { throw .malformedSerialization(.missing(at: "$.payload")) }
        guard isEncoded else { return encoded }
        return try wrapping({ JWS.Rejection.malformedBase64URL(.payload, $0) }, try Base64URL.decode(encoded))
    }

    func signature(of entry: JSON.Document.Object, _ header: JWS.Header, _ payload: [UInt8]) throws(Rejection)
        -> JWS.Unverified.Signature
    {
        guard let text = try text("signature", of: entry) else {
            throw .malformedSerialization(.missing(at: "$.signature"))
        }
        let value = try wrapping({ JWS.Rejection.malformedBase64URL(.signature, $0) }, try Base64URL.decode(text))
        guard !value.isEmpty else { throw .emptySignature }
        let input = JWS.input(try self.text("protected", of: entry) ?? [], payload, encoded: header.isPayloadEncoded)
        return JWS.Unverified.Signature(header: header, input: input, inputLength: input.count, value: value)
    }
}
