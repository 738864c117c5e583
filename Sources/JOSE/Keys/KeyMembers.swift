import Wire

/// The members of a key's object, read with the types that keys have.
struct KeyMembers {
    let object: JSON.Document.Object

    init(_ value: JSON.Document.Value) throws(JWK.Rejection) {
        do throws(JSON.Rejection) {
            object = try value.object()
        } catch {
            throw .malformed(error)
        }
    }

    /// The string that a member must be.
    func text(_ name: JSON.Name) throws(JWK.Rejection) -> String {
        do throws(JSON.Rejection) {
            return try object[name].string()
        } catch {
            throw .malformed(error)
        }
    }

    /// The string that a member must be where it is present.
    func optionalText(_ name: JSON.Name) throws(JWK.Rejection) -> String? {
        object.contains(name) ? try text(name) : nil
    }

    /// The strings of an array that a member must be where it is present.
    func optionalTexts(_ name: JSON.Name) throws(JWK.Rejection) -> [String]? {
        guard let value = object.optional(name) else { return nil }
        do throws(JSON.Rejection) {
            var texts: [String] = []
            for element in try value.array() { texts.append(try element.string()) }
            return texts
        } catch {
            throw .malformed(error)
        }
    }

    /// The bytes of a member, which is canonical Base64url.
    func bytes(_ name: JSON.Name) throws(JWK.Rejection) -> [UInt8] {
        let text = try text(name)
        do throws(SyntaxError) {
            return try Base64URL.decode(text)
        } catch {
            throw .malformedBase64URL(name, error)
        }
    }

    /// The bytes of a member, of which there is exactly the right number.
    func bytes(_ name: JSON.Name, count: Int) throws(JWK.Rejection) -> [UInt8] {
        let bytes = try bytes(name)
        guard bytes.count == count else { throw .wrongLength(name, expected: count, found: bytes.count) }
        return bytes
    }

    /// The big-endian bytes of a positive integer, without leading zeros (RFC 7518 §2).
    func integer(_ name: JSON.Name) throws(JWK.Rejection) -> [UInt8] {
        let bytes = try bytes(name)
        guard let first = bytes.first, first != 0 else { throw .notMinimal(name) }
        return bytes
    }
}
