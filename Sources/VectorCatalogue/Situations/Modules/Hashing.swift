internal import PureCrypto
internal import JOSETesting
internal import Wire

// Hashes, authentication codes and signatures.

extension Catalogue {
    mutating func addHashing() {
        addHashes()
        addAuthenticationCodes()
        addSignatures()
        addForgedSignatures()
        addDoubtfulKeys()
    }

    private static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes)) }

    /// So many bytes that no two blocks have in common: 0, 1, 2, … modulo 251.
    private static func counting(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

    private static let algorithms = ["sha256", "sha384", "sha512"]

    private mutating func addHashes() {
        // Padding takes 9 bytes of a block of 64 and 17 of one of 128: on both sides of where another block begins.
        for length in [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 1000] {
            for algorithm in Self.algorithms {
                add(
                    "\(algorithm)-\(length)", "\(length) bytes by \(algorithm)", ["FIPS180-4-5.1"], .hash,
                    ["algorithm": .string(algorithm), "message": Self.hex(Self.counting(length))], expecting: nil)
            }
        }
    }

    // MARK: Authentication codes

    private static let keyed: JSON.Object = [
        "algorithm": "sha256", "key": hex(counting(32)), "message": hex(Array("what was agreed".utf8)),
    ]

    private mutating func addAuthenticationCodes() {
        for algorithm in Self.algorithms {
            for length in [0, 1, 32, 64, 65, 128, 129] {
                add(
                    "hmac-\(algorithm)-\(length)", "by \(algorithm) with a key of \(length) bytes", ["RFC2104-2"], .mac,
                    [
                        "algorithm": .string(algorithm), "key": Self.hex(Self.counting(length)),
                        "message": Self.hex(Self.counting(100)),
                    ],
                    expecting: nil)
            }
        }
        let key = SymmetricKey(data: Self.counting(32))
        let code = [UInt8](HMAC<SHA256>.authenticationCode(for: Array("what was agreed".utf8), using: key))
        func offered(_ code: [UInt8]) -> JSON.Object {
            var given = Self.keyed
            given["code"] = Self.hex(code)
            return given
        }
        add("code", "the right code", ["RFC2104-2"], .mac, offered(code), expecting: nil)
        let wrong: [(String, String, [UInt8])] = [
            ("first-bit", "a code with its first bit turned", [code[0] ^ 0x80] + code.dropFirst()),
            ("last-bit", "a code with its last bit turned", code.dropLast() + [code[31] ^ 1]),
            ("cut", "a code without its last byte", code.dropLast()),
            ("half", "the first half of a code", Array(code.prefix(16))),
            ("extended", "a code with a byte more", code + [0]), ("empty", "no code", []),
        ]
        for (name, title, code) in wrong {
            add(
                "code-" + name, title, ["threat-5"], .mac, offered(code),
                expecting: Expected(error: nil, clause: "RFC2104-2"))
        }
    }

    // MARK: Signatures

    private mutating func addSignatures() {
        let seeds = [
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        ]
        for (place, seed) in seeds.enumerated() {
            add(
                "sign-rfc8032-\(place + 1)", "test \(place + 1) of RFC 8032 §7.1", ["RFC8032-5.1.6"], .sign,
                ["seed": .string(seed), "message": Self.hex([[], [0x72], [0xaf, 0x82]][place])], expecting: nil)
        }
        for length in [31, 32, 33, 95, 96, 97, 1000] {
            add(
                "sign-\(length)", "a message of \(length) bytes", ["RFC8032-5.1.6"], .sign,
                ["seed": Self.hex(TestKey.pair("signer").seed), "message": Self.hex(Self.counting(length))],
                expecting: nil)
        }
        for (name, length) in [("short", 31), ("long", 33), ("empty", 0)] {
            add(
                "sign-\(name)-seed", "with a seed of \(length) bytes", ["threat-8"], .sign,
                ["seed": Self.hex(Self.counting(length)), "message": ""],
                expecting: Expected(error: nil, clause: "RFC8032-5.1.5"))
        }
    }

    private static func offered(_ key: [UInt8], _ message: [UInt8], _ signature: [UInt8]) -> JSON.Object {
        ["public": hex(key), "message": hex(message), "signature": hex(signature)]
    }

    private mutating func addForgedSignatures() {
        let (key, message) = (TestKey.pair("signer").publicBytes, Array("what was agreed".utf8))
        let signature = TestKey.pair("signer").signature(of: message)
        add(
            "signature", "the right signature", ["RFC8032-5.1.7"], .signature, Self.offered(key, message, signature),
            expecting: nil)
        add(
            "signature-empty-message", "the right signature over nothing", ["RFC8032-5.1.7"], .signature,
            Self.offered(key, [], TestKey.pair("signer").signature(of: [])), expecting: nil)
        let wrong: [(String, String, [UInt8], [UInt8], [UInt8])] = [
            ("other-message", "over something else", key, message + [0], signature),
            ("other-key", "by another key", TestKey.pair("stranger").publicBytes, message, signature),
            ("first-half", "with a bit of R turned", key, message, [signature[0] ^ 1] + signature.dropFirst()),
            (
                "second-half", "with a bit of S turned", key, message,
                signature.prefix(40) + [signature[40] ^ 1] + signature.suffix(23)
            ),
            ("cut", "without its last byte", key, message, signature.dropLast()),
            ("extended", "with a byte more", key, message, signature + [0]), ("none", "of no bytes", key, message, []),
            ("zero", "of zeros", key, message, [UInt8](repeating: 0, count: 64)),
            (
                "second-form", "whose S has the group's order added", key, message,
                signature.prefix(32) + Self.addingOrder(to: Array(signature.suffix(32)))
            ),
        ]
        for (name, title, key, message, signature) in wrong {
            add(
                "signature-" + name, "a signature " + title, ["threat-5", "threat-7"], .signature,
                Self.offered(key, message, signature),
                expecting: Expected(error: nil, clause: "RFC8032-5.1.7"))
        }
    }

    /// S + L, lowest byte first: the same number to whoever reduces it, another text to everybody.
    private static func addingOrder(to bytes: [UInt8]) -> [UInt8] {
        let order: [UInt8] = [
            0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0x10,
        ]
        var carry = 0
        return zip(bytes, order).map { byte, other in
            carry = carry >> 8 + Int(byte) + Int(other)
            return UInt8(truncatingIfNeeded: carry)
        }
    }

    /// Keys and signatures of which implementations think differently; here exactly one text is a signature, and no key
    /// signs everything.
    private mutating func addDoubtfulKeys() {
        let texts: [(String, String, String, String, String, String?)] = [
            (
                "small-order-r", "a signature whose R has a small order",
                "75c301afd3d4baf293f2be4c7173f6b3486b4a63f238a0d34d41c1f025c442ca", "736d616c6c206f726465722052",
                joined(
                    "01000000000000000000000000000000000000000000000000000000000000007164af14704613cbb89d8e763a3d",
                    "03743a049ca5ccd1950ba3c4aa8dfedd8008"),
                "RFC8032-5.1.7"
            ),
            (
                "mixed-order",
                "a key with a part of order 8, and a signature for which the equation holds as it stands",
                "8549d3b536a9241fab5ccd84984814739c91a2014aa59708d53d9d7345250523", "6d69786564206f72646572203138",
                joined(
                    "8e6ea62667e9a43084390af1cb9c8acd705873978b520ffb44673b628912f1bd125e305aa0f3853cc01302214db0",
                    "3137001035bab62e52cebbeac51f34388202"),
                nil
            ),
            (
                "cofactor", "a key with a part of order 8, and a signature for which the equation holds eightfold only",
                "8549d3b536a9241fab5ccd84984814739c91a2014aa59708d53d9d7345250523", "6d69786564206f726465722030",
                joined(
                    "8e6ea62667e9a43084390af1cb9c8acd705873978b520ffb44673b628912f1bd570ca9134a45379e8fea925e92a4",
                    "ef605a4d56e73b7be48f802c6f6e89f1cf07"),
                "RFC8032-5.1.7"
            ),
        ]
        for (name, title, key, message, signature, clause) in texts {
            add(
                "signature-" + name, title, ["threat-7"], .signature,
                ["public": .string(key), "message": .string(message), "signature": .string(signature)],
                expecting: clause.map { Expected(error: nil, clause: $0) })
        }
        let zeros = String(repeating: "0", count: 62), ones = String(repeating: "f", count: 60)
        // A point that R names honestly; the messages are those for which the equation holds with the key as it would
        // be read.
        let signature =
            joined(
                "8e6ea62667e9a43084390af1cb9c8acd705873978b520ffb44673b628912f1bd2b75cb04f09554fd0f9f0dbaf0aa52d3",
                "7c8b56fbdeb78dba5eab52e394837c08")
        let keys: [(String, String, String, String, String)] = [
            ("order-1", "the neutral point", "01" + zeros, "0", "threat-7"),
            ("order-2", "a point of order 2", "ec" + ones + "7f", "2", "threat-7"),
            ("order-4", "a point of order 4", zeros + "80", "4", "threat-7"),
            (
                "order-8", "a point of order 8", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                "9", "threat-7"
            ),
            ("unreduced", "a y that is not reduced", "ee" + ones + "7f", "0", "RFC8032-5.1.3"),
            ("unreduced-zero", "a y of p, which is zero", "ed" + ones + "7f", "1", "RFC8032-5.1.3"),
            (
                "negative-zero", "an x of zero with its sign bit set", "01" + zeros.dropLast(2) + "80", "0",
                "RFC8032-5.1.3"
            ),
            ("off-curve", "a y that belongs to no point", "02" + zeros, "0", "RFC8032-5.1.3"),
            ("short-key", "31 bytes", zeros, "0", "RFC8032-5.1.5"),
            ("long-key", "33 bytes", zeros + "0000", "0", "RFC8032-5.1.5"),
        ]
        for (name, title, key, message, clause) in keys {
            add(
                "signature-key-" + name, "with a key that is " + title, ["threat-7"], .signature,
                ["public": .string(key), "message": Self.hex(Array(message.utf8)), "signature": .string(signature)],
                expecting: Expected(error: nil, clause: clause))
        }
    }
}
