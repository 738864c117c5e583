package import Wire

/// A signed text put together from its members, so that a test can break exactly one thing; the signature is right
/// unless the key is another's.
package struct TestToken: Sendable {
    package var header: JSON.Object
    package var claims: JSON.Object
    package var key: TestKey
    /// The time at which it is made, from which its defects count.
    package var now: Int64
    /// The payload to be signed in the place of the claims, where these are to be no JSON object.
    package var payload: [UInt8]?
    /// The header as a text, where it is to be one that no object gives.
    package var head: [UInt8]?
    /// What is done to the finished text.
    package var finish: @Sendable (String) -> String = { $0 }

    package init(_ type: String?, _ key: TestKey, named name: String?, at now: Int64 = 0, _ claims: JSON.Object) {
        header = ["alg": key.algorithm]
        header["typ"] = type.map { .string($0) }
        header["kid"] = name.map { .string($0) }
        self.claims = claims
        self.key = key
        self.now = now
    }

    /// The compact serialization.
    package var text: String {
        let input = Base64URL.encode(head ?? header.encoded()) + "." + Base64URL.encode(payload ?? claims.encoded())
        return finish(input + "." + Base64URL.encode(key.signature(of: Array(input.utf8))))
    }

    /// So many seconds after the token was made, as a claim.
    package func time(_ offset: Int64) -> JSON { .number(JSON.Number(now + offset)) }
}

// MARK: - Changes

extension TestToken {
    private func with(_ change: (inout TestToken) -> Void) -> TestToken {
        var copy = self
        change(&copy)
        return copy
    }

    /// The same with some claims replaced, or left out where the new value is null.
    package func claiming(_ changes: JSON.Object) -> TestToken { with { $0.claims = $0.claims.changed(changes) } }

    /// The same with some header parameters replaced, or left out where the new value is null.
    package func heading(_ changes: JSON.Object) -> TestToken { with { $0.header = $0.header.changed(changes) } }

    /// The same with a signature by another key.
    package func signed(by key: TestKey) -> TestToken { with { $0.key = key } }

    /// The same with these bytes in the place of its claims.
    package func paying(_ payload: [UInt8]) -> TestToken { with { $0.payload = payload } }

    /// The same with a text at the end of its claims, as no object of members can have it.
    package func adding(_ member: String) -> TestToken { paying(Array(claims.text(adding: member).utf8)) }

    /// The same with a text at the end of its header.
    package func addingToHeader(_ member: String) -> TestToken {
        with { $0.head = Array($0.header.text(adding: member).utf8) }
    }

    /// The same with something done to its finished text.
    package func finished(_ finish: @escaping @Sendable (String) -> String) -> TestToken { with { $0.finish = finish } }
}

extension JSON.Object {
    /// The same with some members replaced, or left out where the new value is null.
    package func changed(_ changes: JSON.Object) -> JSON.Object {
        var members = self
        for change in changes { members[change.name] = change.value == .null ? nil : change.value }
        return members
    }

    fileprivate func text(adding member: String) -> String {
        JSON.object(self).encodedString().dropLast() + (isEmpty ? "" : ",") + member + "}"
    }
}
