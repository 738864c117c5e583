internal import PureCrypto
internal import JOSETesting
internal import Wire

// Hashes, authentication codes and signatures.

extension Catalogue {
    mutating func addHashing() {
        addHashes()
        addAuthenticationCodes()
        addSignatures()
        add(.signature, "signature", Self.forgeries) { key, message, signature in
            ["public": Self.hex(key), "message": Self.hex(message), "signature": Self.hex(signature)]
        }
        add(.signature, "signature-", Self.doubtful) { key, message, signature in
            ["public": .string(key), "message": .string(message), "signature": .string(signature)]
        }
        add(.signature, "signature-key-", Self.weakKeys) { key, message in
            ["public": .string(key), "message": Self.hex(Array(message.utf8)), "signature": .string(Self.honest)]
        }
        add(.sign, "sign-", Self.scalars) { curve, scalar, message in
            [
                "curve": .string(curve), "scalar": .string(scalar), "message": Self.hex(Array(message.utf8)),
            ]
        }
        addMadeElsewhere(.signature, "signature-", MadeElsewhere.curves)
        addMadeElsewhere(.signature, "signature-", MadeElsewhere.rsa)
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
        add(.mac, "code", Self.codes) { code in
            [
                "algorithm": "sha256", "key": Self.hex(Self.counting(32)), "message": Self.hex(Self.message),
                "code": Self.hex(code),
            ]
        }
    }

