public import TokenTree
public import Wire

/// Why a store could not do what it was asked for; each says what a person can do about it.
public enum StoreFailure: BrokenRule {
    /// There is no room on the disk for what was to be written; nothing has changed.
    case full(path: String)
    /// The folder or the file system takes no changes.
    case readOnly(path: String)
    /// The user of this process may not do it.
    case notPermitted(path: String)
    /// A file or folder is not there, or not there any more.
    case gone(path: String)
    /// Another process has the store open.
    case held(path: String, process: Int?)
    /// A call of the system failed in a way that is not told apart here.
    case failed(call: String, path: String, code: Int32)
    /// What waits to be written is more than the limit; nothing has changed.
    case busy(limit: Int)
    /// An earlier write failed, so that it is not known whether the change survives: load, and decide anew.
    case uncertain(String)
    /// The store was closed.
    case closed
    /// A file is missing between others that are there.
    case missing(path: String)
    /// A file is damaged before its end, at this offset.
    case damaged(path: String, offset: Int)
    /// A file is whole, but does not give back a tree.
    case unreadable(path: String, MemoryStore.Restoration.Rejection)
    /// The database cannot be reached; nothing has changed.
    case unreachable(String)
    /// The database took longer than the store waits; nothing has changed.
    case slow(String)
    /// Others were in the way each time that it was tried; nothing has changed.
    case contended(attempts: Int)
    /// The database refused for a reason of its own; nothing has changed.
    case refused(code: String, String)
    /// The tables are of a version that this release does not know.
    case later(version: Int64, known: Int64)
    /// The tables are of an earlier version than this release works on.
    case earlier(version: Int64, known: Int64)
    /// A row of a table is not as it was written here.
    case foreignRow(String, column: Int)
    /// The tables are to be filled and have records already.
    case notEmpty
    /// What is to begin the names of tables cannot do so.
    case notASpace(String)

    /// What happened, and the way on.
    public var rule: Rule {
        switch self {
        case .full(let path):
            Rule("STO-4", "no room is left at \(path); nothing was changed: make room and try again")
        case .readOnly(let path):
            Rule("STO-4", "\(path) can only be read; mount it for writing, or choose another folder")
        case .notPermitted(let path):
            Rule("STO-4", "this process may not use \(path); give its user the right to read and write there")
        case .gone(let path): Rule("STO-4", "\(path) is not there; mount or restore it, then open the store again")
        case .held(let path, let process):
            Rule(
                "STO-3",
                "\(path) is in use by \(process.map { "process \($0)" } ?? "another process"); "
                    + "one process has a journal at a time, so end that one first")
        case .failed(let call, let path, let code): Rule("STO-4", "\(call) failed for \(path) with error \(code)")
        case .busy(let limit):
            Rule("STO-4", "more than \(limit) bytes wait to be written; nothing was changed: try again")
        case .uncertain(let reason): Rule("STO-4", "it is not known whether the change was stored: \(reason)")
        case .closed: Rule("STO-4", "the store is closed; open it again")
        case .missing(let path): Rule("STO-2", "\(path) is missing; put it back, or restore a backup")
        case .damaged(let path, let offset):
            Rule(
                "STO-2",
                "\(path) is damaged at byte \(offset), with whole entries behind it; restore a backup, "
                    + "or the file from where it is whole")
        case .unreadable(let path, let rejection): Rule(rejection.clause, "\(path), \(rejection.text)")
        case .unreachable(let reason):
            Rule("STO-4", "the database cannot be reached: \(reason); nothing was changed: start it, then try again")
        case .slow(let reason):
            Rule("STO-4", "the database took too long: \(reason); nothing was changed: try again")
        case .contended(let attempts):
            Rule("STO-4", "others changed the same \(attempts) times in between; nothing was changed: try again")
        case .refused(let code, let reason):
            Rule("STO-4", "the database refuses (\(code)): \(reason); nothing was changed")
        case .later(let version, let known):
            Rule(
                "STO-4",
                "the tables are of version \(version), this release knows \(known); use the release that wrote them, "
                    + "or a later one")
        case .earlier(let version, let known):
            Rule(
                "STO-4",
                "the tables are of version \(version), this release works on \(known); open the store again, "
                    + "which makes them newer")
        case .foreignRow(let row, let column):
            Rule(
                "STO-2",
                "column \(column) of a row of \(row) was not written by a store; restore it from a backup")
        case .notEmpty:
            Rule("STO-10", "there are records already; choose an empty database or folder, or another name space")
        case .notASpace(let name):
            Rule(
                "STO-12",
                "'\(name)' cannot begin the names of tables; take up to 32 small letters, digits and underscores, "
                    + "a letter first")
        }
    }
}
