/// A value that is made from untrusted bytes or not at all: the whole input is read, and what breaks a rule is refused
/// with that rule's name.
public protocol Parsable {
    /// The rules of the format, each with the evidence of its breach.
    associatedtype Rejection: Error

    /// Reads the value from exactly these bytes.
    init(parsing bytes: Span<UInt8>) throws(Rejection)
}

extension Parsable {
    // Inlinable, because each kind is read by code of its own then, without asking at run time what it is.

    /// Reads the value from the UTF-8 bytes of a text.
    @inlinable
    public init(parsing text: String) throws(Rejection) {
        self = try withBytes(of: text.utf8) { bytes throws(Rejection) in try Self(parsing: bytes) }
    }

    /// Reads the value from any collection of bytes.
    @inlinable
    public init(parsing bytes: some Collection<UInt8>) throws(Rejection) {
        self = try withBytes(of: bytes) { bytes throws(Rejection) in try Self(parsing: bytes) }
    }
}

/// Lends a collection of bytes as a span; a copy is made only of collections that do not lie in one piece.
@inlinable @inline(__always)
func withBytes<Value, Failure: Error>(
    of bytes: some Collection<UInt8>,
    _ body: (Span<UInt8>) throws(Failure) -> Value
) throws(Failure) -> Value {
    // The result leaves by a variable: returned through the collection's generic call, it would have its type looked up
    // in the tables of the runtime each time, which took longer than reading a short text.
    var lent: Result<Value, Failure>?
    bytes.withContiguousStorageIfAvailable { buffer in
        do throws(Failure) {
            lent = .success(try body(buffer.span))
        } catch {
            lent = .failure(error)
        }
    }
    guard let lent else { return try body([UInt8](bytes).span) }
    return try lent.get()
}