    private static let message = Array("what was agreed".utf8)
    private static let code = [UInt8](
        HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: counting(32))))

    private static let codes: [Row<[UInt8]>] = [
        ("", "the right code", ["RFC2104-2"], nil, code),
        (
            "-first-bit", "a code with its first bit turned", ["threat-5"], "RFC2104-2",
            [code[0] ^ 0x80] + code.dropFirst()
        ),
        ("-last-bit", "a code with its last bit turned", ["threat-5"], "RFC2104-2", code.dropLast() + [code[31] ^ 1]),
        ("-cut", "a code without its last byte", ["threat-5"], "RFC2104-2", code.dropLast()),
        ("-half", "the first half of a code", ["threat-5"], "RFC2104-2", Array(code.prefix(16))),
        ("-extended", "a code with a byte more", ["threat-5"], "RFC2104-2", code + [0]),
        ("-empty", "no code", ["threat-5"], "RFC2104-2", []),
    ]

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
                expecting: "RFC8032-5.1.5")
        }
    }

    // The keys of RFC 6979, appendix A.2.
    private static let scalar256 = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
    private static let scalar384 = joined(
        "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8",
        "96d5724e4c70a825f872c9ea60d2edf5")
    private static let scalar521 = joined(
        "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75",
        "caa896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538")
    private static let order256 = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    private static let scalars: [Row<(curve: String, scalar: String, message: String)>] = [
        ("p-256-sample", "RFC 6979 §A.2.5, sample", ["KEY-6"], nil, ("P-256", scalar256, "sample")),
        ("p-256-test", "RFC 6979 §A.2.5, test", ["KEY-6"], nil, ("P-256", scalar256, "test")),
        ("p-256-empty", "on P-256, nothing", ["KEY-6"], nil, ("P-256", scalar256, "")),
        ("p-384-sample", "RFC 6979 §A.2.6, sample", ["KEY-6"], nil, ("P-384", scalar384, "sample")),
        ("p-521-sample", "RFC 6979 §A.2.7, sample", ["KEY-6"], nil, ("P-521", scalar521, "sample")),
        (
            "p-256-zero", "on P-256, by a number of zero", ["KEY-1"], "RFC6979-2.2",
            ("P-256", String(repeating: "0", count: 64), "sample")
        ),
        ("p-256-order", "on P-256, by a number of n", ["KEY-1"], "RFC6979-2.2", ("P-256", order256, "sample")),
        (
            "p-256-short", "on P-256, by a number of 31 bytes", ["KEY-1"], "RFC5480-2.2",
            ("P-256", String(scalar256.dropLast(2)), "sample")
        ),
    ]

    private static let publicKey = TestKey.pair("signer").publicBytes
    private static let signed = TestKey.pair("signer").signature(of: message)

    private static let forgeries: [Row<(key: [UInt8], message: [UInt8], signature: [UInt8])>] = [
        ("", "the right signature", ["RFC8032-5.1.7"], nil, (publicKey, message, signed)),
        (
            "-empty-message", "the right signature over nothing", ["RFC8032-5.1.7"], nil,
            (publicKey, [], TestKey.pair("signer").signature(of: []))
        ),
        (
            "-other-message", "a signature over something else", ["threat-5", "threat-7"], "RFC8032-5.1.7",
            (publicKey, message + [0], signed)
        ),
        (
            "-other-key", "a signature by another key", ["threat-5", "threat-7"], "RFC8032-5.1.7",
            (TestKey.pair("stranger").publicBytes, message, signed)
        ),
        (
            "-first-half", "a signature with a bit of R turned", ["threat-5", "threat-7"], "RFC8032-5.1.7",
            (publicKey, message, [signed[0] ^ 1] + signed.dropFirst())
        ),
        (
            "-second-half", "a signature with a bit of S turned", ["threat-5", "threat-7"], "RFC8032-5.1.7",
            (publicKey, message, signed.prefix(40) + [signed[40] ^ 1] + signed.suffix(23))
        ),
        (
            "-cut", "a signature without its last byte", ["threat-5", "threat-7"], "RFC8032-5.1.7",
            (publicKey, message, signed.dropLast())
        ),
        (
            "-extended", "a signature with a byte more", ["threat-5", "threat-7"], "RFC8032-5.1.7",
            (publicKey, message, signed + [0])
        ),
        ("-none", "a signature of no bytes", ["threat-5", "threat-7"], "RFC8032-5.1.7", (publicKey, message, [])),
        (
            "-zero", "a signature of zeros", ["threat-5", "threat-7"], "RFC8032-5.1.7",
            (publicKey, message, [UInt8](repeating: 0, count: 64))
        ),
        (
            "-second-form", "a signature whose S has the group's order added", ["threat-5", "threat-7"],
            "RFC8032-5.1.7", (publicKey, message, signed.prefix(32) + addingOrder(to: Array(signed.suffix(32))))
        ),
    ]

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

    // Keys and signatures of which implementations think differently; here exactly one text is a signature, and no key
    // signs everything.

    private static let doubtful: [Row<(key: String, message: String, signature: String)>] = [
        (
            "small-order-r", "a signature whose R has a small order", ["threat-7"], "RFC8032-5.1.7",
            (
                "75c301afd3d4baf293f2be4c7173f6b3486b4a63f238a0d34d41c1f025c442ca", "736d616c6c206f726465722052",
                joined(
                    "01000000000000000000000000000000000000000000000000000000000000007164af14704613cbb89d8e763a3d",
                    "03743a049ca5ccd1950ba3c4aa8dfedd8008")
            )
        ),
        (
            "mixed-order", "a key with a part of order 8, and a signature for which the equation holds as it stands",
            ["threat-7"], nil,
            (
                "8549d3b536a9241fab5ccd84984814739c91a2014aa59708d53d9d7345250523", "6d69786564206f72646572203138",
                joined(
                    "8e6ea62667e9a43084390af1cb9c8acd705873978b520ffb44673b628912f1bd125e305aa0f3853cc01302214db0",
                    "3137001035bab62e52cebbeac51f34388202")
            )
        ),
        (
            "cofactor", "a key with a part of order 8, and a signature for which the equation holds eightfold only",
            ["threat-7"], "RFC8032-5.1.7",
            (
                "8549d3b536a9241fab5ccd84984814739c91a2014aa59708d53d9d7345250523", "6d69786564206f726465722030",
                joined(
                    "8e6ea62667e9a43084390af1cb9c8acd705873978b520ffb44673b628912f1bd570ca9134a45379e8fea925e92a4",
                    "ef605a4d56e73b7be48f802c6f6e89f1cf07")
            )
        ),
    ]

    private static let (zeros, ones) = (String(repeating: "0", count: 62), String(repeating: "f", count: 60))

    /// A point that R names honestly; the messages are those for which the equation holds with the key as it would be
    /// read.
    private static let honest = joined(
        "8e6ea62667e9a43084390af1cb9c8acd705873978b520ffb44673b628912f1bd2b75cb04f09554fd0f9f0dbaf0aa52d3",
        "7c8b56fbdeb78dba5eab52e394837c08")

    private static let weakKeys: [Row<(key: String, message: String)>] = [
        ("order-1", "with a key that is the neutral point", ["threat-7"], "threat-7", ("01" + zeros, "0")),
        ("order-2", "with a key that is a point of order 2", ["threat-7"], "threat-7", ("ec" + ones + "7f", "2")),
        ("order-4", "with a key that is a point of order 4", ["threat-7"], "threat-7", (zeros + "80", "4")),
        (
            "order-8", "with a key that is a point of order 8", ["threat-7"], "threat-7",
            ("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "9")
        ),
        (
            "unreduced", "with a key that is a y that is not reduced", ["threat-7"], "RFC8032-5.1.3",
            ("ee" + ones + "7f", "0")
        ),
        (
            "unreduced-zero", "with a key that is a y of p, which is zero", ["threat-7"], "RFC8032-5.1.3",
            ("ed" + ones + "7f", "1")
        ),
        (
            "negative-zero", "with a key that is an x of zero with its sign bit set", ["threat-7"], "RFC8032-5.1.3",
            ("01" + zeros.dropLast(2) + "80", "0")
        ),
        (
            "off-curve", "with a key that is a y that belongs to no point", ["threat-7"], "RFC8032-5.1.3",
            ("02" + zeros, "0")
        ),
        ("short-key", "with a key that is 31 bytes", ["threat-7"], "RFC8032-5.1.5", (zeros, "0")),
        ("long-key", "with a key that is 33 bytes", ["threat-7"], "RFC8032-5.1.5", (zeros + "0000", "0")),
    ]
}
