import Foundation
@testable import Hosting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

/// One-time codes of people whose logins lie in a file.
@Suite("Hosting: one-time codes of accounts")
struct OneTimeCodeFileTests {
    private static let head = #"{"accounts":1}"#
    /// A line as it was written before there were one-time codes.
    private static let line =
        #"{"name":"ada","subject":"s","password":{"pbkdf2-sha512":{"rounds":2000,"salt":"AAECAwQFBgcICQoLDA0ODw","#
        + #""key":"nhfGD7-bLuKh15MPW3YJJL1o8KPqufm2W7OJUjn7nt8"}},"profile":{}}"#
    /// Base64URL of the secret of RFC 6238.
    private static let otp =
        #"{"algorithm":"SHA1","digits":8,"period":30,"secret":"MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"}"#
    /// The code that RFC 6238 has for this time.
    private static let (code, time) = ("07081804", Timestamp(seconds: 1_111_111_109))

    private func file(_ lines: String...) throws(AccountsFailure) -> AccountFile {
        try AccountFile(parsing: Array(([Self.head] + lines).joined(separator: "\n").utf8))
    }

    private func line(with otp: String, in line: String = line) -> String {
        line.dropLast() + #","otp":"# + otp + "}"
    }

    private func text(_ file: AccountFile) -> String { String(decoding: file.serialized(), as: UTF8.self) }

    @Test("A file without codes is read and written as before", .proves("OPS-1"), .proves("OPS-19"))
    func former() throws {
        let file = try file(Self.line)
        #expect(!file.all[0].hasCodes)
        #expect(text(file) == Self.head + "\n" + Self.line + "\n")
    }

    @Test("Codes stand beside all else, and what is read is written", .proves("OPS-19"))
    func kept() throws {
        let line = line(with: Self.otp)
        var file = try file(line)
        let ada = try UserName(parsing: "ada")
        #expect(file[ada]?.codes?.acceptance(of: Self.code, at: Self.time) != nil)
        #expect(text(file) == Self.head + "\n" + line + "\n")
        // Nothing that changes something else takes them away.
        var entropy = SeededGenerator(seed: 8)
        try file.setPassword(Secret.Password(parsing: "another"), of: ada, rounds: 1_000, using: &entropy)
        try file.setDisabled(true, ada)
        let ben = try UserName(parsing: "ben")
        try file.add(ben, password: Secret.Password(parsing: "x"), rounds: 1_000, using: &entropy)
        try file.remove(ben)
        let again = try AccountFile(parsing: file.serialized())
        #expect(again[ada]?.codes?.json == file[ada]?.codes?.json && again[ada]?.isDisabled == true)
        #expect(text(again).contains(#""otp":"# + Self.otp))
        for otp in [
            #"{"algorithm":"SHA256","digits":6,"period":15,"secret":"MTIzNDU2Nzg5MDEyMzQ1Ng"}"#,
            #"{"algorithm":"SHA512","digits":7,"period":120,"secret":""# + String(repeating: "A", count: 86) + #""}"#,
        ] {
            #expect(try text(self.file(self.line(with: otp))).contains(#""otp":"# + otp))
        }
    }

