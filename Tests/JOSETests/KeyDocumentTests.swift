import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

private func publicRefusal(_ bytes: [UInt8]) -> JWK.Rejection? {
    rejection { () throws(JWK.Rejection) in try PublicKeyDocument(derRepresentation: bytes) }
}

private func privateRefusal(_ bytes: [UInt8]) -> JWK.Rejection? {
    rejection { () throws(JWK.Rejection) in try PrivateKeyDocument(derRepresentation: bytes) }
}

@Suite("RFC 5480, 5915, 5958: documents of keys of P-256, P-384 and P-521")
struct KeyDocumentTests {
    @Test("Documents of another library are read, in all their forms", .proves("KEY-11"), .proves("RFC5915-3"))
    func read() throws {
        for written in try Written.curves {
            let key = try JWK(parsing: Written.jwk(written))
            for name: JSON.Name in ["spki", "spkiCompressed"] {
                let document = try PublicKeyDocument(derRepresentation: Written.bytes(written, name))
                #expect(JWK(document) == key)
                #expect(key.document == document)
            }
            #expect(try JWK(PublicKeyDocument(pemRepresentation: Written.text(written, "spkiPEM"))) == key)
            #expect(
                try JWK.Private(PrivateKeyDocument(derRepresentation: Written.bytes(written, "pkcs8"))).publicKey == key
            )
            for name: JSON.Name in ["pkcs8PEM", "sec1PEM"] {
                let document = try PrivateKeyDocument(pemRepresentation: Written.text(written, name))
                let pair = JWK.Private(document)
                #expect(pair.publicKey == key)
                #expect(try JSON(parsing: try #require(pair.encoded()))["d"] == written["d"])
            }
            // The forms are the same on each curve; multiplying takes its time.
            let forms = try #require(written["private"]?.object)
            for document in forms.prefix(written["name"] == "P-256" ? forms.count : 1) {
                let bytes = try Base64.decode(try #require(document.value.string))
                #expect(
                    try JWK.Private(PrivateKeyDocument(derRepresentation: bytes)).publicKey == key, "\(document.name)")
            }
        }
    }

    @Test("What is written is what another library writes", .proves("KEY-11"))
    func write() throws {
        for written in try Written.curves {
            let key = try JWK(parsing: Written.jwk(written))
            #expect(try key.document?.derRepresentation == Written.bytes(written, "spki"))
            #expect(try key.document?.pemRepresentation == Written.text(written, "spkiPEM"))
            let pair = try JWK.Private(parsing: Written.jwk(written, ["d": try #require(written["d"])]))
            #expect(try pair.document?.derRepresentation == Written.bytes(written, "pkcs8"))
            #expect(try pair.document?.pemRepresentation == Written.text(written, "pkcs8PEM"))
        }
        let rsa = try Written.rsa
        let document = try PublicKeyDocument(derRepresentation: Written.bytes(rsa, "spki"))
        #expect(try JWK(document) == JWK(parsing: Written.jwk(rsa)))
        #expect(try document.derRepresentation == Written.bytes(rsa, "spki"))
        #expect(try document.pemRepresentation == Written.text(rsa, "spkiPEM"))
        #expect(try PublicKeyDocument(pemRepresentation: Written.text(rsa, "spkiPEM")) == document)
        let edwards = try #require(try Written.all["ed25519"])
        let pair = try PrivateKeyDocument(pemRepresentation: Written.text(edwards, "pkcs8PEM"))
        let shown = try PublicKeyDocument(pemRepresentation: Written.text(edwards, "spkiPEM"))
        #expect(JWK.Private(pair).publicKey == JWK(shown))
        #expect(try pair.pemRepresentation == Written.text(edwards, "pkcs8PEM"))
        #expect(try shown.pemRepresentation == Written.text(edwards, "spkiPEM"))
        #expect(try JWK(shown).thumbprint().text == Written.text(edwards, "thumbprint"))
    }

    @Test("A typed key reads its own documents and says which one it found instead")
    func typed() throws {
        let curves = try Written.curves
        let (spki, pkcs8) = (try Written.bytes(curves[0], "spki"), try Written.bytes(curves[0], "pkcs8"))
        let pair = try P256.Signing.PrivateKey(derRepresentation: pkcs8)
        #expect(try P256.Signing.PublicKey(derRepresentation: spki) == pair.publicKey)
        #expect(try P256.Signing.PublicKey(pemRepresentation: pair.publicKey.pemRepresentation) == pair.publicKey)
        #expect(try P256.Signing.PrivateKey(pemRepresentation: pair.pemRepresentation) == pair)
        #expect(
            try P256.Signing.PrivateKey(pemRepresentation: Written.text(curves[0], "sec1PEM")) == pair)
        #expect(pair.derRepresentation == pkcs8)
        #expect(pair.publicKey.derRepresentation == spki)
        let other = JWK.Rejection.otherKeyAlgorithm(found: "P-256", expected: "P-384")
        #expect(rejection { () throws(JWK.Rejection) in try P384.Signing.PublicKey(derRepresentation: spki) } == other)
        #expect(
            rejection { () throws(JWK.Rejection) in try P384.Signing.PrivateKey(derRepresentation: pkcs8) } == other)
        #expect(
            rejection { () throws(JWK.Rejection) in try Curve25519.Signing.PrivateKey(derRepresentation: pkcs8) }
                == .otherKeyAlgorithm(found: "P-256", expected: "Ed25519"))
        #expect(
            rejection { () throws(JWK.Rejection) in try RSA.Signing.PublicKey(derRepresentation: spki) }
                == .otherKeyAlgorithm(found: "P-256", expected: "RSA"))
        let (spki384, pem521) = (try Written.bytes(curves[1], "spki"), try Written.text(curves[2], "pkcs8PEM"))
        #expect(try P384.Signing.PublicKey(derRepresentation: spki384).derRepresentation == spki384)
        #expect(try P521.Signing.PrivateKey(pemRepresentation: pem521).pemRepresentation == pem521)
    }

    @Test func aDocument() throws {
        let text = try Written.text(try Written.rsa, "spkiPEM")
        // example: a key from a document
        let document = try PublicKeyDocument(pemRepresentation: text)
        let key = JWK(document, attributes: JWK.Attributes(id: "idp-1", algorithm: .rs256))
        let keys = JWKSet([key], of: "https://idp.example.org")
        // end of example
        let token = try Written.text(try #require(try Written.rsa["tokens"]), "RS256")
        #expect(throws: Never.self) { try JWS.Unverified(parsing: token).verified(by: keys) }
    }

    @Test("Every proper prefix is refused, and so is anything behind", .proves("KEY-11"))
    func prefixes() throws {
        for written in try Written.curves.prefix(2) {
            let (spki, pkcs8) = (try Written.bytes(written, "spki"), try Written.bytes(written, "pkcs8"))
            for length in spki.indices { #expect(publicRefusal(Array(spki[..<length])) == .truncated) }
            for length in pkcs8.indices { #expect(privateRefusal(Array(pkcs8[..<length])) == .truncated) }
            #expect(publicRefusal(spki + [0]) == .trailingBytes(offset: spki.count))
            #expect(privateRefusal(pkcs8 + [0]) == .trailingBytes(offset: pkcs8.count))
        }
    }

    @Test("Random and mutated documents never trap, and a public one that is read is written again")
    func mutation() throws {
        let seed: UInt64 = 0x5480
        var generator = SeededGenerator(seed: seed)
        let written = try Written.curves[0]
        let rsa = try Written.rsa
        let documents = [
            try Written.bytes(written, "spki"), try Written.bytes(written, "spkiCompressed"),
            try Written.bytes(written, "pkcs8"), try Written.bytes(rsa, "spki"),
        ]
        for document in documents {
            for round in 0..<80 {
                var copy = document
                // Most of the fun is before the key.
                let place = generator.next(upperBound: UInt64(round % 4 == 0 ? copy.count : 36))
                copy[Int(place)] = UInt8(truncatingIfNeeded: generator.next())
                if let key = try? PublicKeyDocument(derRepresentation: copy), copy.count != documents[1].count {
                    #expect(key.derRepresentation == copy, "seed \(seed), round \(round)")
                }
                _ = try? PrivateKeyDocument(derRepresentation: copy)
            }
        }
    }
}

@Suite("RFC 5480, 5915, 5958: one rule broken each")
struct BrokenKeyDocumentTests {
    /// What is refused of keys of both curves: public documents first, then private ones.
    private func expected(_ curve: ECDSACurve, _ other: ECDSACurve) -> [String: JWK.Rejection] {
        let length = curve.coordinateLength
        return [
            "explicit parameters": .unnamedCurve, "implied parameters": .unnamedCurve, "no parameters": .unnamedCurve,
            "point of another curve": .invalidCurveKey(.wrongLength(found: 1 + 2 * other.coordinateLength)),
            "no point": .invalidCurveKey(.wrongLength(found: 0)),
            "point off the curve": .invalidCurveKey(.notOnCurve),
            "short point": .invalidCurveKey(.wrongLength(found: 2 * length)),
            "unused bits": .unusedBits,
            "scalar too short": .invalidCurveKey(.wrongLength(found: length - 1)),
            "scalar too long": .invalidCurveKey(.wrongLength(found: length + 1)),
            "scalar zero": .invalidCurveKey(.scalarOutOfRange),
            "scalar the order": .invalidCurveKey(.scalarOutOfRange),
            "another public key inside": .mismatchedPair, "another public key beside": .mismatchedPair,
            "another public key in sec1": .mismatchedPair,
            "another curve inside": .otherCurve(found: other, expected: curve),
            "explicit parameters inside": .unnamedCurve, "sec1 without its curve": .unnamedCurve,
            "sec1 of version 0": .unknownVersion, "sec1 of version 2": .unknownVersion,
            "sec1 inside of version 0": .unknownVersion, "version 1 with the public key": .unknownVersion,
            "version 2 without the public key": .unknownVersion, "version 3": .unknownVersion,
        ]
    }

    /// Rules whose refusal depends on where the document breaks them: the case is told by its words.
    private let worded: [String: String] = [
        "two parameters": "bytes are left over", "hybrid point": "", "point at infinity": "",
        "key and more": "bytes are left over", "more behind the key": "bytes are left over",
        "more inside of the key": "bytes are left over", "more behind the key inside": "bytes are left over",
        "the scalar alone": "tag 0x4", "attributes that are none": "bytes are left over",
    ]

    private static let publicRules: Set<String> = [
        "explicit parameters", "implied parameters", "no parameters", "two parameters", "point of another curve",
        "hybrid point", "point at infinity", "no point", "point off the curve", "short point", "unused bits",
        "key and more",
    ]

    @Test(
        "Documents of a curve", .proves("KEY-11"), .proves("RFC5480-2.1.1"), .proves("RFC5915-3"),
        .proves("RFC5958-2"), .proves("RFC8410-7"))
    func curves() throws {
        for (curve, other) in [(ECDSACurve.p256, .p384), (.p384, ECDSACurve.p256)] {
            let documents = try #require(try Written.all["refused"]?[JSON.Name(curve.description)]?.object)
            let rules = expected(curve, other)
            #expect(documents.count == rules.count + worded.count)
            for document in documents {
                let name = document.name.text
                let bytes = try Base64.decode(try #require(document.value.string))
                let isPublic = Self.publicRules.contains(name)
                let found = isPublic ? publicRefusal(bytes) : privateRefusal(bytes)
                if let rule = rules[name] {
                    #expect(found == rule, "\(curve): \(name)")
                } else {
                    let words = try #require(worded[name])
                    #expect(found?.text.hasPrefix(words) == true, "\(curve): \(name): \(String(describing: found))")
                }
            }
        }
    }

    @Test("Compressed points are reduced and on the curve")
    func compressed() throws {
        #expect(publicRefusal(try Written.bytes(try Written.all, "noPoint")) == .invalidCurveKey(.notOnCurve))
        #expect(
            publicRefusal(try Written.bytes(try Written.all, "notReduced")) == .invalidCurveKey(.coordinateNotReduced))
    }

    @Test("Documents of RSA", .proves("RFC8017-A.1"), .proves("KEY-11"))
    func rsa() throws {
        let expected: [String: JWK.Rejection] = [
            "no parameters": .wrongParameters(of: "RSA"), "parameters that are not NULL": .wrongParameters(of: "RSA"),
            "NULL with content": .wrongParameters(of: "RSA"), "NULL and more": .trailingBytes(offset: 19),
            "RSASSA-PSS": .otherKeyAlgorithm(
                found: "RSASSA-PSS", expected: "Ed25519, P-256, P-384, P-521 or RSA"),
            "negative modulus": .malformedInteger(offset: 28),
            "modulus with two zeros": .malformedInteger(offset: 28),
            "exponent with a needless zero": .malformedInteger(offset: 289),
            "empty modulus": .malformedInteger(offset: 22),
            "modulus zero": .invalidRSAKey(.leadingZero), "1024 bits": .invalidRSAKey(.modulusTooShort(bits: 1024)),
            "even exponent": .invalidRSAKey(.evenExponent), "three numbers": .trailingBytes(offset: 294),
            "more behind the numbers": .trailingBytes(offset: 294),
            "PKCS #1": .otherDocument(found: "RSA PUBLIC KEY", expected: "PUBLIC KEY"),
        ]
        let documents = try #require(try Written.rsa["refused"]?.object)
        #expect(documents.count == expected.count)
        for document in documents {
            let bytes = try Base64.decode(try #require(document.value.string))
            #expect(publicRefusal(bytes) == expected[document.name.text], "\(document.name)")
        }
    }

    @Test("Types that are not computed with are refused by their names")
    func strangers() throws {
        for document in try #require(try Written.all["strangers"]?.object) {
            let bytes = try Base64.decode(try #require(document.value.string))
            #expect(
                publicRefusal(bytes)
                    == .otherKeyAlgorithm(found: document.name.text, expected: "Ed25519, P-256, P-384, P-521 or RSA"))
        }
    }

    @Test("A document of another kind is called by its name")
    func kinds() throws {
        let written = try Written.curves[0]
        let (spki, pkcs8) = (try Written.bytes(written, "spki"), try Written.bytes(written, "pkcs8"))
        #expect(privateRefusal(spki) == .otherDocument(found: "PUBLIC KEY", expected: "PRIVATE KEY"))
        #expect(publicRefusal(pkcs8) == .otherDocument(found: "PRIVATE KEY", expected: "PUBLIC KEY"))
        let encrypted = privateRefusal(try Written.bytes(try Written.all, "encrypted"))
        #expect(encrypted == .otherDocument(found: "ENCRYPTED PRIVATE KEY", expected: "PRIVATE KEY"))
        #expect(encrypted?.text.hasSuffix("; decrypt it first") == true)
        #expect(privateRefusal([]) == .truncated)
        #expect(publicRefusal([0x30, 0]) == .truncated)
    }
}

@Suite("RFC 7468: texts of keys")
struct KeyTextTests {
    private func publicRefusal(_ text: String) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try PublicKeyDocument(pemRepresentation: text) }
    }

    private func privateRefusal(_ text: String) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try PrivateKeyDocument(pemRepresentation: text) }
    }

    private func labelled(_ label: String, _ text: String) -> String {
        let lines = text.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")
        return "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
    }

    @Test(
        "The label is that of the content, and says what stands there instead", .proves("KEY-11"), .proves("RFC7468-2"))
    func labels() throws {
        let written = try Written.curves[0]
        let (shown, pkcs8, sec1) = (
            try Written.text(written, "spkiPEM"), try Written.text(written, "pkcs8PEM"),
            try Written.text(written, "sec1PEM")
        )
        #expect(publicRefusal(shown) == nil && privateRefusal(pkcs8) == nil && privateRefusal(sec1) == nil)
        #expect(publicRefusal(pkcs8) == .otherDocument(found: "PRIVATE KEY", expected: "PUBLIC KEY"))
        #expect(privateRefusal(shown) == .otherDocument(found: "PUBLIC KEY", expected: "PRIVATE KEY"))
        // The content under another label than its own.
        #expect(privateRefusal(labelled("EC PRIVATE KEY", pkcs8)) == .unknownVersion)
        #expect(privateRefusal(labelled("PRIVATE KEY", sec1))?.text.hasPrefix("tag 0x4 at byte") == true)
        #expect(
            publicRefusal(labelled("PUBLIC KEY", pkcs8)) == .otherDocument(found: "PRIVATE KEY", expected: "PUBLIC KEY")
        )
        #expect(privateRefusal(labelled("RSA PRIVATE KEY", sec1)) == .privateRSAKey)
        for (label, advice) in [
            ("CERTIFICATE", "; take the public key out of it first"), ("ENCRYPTED PRIVATE KEY", "; decrypt it first"),
            ("OPENSSH PRIVATE KEY", "; write it as PKCS #8 first"),
            ("RSA PUBLIC KEY", "; write it as SubjectPublicKeyInfo first"),
            ("EC PARAMETERS", "; leave that block out, the key names its curve"), ("X", ""),
        ] {
            #expect(publicRefusal(labelled(label, shown)) == .otherDocument(found: label, expected: "PUBLIC KEY"))
            let text = "the document is a '\(label)', expected a 'PRIVATE KEY'\(advice)"
            #expect(privateRefusal(labelled(label, shown))?.text == text)
        }
        #expect(publicRefusal(labelled("", shown)) == .noBoundary(label: "PUBLIC KEY"))
        #expect(
            publicRefusal(labelled("public key", shown)) == .otherDocument(found: "public key", expected: "PUBLIC KEY"))
    }

    @Test("One block without headers, in lines of 64 characters", .proves("RFC7468-2"))
    func blocks() throws {
        let written = try Written.curves[1]
        let text = try Written.text(written, "spkiPEM")
        let lines = text.split(separator: "\n").map(String.init)
        func changed(_ change: (inout [String]) -> Void) -> JWK.Rejection? {
            var copy = lines
            change(&copy)
            return publicRefusal(copy.joined(separator: "\n"))
        }
        #expect(changed { _ in } == nil)
        #expect(changed { $0.append("") } == nil)
        #expect(publicRefusal(lines.joined(separator: "\r\n")) == nil)
        #expect(changed { $0.insert("Comment: a", at: 1) } == .documentHeader)
        #expect(
            changed { $0.insert(contentsOf: ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,00", ""], at: 1) }
                == .documentHeader)
        #expect(changed { $0.insert("", at: 1) } == .malformedBase64)
        #expect(changed { $0.insert("a", at: 0) } == .noBoundary(label: "PUBLIC KEY"))
        #expect(changed { $0.append("a") } == .noBoundary(label: "PUBLIC KEY"))
        #expect(changed { $0 += lines } == .malformedBase64)
        #expect(changed { $0[1].removeLast() } == .malformedBase64)
        #expect(changed { $0[0] += " " } == .noBoundary(label: "PUBLIC KEY"))
        #expect(changed { $0[lines.count - 1] = "-----END PRIVATE KEY-----" } == .noBoundary(label: "PUBLIC KEY"))
        #expect(publicRefusal(lines.joined()) == .noBoundary(label: "PUBLIC KEY"))
        #expect(publicRefusal("") == .noBoundary(label: "PUBLIC KEY"))
    }
}

