import Hosting
import PureCrypto
import Wire

extension Operation {
    /// SHA-2 and HMAC over it.
    static let hashing = [
        Operation("hash") { input in ["digest": .string(try digest(input.hash, of: input.bytes("msg")))] },
        Operation("hash-monte") { input in
            let seed = try input.bytes("seed")
            let rounds = try input.count("rounds", in: 1...1000, otherwise: 100)
            let inner = try input.count("inner", in: 1...10_000, otherwise: 1000)
            return ["digests": .array(try chain(input.hash, from: seed, rounds, inner).map(JSON.string))]
        },
        Operation("hmac") { input in
            ["tag": .string(Hex.encode(try code(input.hash, input.bytes("key"), input.bytes("msg"))))]
        },
        // Whether the tag is the leftmost bytes of the code, as many as the vector's tag size says.
        Operation("hmac-verify") { input in
            let tag = try input.bytes("tag")
            let code = try code(input.hash, input.bytes("key"), input.bytes("msg"))
            let byteCount = try input.count("tagBytes", in: 1...64, otherwise: tag.count)
            return .bool(tag.count == byteCount && constantTimeEquals(tag, code.prefix(byteCount)))
        },
    ]

    private static func digest<Hash: HashFunction>(_: Hash.Type, of message: [UInt8]) -> String {
        Hash.hash(data: message).description
    }

    private static func code<Hash: HashFunction>(_: Hash.Type, _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        [UInt8](HMAC<Hash>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    /// The Monte Carlo chain of NIST's SHA validation: each inner step hashes the three digests before it.
    private static func chain<Hash: HashFunction>(
        _: Hash.Type, from seed: [UInt8], _ rounds: Int, _ inner: Int
    ) -> [String] {
        var seed = seed
        return (0..<rounds).map { _ in
            var last = [seed, seed, seed]
            for _ in 0..<inner {
                var hash = Hash()
                for digest in last { hash.update(data: digest) }
                last = [last[1], last[2], [UInt8](hash.finalize())]
            }
            seed = last[2]
            return Hex.encode(seed)
        }
    }
}

extension Input {
    private static let hashes: [String: any HashFunction.Type] = [
        "sha1": SHA1.self, "sha224": SHA224.self, "sha256": SHA256.self, "sha384": SHA384.self, "sha512": SHA512.self,
    ]

    var hash: any HashFunction.Type {
        get throws(Fault) { try choice("alg") { Self.hashes[$0] } }
    }

    /// The hash by its name with a hyphen, as `SHA-256`.
    func hashFunction(_ name: JSON.Name) throws(Fault) -> any HashFunction.Type {
        try choice(name) { Self.hashes[$0.lowercased().filter { $0 != "-" }] }
    }
}