    @Test("Codes are given once and taken away, and nobody's are lost", .proves("OPS-19"))
    func changed() throws {
        var (file, entropy) = (try file(Self.line), SeededGenerator(seed: 9))
        let (ada, eve) = (try UserName(parsing: "ada"), try UserName(parsing: "eve"))
        let codes = OneTimeCodes(using: &entropy)
        #expect(throws: AccountsFailure.hasNoCodes(name: "ada")) { try file.removeCodes(of: ada) }
        #expect(throws: AccountsFailure.unknown(name: "eve")) { try file.addCodes(codes, to: eve) }
        #expect(throws: AccountsFailure.unknown(name: "eve")) { try file.removeCodes(of: eve) }
        try file.addCodes(codes, to: ada)
        #expect(file[ada]?.codes?.secret == codes.secret)
        #expect(throws: AccountsFailure.hasCodes(name: "ada")) {
            try file.addCodes(OneTimeCodes(using: &entropy), to: ada)
        }
        #expect(file[ada]?.codes?.secret == codes.secret)
        try file.removeCodes(of: ada)
        #expect(text(file) == Self.head + "\n" + Self.line + "\n")
    }

    @Test("Codes that are not as they were written are refused with their line", .proves("OPS-1"), .proves("OPS-19"))
    func strictness() throws {
        let changes: [(String, String)] = [
            (#""SHA1""#, #""sha1""#), (#""SHA1""#, #""MD5""#), (#""SHA1""#, "1"), (#""algorithm":"SHA1","#, ""),
            (#""digits":8"#, #""digits":5"#), (#""digits":8"#, #""digits":9"#), (#""digits":8"#, #""digits":"8""#),
            (#""digits":8"#, #""digits":6.5"#), (#""digits":8"#, #""digits":-8"#), (#""digits":8,"#, ""),
            (#""period":30"#, #""period":14"#), (#""period":30"#, #""period":121"#), (#""period":30"#, #""period":0"#),
            (#""period":30"#, #""period":1e99"#), (#""period":30,"#, ""), (#""period":30"#, #""period":null"#),
            // 15 bytes, 65 bytes, padding, left-over bits, a foreign letter, nothing.
            (#"MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"#, "MTIzNDU2Nzg5MDEyMzQ1"),
            (#"MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"#, String(repeating: "A", count: 87)),
            (#"Njc4OTA"#, "Njc4OTA="), (#"Njc4OTA"#, "Njc4OTB"), (#"Njc4OTA"#, "Njc4O+A"),
            (#""MTIzNDU2Nzg5MDEyMzQ1Njc4OTA""#, #""""#), (#""MTIzNDU2Nzg5MDEyMzQ1Njc4OTA""#, "7"),
            (#","secret":"MTIzNDU2Nzg5MDEyMzQ1Njc4OTA""#, ""), (#"{"algorithm""#, #"{"counter":0,"algorithm""#),
        ]
        #expect(throws: Never.self) { try file(line(with: Self.otp)) }
        for (found, written) in changes {
            let changed = Self.otp.replacingOccurrences(of: found, with: written)
            try #require(changed != Self.otp, "\(found)")
            let refusal = rejection { () throws(AccountsFailure) in try file("", line(with: changed)) }
            #expect(refusal == .malformed(line: 3, words: "has an 'otp' that makes no codes"), "\(written)")
        }
        for otp in ["null", "true", "[]", #""MTIzNDU2Nzg5MDEyMzQ1Njc4OTA""#, "{}"] {
            let refusal = rejection { () throws(AccountsFailure) in try file(line(with: otp)) }
            #expect(refusal == .malformed(line: 2, words: "has an 'otp' that makes no codes"), "\(otp)")
        }
        // Twice in a line is no JSON.
        let twice = rejection { () throws(AccountsFailure) in
            try file(line(with: Self.otp, in: line(with: Self.otp)))
        }
        #expect(twice == .malformed(line: 2, words: "is no JSON object"))
    }

    @Test("A code is its owner's while the login is open, and nobody else's", .proves("OPS-19"), .proves("threat-39"))
    func asked() throws {
        let folder = temporaryPath("codes")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/accounts"
        let other = Self.line.replacingOccurrences(of: #""ada","subject":"s""#, with: #""ben","subject":"t""#)
        var file = try file(line(with: Self.otp), other)
        try file.write(to: path)
        let accounts = try Accounts(at: path)
        func step(_ code: String, _ subject: String) throws -> Int64? {
            accounts.acceptance(of: code, from: try Record.Subject(parsing: subject), at: Self.time)?.step
        }
        #expect(try step(Self.code, "s") == 37_037_036)
        #expect(try step("07081805", "s") == nil)
        #expect(try step(Self.code, "t") == nil && step(Self.code, "u") == nil)
        // The code that the decoy makes is nobody's either.
        let decoys = String(decoding: OneTimeCodes.decoy.code(of: 37_037_036), as: UTF8.self)
        #expect(OneTimeCodes.decoy.acceptance(of: decoys, at: Self.time) != nil)
        for subject in ["s", "t", "u"] { #expect(try step(decoys, subject) == nil) }
        // Changes count once they are read anew.
        let ada = try UserName(parsing: "ada")
        let changes: [(inout AccountFile) throws -> Void] = [
            { try $0.setDisabled(true, ada) }, { try $0.removeCodes(of: ada) },
        ]
        for change in changes {
            file = try self.file(line(with: Self.otp), other)
            try file.write(to: path)
            try accounts.reload()
            #expect(try step(Self.code, "s") != nil)
            try change(&file)
            try file.write(to: path)
            #expect(try step(Self.code, "s") != nil)
            try accounts.reload()
            #expect(try step(Self.code, "s") == nil)
        }
    }
}
