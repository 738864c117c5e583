import Foundation
@testable import Hosting
import TestSupport
import Testing

/// Files that are written whole, and sockets that their owner alone can use.
@Suite("Files of a party")
struct WholeFileTests {
    private let folder = URL(filePath: "/tmp/eduid-files-\(UInt32.random(in: 0...(.max)))")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func place(_ name: String) -> String { folder.appending(path: name).path }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: place(name))[.posixPermissions] as? Int
    }

    @Test("What is there is replaced in one step, or left as it is, and nothing else is left", .proves("OPS-1"))
    func replacing() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (old, new) = ([UInt8](repeating: 1, count: 300_000), [UInt8](repeating: 2, count: 7))
        try WholeFile.write(old, to: place("a"))
        #expect(throws: WholeFile.Failure.self) { try WholeFile.write(new, to: place("a"), replacing: false) }
        #expect(FileManager.default.contents(atPath: place("a")) == Data(old))
        try WholeFile.write(new, to: place("a"), mode: 0o644)
        #expect(FileManager.default.contents(atPath: place("a")) == Data(new))
        let mask = umask(0)
        umask(mask)
        #expect(try mode("a") == 0o644 & ~Int(mask))
        try WholeFile.write([], to: place("b"), replacing: false)
        #expect(try mode("b") == 0o600)
        // A folder is no file, and what was to take its place is gone.
        #expect(throws: WholeFile.Failure.self) { try WholeFile.write(new, to: folder.path) }
        #expect(throws: WholeFile.Failure.self) { try WholeFile.write(new, to: place("none/a")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "b"])
        let beside = try FileManager.default.contentsOfDirectory(atPath: "/tmp")
        #expect(!beside.contains { $0.hasPrefix(folder.lastPathComponent + ".") })
    }

    @Test("What the superuser writes into somebody's folder is that user's", .enabled(if: geteuid() == 0))
    func adopted() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try #require(chown(folder.path, 65_534, 65_534) == 0)
        try WholeFile.write([1], to: place("a"))
        var status = stat()
        #expect(stat(place("a"), &status) == 0 && status.st_uid == 65_534 && status.st_gid == 65_534)
    }

    @Test("A socket is for its owner and group, or for its owner alone", .proves("SYS-7"), .proves("OPS-8"))
    func sockets() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let both = try Listener.listen(at: .path(place("group")))
        let own = try Listener.listen(at: .path(place("own")), isForOwner: true)
        #expect(try mode("group") == 0o660)
        #expect(try mode("own") == 0o600)
        withExtendedLifetime((both, own)) {}
    }
}
