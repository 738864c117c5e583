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
        }
    }
}