@Suite("RFC 3279 §2.2.3: ECDSA signatures in DER and as R‖S")
struct ECDSASignatureTests {
    private func refusal(_ bytes: [UInt8], _ curve: ECDSACurve = .p256) -> ECDSASignature.Rejection? {
        rejection { () throws(ECDSASignature.Rejection) in
            try ECDSASignature(derRepresentation: bytes, on: curve)
        }
    }

    private func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        let content = [2, UInt8(r.count)] + r + [2, UInt8(s.count)] + s
        return (content.count < 0x80 ? [0x30] : [0x30, 0x81]) + [UInt8(content.count)] + content
    }

    @Test("Signatures of another library, both ways", .proves("KEY-22"))
    func examples() throws {
        for (written, curve) in zip(try Written.curves, ECDSACurve.allCases) {
            let signature = try #require(written["signature"])
            let (raw, der) = (try Written.bytes(signature, "raw"), try Written.bytes(signature, "der"))
            #expect(try ECDSASignature(derRepresentation: der, on: curve).rawRepresentation == raw)
            #expect(try ECDSASignature(rawRepresentation: raw, on: curve).derRepresentation == der)
            for length in der.indices { #expect(refusal(Array(der[..<length]), curve) == .malformed(.truncated)) }
            #expect(refusal(der + [0], curve) == .malformed(.trailingBytes(offset: der.count)))
        }
    }

    @Test func aSecureElement() throws {
        let bytes = der([1], [2])
        // example: a signature from a secure element
        let signature = try ECDSASignature(derRepresentation: bytes, on: .p256).rawRepresentation
        // end of example
        #expect(signature.count == 64)
    }

    @Test("Numbers are padded to their length and written without padding", .proves("RFC7518-3.4"))
    func padding() throws {
        for curve in ECDSACurve.allCases {
            let length = curve.coordinateLength
            let zeros = [UInt8](repeating: 0, count: length - 1)
            let raw = zeros + [1] + zeros + [0x80]
            let signature = try ECDSASignature(derRepresentation: der([1], [0, 0x80]), on: curve)
            #expect(signature.rawRepresentation == raw)
            #expect(signature.derRepresentation == der([1], [0, 0x80]))
            let longest = [UInt8](repeating: 0xff, count: length)
            let long = try ECDSASignature(rawRepresentation: longest + longest, on: curve)
            #expect(long.derRepresentation == der([0] + longest, [0] + longest))
            #expect(try ECDSASignature(derRepresentation: long.derRepresentation, on: curve) == long)
        }
    }

    @Test("Each number is positive, minimal and no longer than the order", .proves("KEY-22"))
    func strictness() throws {
        #expect(refusal(der([1], [1])) == nil)
        #expect(refusal(der([0], [1])) == .zero)
        #expect(refusal(der([1], [0])) == .zero)
        #expect(refusal(der([], [1])) == .malformed(.malformedInteger(offset: 2)))
        #expect(refusal(der([0x80], [1])) == .malformed(.malformedInteger(offset: 2)))
        #expect(refusal(der([1], [0, 1])) == .malformed(.malformedInteger(offset: 5)))
        #expect(refusal(der([1], [0, 0])) == .malformed(.malformedInteger(offset: 5)))
        #expect(refusal(der([1] + [UInt8](repeating: 0, count: 32), [1])) == .tooLarge(.p256))
        #expect(refusal(der([0, 0x80] + [UInt8](repeating: 0, count: 32), [1])) == .tooLarge(.p256))
        #expect(refusal([0x30, 0x81, 6, 2, 1, 1, 2, 1, 1]) == .malformed(.unreasonableLength(offset: 1)))
        #expect(
            refusal([0x31, 6, 2, 1, 1, 2, 1, 1]) == .malformed(.unexpectedTag(offset: 0, expected: 0x30, found: 0x31)))
        #expect(refusal([0x30, 6, 2, 1, 1, 3, 1, 1]) == .malformed(.unexpectedTag(offset: 5, expected: 2, found: 3)))
        #expect(refusal([0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1]) == .malformed(.trailingBytes(offset: 8)))
        #expect(refusal([0x30, 3, 2, 1, 1]) == .malformed(.truncated))
        func raw(_ bytes: [UInt8]) -> ECDSASignature.Rejection? {
            rejection { () throws(ECDSASignature.Rejection) in try ECDSASignature(rawRepresentation: bytes, on: .p256) }
        }
        let one = [UInt8](repeating: 0, count: 31) + [1]
        #expect(raw(one + one) == nil)
        #expect(raw(one + one + [0]) == .wrongLength(.p256, found: 65))
        #expect(raw(one) == .wrongLength(.p256, found: 32))
        #expect(raw(one + one.map { _ in 0 }) == .zero)
        #expect(raw(one.map { _ in 0 } + one) == .zero)
    }
}
