import PureCrypto
import Wire

extension Operation {
    /// SHA-2 and HMAC over it.
    static let hashing = [
        Operation("hash") { input throws(Fault) in
            ["digest": .string(try HashName(input).run(Digesting(message: input.bytes("msg"))))]
        },
        Operation("hash-monte") { input throws(Fault) in
            let chain = MonteCarlo(
                seed: try input.bytes("seed"),
                rounds: try input.count("rounds", in: 1...1000, otherwise: 100),
                inner: try input.count("inner", in: 1...10_000, otherwise: 1000))
            return ["digests": .array(try HashName(input).run(chain).map(JSON.string))]
        },
        Operation("hmac") { input throws(Fault) in
            [
                "tag": .string(
                    try HashName(input).run(Authenticating(key: input.bytes("key"), message: input.bytes("msg"))))
            ]
        },
        Operation("hmac-verify") { input throws(Fault) in
            let tag = try input.bytes("tag")
            let name = try HashName(input)
            let check = TagCheck(
                key: try input.bytes("key"), message: try input.bytes("msg"), tag: tag,
                byteCount: try input.count("tagBytes", in: 1...64, otherwise: tag.count))
            return .bool(name.run(check))
        },
    ]
}

/// Work that is the same for every hash function.
private protocol HashTask<Answer> {
    associatedtype Answer
    func callAsFunction<Hash: HashFunction>(_: Hash.Type) -> Answer
}

private enum HashName: String {
    case sha1, sha224, sha256, sha384, sha512

    init(_ input: Input) throws(Fault) {
        let name = try input.text("alg")
        guard let known = Self(rawValue: name) else { throw .unknown("alg", value: name) }
        self = known
    }

    func run<Task: HashTask>(_ task: Task) -> Task.Answer {
        switch self {
        case .sha1: task(SHA1.self)
        case .sha224: task(SHA224.self)
        case .sha256: task(SHA256.self)
        case .sha384: task(SHA384.self)
        case .sha512: task(SHA512.self)
        }
    }
}

private struct Digesting: HashTask {
    let message: [UInt8]

    func callAsFunction<Hash: HashFunction>(_: Hash.Type) -> String {
        Hash.hash(data: message).description
    }
}

/// The Monte Carlo chain of NIST's SHA validation: each inner step hashes the three digests before it.
private struct MonteCarlo: HashTask {
    let seed: [UInt8]
    let rounds: Int
    let inner: Int

    func callAsFunction<Hash: HashFunction>(_: Hash.Type) -> [String] {
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

private struct Authenticating: HashTask {
    let key: [UInt8]
    let message: [UInt8]

    func callAsFunction<Hash: HashFunction>(_: Hash.Type) -> String {
        HMAC<Hash>.authenticationCode(for: message, using: SymmetricKey(data: key)).description
    }
}

/// Whether the tag is the leftmost bytes of the code, as many as the vector's tag size says.
private struct TagCheck: HashTask {
    let key: [UInt8]
    let message: [UInt8]
    let tag: [UInt8]
    let byteCount: Int

    func callAsFunction<Hash: HashFunction>(_: Hash.Type) -> Bool {
        let code = HMAC<Hash>.authenticationCode(for: message, using: SymmetricKey(data: key))
        return tag.count == byteCount && constantTimeEquals(tag, code.prefix(byteCount))
    }
}
