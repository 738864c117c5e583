/// What a journal asks of a file system, within one folder.
///
/// A simulated one takes the place of the disk's where crashes are played.
package protocol Folder: Sendable {
    /// Where the folder is, for messages.
    var path: String { get }

    /// The names of its files, in no order.
    func names() throws(StoreFailure) -> [String]

    /// Opens a file.
    func open(_ name: String, _ mode: OpenMode) throws(StoreFailure) -> any File

    /// Gives a file another name; a file that had that name is gone.
    func rename(_ name: String, to other: String) throws(StoreFailure)

    /// Removes a file.
    func remove(_ name: String) throws(StoreFailure)

    /// Makes sure that names which were given, changed or removed survive a loss of power.
    func synchronize() throws(StoreFailure)
}

extension Folder {
    /// Where a file of this name is, for messages.
    func path(of name: String) -> String { path + "/" + name }
}

/// What becomes of a file when it is opened.
package enum OpenMode: Sendable {
    /// It must be there, and is only read.
    case reading
    /// It must be there, and goes on.
    case continuing
    /// It is new, or begins anew.
    case anew
}

/// An open file.
package protocol File: Sendable {
    /// Its length.
    func byteCount() throws(StoreFailure) -> Int

    /// At most so many bytes from a place; fewer only at the file's end.
    func read(at offset: Int, upTo count: Int) throws(StoreFailure) -> [UInt8]

    /// Writes all of the bytes, from a place on.
    func write(_ bytes: [UInt8], at offset: Int) throws(StoreFailure)

    /// Makes sure that what was written survives a loss of power.
    func synchronize() throws(StoreFailure)

    /// Cuts off what is behind this length.
    func truncate(to byteCount: Int) throws(StoreFailure)

    /// Makes it longer by so many zeros from a place on, which find room when they are written over; where the file
    /// system cannot promise that, nothing is done.
    func reserve(_ byteCount: Int, at offset: Int) throws(StoreFailure)
}
