import Foundation
@testable import Hosting
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

/// Codes of authenticator apps.
@Suite("Hosting: one-time codes")
struct OneTimeCodeTests {
    private static let digits = Array("12345678901234567890".utf8)

    private func codes(
        _ secret: [UInt8], _ algorithm: OneTimeCodes.Algorithm = .sha1, digits: Int = 6, period: Int = 30
    ) throws -> OneTimeCodes {
        try #require(OneTimeCodes(secret: secret, algorithm: algorithm, digits: digits, period: period))
    }

    private func text(_ codes: OneTimeCodes, _ step: Int64) -> String {
        String(decoding: codes.code(of: step), as: UTF8.self)
    }

    // MARK: published values

    @Test("SHA-1 is that of FIPS 180, and HMAC with it that of RFC 2202", .proves("FIPS180-4"), .proves("RFC2202-3"))
    func hash() {
        // The examples of FIPS 180 with one and two blocks, and hashlib.sha1(b"a" * n) round the ends of the padding.
        let examples = [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
            (String(repeating: "a", count: 56), "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
            (String(repeating: "a", count: 63), "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
            (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
            (String(repeating: "a", count: 119), "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
            (String(repeating: "a", count: 120), "f34c1488385346a55709ba056ddd08280dd4c6d6"),
        ]
        for (message, digest) in examples {
            #expect(SHA1.hash(data: Array(message.utf8)).description == digest, "\(message.utf8.count)")
        }
        func mac(_ key: [UInt8], _ message: String) -> String {
            HMAC<SHA1>.authenticationCode(for: Array(message.utf8), using: SymmetricKey(data: key)).description
        }
        #expect(mac([UInt8](repeating: 0x0b, count: 20), "Hi There") == "b617318655057264e28bc0b6fb378c8ef146be00")
        #expect(mac(Array("Jefe".utf8), "what do ya want for nothing?") == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(
            mac([UInt8](repeating: 0xaa, count: 80), "Test Using Larger Than Block-Size Key - Hash Key First")
                == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
    }

    @Test("Codes by number are those of RFC 4226", .proves("RFC4226-D"), .proves("OPS-19"))
    func counted() throws {
        let codes = try codes(Self.digits)
        let published = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect((0..<10).map { text(codes, $0) } == published)
        let macs = ["cc93cf18508d94934c64b65d8ba7667fb7cde4b0", "75a48a19d4cbe100644e8ac1397eea747a2d33ab"]
        for (number, mac) in macs.enumerated() {
            let counter = [UInt8](repeating: 0, count: 7) + [UInt8(number)]
            let key = SymmetricKey(data: Self.digits)
            #expect(HMAC<SHA1>.authenticationCode(for: counter, using: key).description == mac)
        }
    }

    @Test("Codes by time are those of RFC 6238", .proves("RFC6238-B"), .proves("OPS-19"))
    func timed() throws {
        let published: [(Int64, sha1: String, sha256: String, sha512: String)] = [
            (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
        ]
        let secret = (0..<64).map { UInt8(0x30 + ($0 + 1) % 10) }
        #expect(Array(secret.prefix(20)) == Self.digits)
        for (seconds, sha1, sha256, sha512) in published {
            for (algorithm, count, code) in [
                (OneTimeCodes.Algorithm.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
            ] {
                let codes = try codes(Array(secret.prefix(count)), algorithm, digits: 8)
                let acceptance = codes.acceptance(of: code, at: Timestamp(seconds: seconds))
                #expect(acceptance?.step == seconds / 30, "\(algorithm) at \(seconds)")
            }
        }
    }

    @Test("Codes of other digits, periods and secrets are those that pyotp 2.12 makes", .proves("OPS-19"))
    func elsewhere() throws {
        // pyotp.TOTP(secret, digits, digest, interval=period).generate_otp(seconds // period), secrets by chance.
        let made: [(secret: String, OneTimeCodes.Algorithm, period: Int, seconds: Int64, code: String)] = [
            ("a54dca182530bb1d6d132cded6237b2e", .sha1, 30, 0, "109418"),
            ("721fcb1971174494d6493c9d5c3460be31201e69", .sha1, 15, 587_037_847_892, "0951158"),
            (
                "a0eee8b9997f5c7c2999fdafe593253cd654af4dfad71427a0aeb3fee9232f8a"
                    + "f2211f9ee491c5b10becb5563bfc1e6f93427ecbc8fe2955e5cd8e46dc8ed4b7", .sha1, 120, 1_800_000_000,
                "46821828"
            ),
            ("4d2a5a4d767706f85d8690024ad6bda3401be9c8cbccc935f6cd1f61226ae153", .sha256, 30, 0, "976300"),
            ("34004d33ba0d246ac04c81b1baf23e3bf9eef5f7", .sha256, 60, 0, "4896491"),
            (
                "af87f5520b69b94b0d982e85bb55b672a872637acd7466fcb60e0e8ff18463b0"
                    + "e4b2ba29703474f064ac68f700f5b02b3dc666f45bdeaa2ccaedcd2b5157410e", .sha256, 45, 994_674_964_870,
                "69328121"
            ),
            (
                "4af2b34f430a073447de636c0e806c957ba684d6431fb5ead7424d09e15d024c"
                    + "5848f23d1fa6f7361d7f618d1532e70e20e2a6668de7f47e8467e546d53ec8e2", .sha512, 30, 1_800_000_000,
                "643052"
            ),
            ("db256c9b3e4fbb498146ef7030cbf953", .sha512, 90, 1_800_000_000, "2843495"),
            (
                "dcceadd764b6a32fbb09adeae109c4a997203975352b878b145c8a42d884cf4cfd", .sha512, 60, 3_008_270_030,
                "87387374"
            ),
        ]
        for (secret, algorithm, period, seconds, code) in made {
            let codes = try codes(Hex.decode(secret), algorithm, digits: code.count, period: period)
            let acceptance = codes.acceptance(of: code, at: Timestamp(seconds: seconds))
            #expect(acceptance?.step == seconds / Int64(period), "\(secret)")
        }
    }

    // MARK: what passes

    /// RFC 6238 has the code for 1111111109, which is in step 37037036.
    private static let (sample, step) = ("07081804", Int64(37_037_036))

    @Test("A code passes one step early and one step late, and says until when it would", .proves("OPS-19"))
    func window() throws {
        let codes = try codes(Self.digits, digits: 8)
        let (start, end) = (Timestamp(seconds: Self.step * 30), Timestamp(seconds: (Self.step + 1) * 30))
        for now in [start, end - .nanoseconds(1), start - .seconds(30), end + .seconds(30) - .nanoseconds(1)] {
            let acceptance = try #require(codes.acceptance(of: Self.sample, at: now), "\(now)")
            #expect(acceptance.step == Self.step)
            // Three steps after the first moment at which it passes, and not two: a clock may be ahead.
            #expect(acceptance.end == end + .seconds(30) && acceptance.span == .seconds(90))
            #expect(codes.acceptance(of: Self.sample, at: acceptance.end - .nanoseconds(1)) != nil)
            #expect(codes.acceptance(of: Self.sample, at: acceptance.end) == nil)
        }
        #expect(codes.acceptance(of: Self.sample, at: start - .seconds(30) - .nanoseconds(1)) == nil)
    }

    @Test("Where one code is of two steps, it counts as the later one's, which ends later", .proves("OPS-19"))
    func twins() throws {
        // hashlib and hmac: for steps from 60 million on, the first one with the code of the next but one.
        let (codes, step) = (try codes(Self.digits), Int64(61_331_809))
        #expect(text(codes, step) == "768734" && text(codes, step + 2) == "768734")
        let acceptance = codes.acceptance(of: "768734", at: Timestamp(seconds: (step + 1) * 30))
        #expect(acceptance?.step == step + 2)
    }

    @Test("A code is its digits, all of them and nothing else", .proves("OPS-19"))
    func form() throws {
        let now = Timestamp(seconds: Self.step * 30)
        let codes = try codes(Self.digits, digits: 8)
        #expect(codes.acceptance(of: Self.sample, at: now) != nil)
        for code in [
            "7081804", "0708180", "007081804", "07081804 ", " 07081804", "0708 1804", "0708-1804", "+7081804", "", "0",
            "07081804\0", "0708180\u{664}", "\u{ff10}7081804", "07081805", "17081804", "0708180a",
            String(repeating: "07081804", count: 4),
        ] {
            #expect(codes.acceptance(of: code, at: now) == nil, "\(code)")
        }
        // The last digits of one number, and those of others.
        for (count, code) in [(7, "7081804"), (6, "081804")] {
            let codes = try self.codes(Self.digits, digits: count)
            #expect(codes.acceptance(of: code, at: now) != nil)
            #expect(codes.acceptance(of: Self.sample, at: now) == nil)
        }
        // Another secret, hash or period alone.
        for other in [
            try self.codes(Array(Self.digits.dropLast()), digits: 8), try self.codes(Self.digits, .sha256, digits: 8),
            try self.codes(Self.digits, .sha512, digits: 8), try self.codes(Self.digits, digits: 8, period: 31),
        ] {
            #expect(other.acceptance(of: Self.sample, at: now) == nil)
        }
    }

    @Test("Before 1970 nothing is of a step, and at the ends of time nothing breaks", .proves("OPS-19"))
    func ends() throws {
        let codes = try codes(Self.digits)
        // Step 0 passes from one step before it; step -1 is none, even in its own time.
        #expect(codes.acceptance(of: "755224", at: Timestamp(seconds: -30))?.step == 0)
        #expect(codes.acceptance(of: "755224", at: Timestamp(seconds: -31)) == nil)
        for seconds in [Int64(-60), -31, -30, -1, 0] {
            for step in [Int64(-1), -2] {
                #expect(codes.acceptance(of: text(codes, step), at: Timestamp(seconds: seconds)) == nil)
            }
        }
        for time in [Timestamp.distantPast, .distantFuture] {
            #expect(codes.acceptance(of: "000000", at: time) == nil)
        }
        let last = try #require(codes.acceptance(of: text(codes, .max / 30), at: .distantFuture))
        #expect(last == OneTimeCodes.Acceptance(step: .max / 30, end: .distantFuture, span: .seconds(90)))
    }

    @Test("Secrets, digits and periods have bounds, and a secret is not printed", .proves("OPS-19"))
    func bounds() throws {
        func isTaken(_ count: Int = 20, _ digits: Int = 6, _ period: Int = 30) -> Bool {
            OneTimeCodes(secret: [UInt8](repeating: 7, count: count), digits: digits, period: period) != nil
        }
        #expect(isTaken(16) && isTaken(64) && !isTaken(15) && !isTaken(65) && !isTaken(0))
        #expect(isTaken(20, 6) && isTaken(20, 8) && !isTaken(20, 5) && !isTaken(20, 9) && !isTaken(20, -1))
        #expect(isTaken(20, 6, 15) && isTaken(20, 6, 120) && !isTaken(20, 6, 14) && !isTaken(20, 6, 121))
        #expect(!isTaken(20, 6, 0) && !isTaken(20, 6, .min) && !isTaken(20, .max, 30))
        let codes = try codes([UInt8](repeating: 0xee, count: 20))
        var dumped = ""
        dump(codes, to: &dumped)
        for shown in ["\(codes)", String(reflecting: codes), dumped] {
            #expect(!shown.contains("238") && !shown.lowercased().contains("ee, ee"), "\(shown)")
        }
        // A new secret has 20 bytes of chance, and the kind that every app knows.
        var entropy = SeededGenerator(seed: 3)
        let (one, other) = (OneTimeCodes(using: &entropy), OneTimeCodes(using: &entropy))
        #expect(one.secret.count == 20 && one.secret != other.secret)
        #expect(one.algorithm == .sha1 && one.digits == 6 && one.period == 30)
    }

    // MARK: for the app

    @Test("The URI is the one that pyotp 2.12 makes, with what it leaves out", .proves("OPS-19"))
    func uri() throws {
        func uri(
            _ count: Int, _ name: String, _ issuer: String, _ algorithm: OneTimeCodes.Algorithm = .sha1,
            digits: Int = 6, period: Int = 30
        ) throws -> String {
            let secret = (0..<count).map { UInt8($0) }
            return try codes(secret, algorithm, digits: digits, period: period)
                .uri(for: UserName(parsing: name), at: issuer)
        }
        // pyotp.TOTP(secret, digits, digest, interval=period).provisioning_uri(name, issuer), which leaves out the
        // algorithm, the digits and the period where they are the usual ones.
        let usual = "otpauth://totp/edu-ID:ada%40example.ch?secret=AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQT&issuer=edu-ID"
        #expect(try uri(20, "ada@example.ch", "edu-ID") == usual + "&algorithm=SHA1&digits=6&period=30")
        #expect(
            try uri(20, "ada", "edu-ID", .sha256, digits: 8, period: 60)
                == "otpauth://totp/edu-ID:ada?secret=AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQT&issuer=edu-ID"
                + "&algorithm=SHA256&digits=8&period=60")
        #expect(
            try uri(
                16, "Zo\u{eb} M\u{fc}ller", "Universit\u{e4}t Z\u{fc}rich & S\u{f6}hne", .sha512, digits: 7, period: 15)
                == "otpauth://totp/Universit%C3%A4t%20Z%C3%BCrich%20%26%20S%C3%B6hne:Zo%C3%AB%20M%C3%BCller"
                + "?secret=AAAQEAYEAUDAOCAJBIFQYDIOB4&issuer=Universit%C3%A4t%20Z%C3%BCrich%20%26%20S%C3%B6hne"
                + "&algorithm=SHA512&digits=7&period=15")
        #expect(
            try uri(33, "a:b=c&d+e%f?g#h~i", "x", .sha256, digits: 8, period: 60)
                == "otpauth://totp/x:a%3Ab%3Dc%26d%2Be%25f%3Fg%23h~i"
                + "?secret=AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSA&issuer=x"
                + "&algorithm=SHA256&digits=8&period=60")
        for issuer in ["", "a:b", "a\nb", "a\u{202e}b", String(repeating: "a", count: 65)] {
            #expect(throws: AccountsFailure.issuer(issuer, limit: 64)) { try uri(20, "ada", issuer) }
        }
        #expect(throws: Never.self) { try uri(20, "ada", String(repeating: "a", count: 64)) }
    }

    @Test("Base32 is that of RFC 4648 without padding, in groups of four", .proves("RFC4648-10"), .proves("OPS-19"))
    func base32() throws {
        let published = ["", "MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"]
        for (count, text) in published.enumerated() {
            #expect(OneTimeCodes.base32(Array("foobar".utf8.prefix(count))) == text)
        }
        // base64.b32encode(bytes(range(0, 256, 3)))
        #expect(
            OneTimeCodes.base32(stride(from: 0, to: 256, by: 3).map { UInt8($0) })
                == "AABQMCIMB4JBKGA3DYQSIJZKFUYDGNRZHQ7UERKIJNHFCVCXLJOWAY3GNFWG64TVPB5X5A"
                + "MEQ6FI3EETS2MZZH5CUWUKXLVRWS33VPOAYPDMTTGP2LK5RW664HSOP2XN6DZ7N6P474")
        #expect(try codes(Self.digits).typed == "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")
        #expect(try codes((0..<16).map { UInt8($0) }).typed == "AAAQ EAYE AUDA OCAJ BIFQ YDIO B4")
    }
}
