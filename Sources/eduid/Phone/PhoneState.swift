import Federation
import Foundation
import Hosting
import NAIL
import PureCrypto

/// The state of the edu-ID app in a file, sealed, which app and extension both read and write.
struct PhoneState: Sendable {
    private let folder: String
    private let name: String
    private let seal: Seal

    init(path folder: String, name: String, key: SymmetricKey) {
        (self.folder, self.name) = (folder, name)
        seal = Seal(key, for: "the state of an edu-ID app", using: { systemWord() })
    }

    private var place: String { folder + "/" + name }

    /// What is kept; `nil` if nothing is.
    func read() throws(Failure) -> AuthorizingApp.Store? {
        guard let bytes = FileManager.default.contents(atPath: place) else { return nil }
        return try Failure.refusing(
            "the state in '\(place)' is damaged; restore it, or remove it and sign in again",
            try AuthorizingApp.Store(parsing: String(decoding: bytes, as: UTF8.self), opening: seal))
    }

    /// Keeps a store if the revision of what is kept is still this one, in one step; whether it did.
    ///
    /// Where the system keeps nothing the program ends: who went on would lose what the store was changed for.
    func write(_ store: AuthorizingApp.Store, replacing revision: UInt64) -> Bool {
        let lock = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { end() }
        defer { close(lock) }
        let kept: AuthorizingApp.Store?
        do throws(Failure) { kept = try read() } catch { end("\(error)") }
        guard (kept?.revision ?? 0) == revision else { return false }
        do throws(WholeFile.Failure) {
            try WholeFile.write(Array(store.serialized(sealing: seal).utf8), to: place)
        } catch {
            end(error.words)
        }
        return true
    }

    private func end(_ words: String = String(cString: strerror(errno))) -> Never {
        Lines(upTo: .error).write("Error: the state in '\(place)' cannot be kept: \(words)", as: .error)
        exit(EXIT_FAILURE)
    }
}
