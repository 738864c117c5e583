/// Lends bytes that nobody has written: undefined to memcheck, whatever they happen to be.
///
/// Bound: the allocation has `count` bytes, and lives as long as the call.
func withUndefinedBytes<Result>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    defer { memory.deallocate() }
    return body(UnsafeBufferPointer(start: memory, count: count).span)
}

/// Takes results without looking at them; memory that others may read keeps the optimizer from dropping the
/// computation.
enum Sink {
    private nonisolated(unsafe) static let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 10)

    @inline(never)
    static func keep(_ bytes: Span<UInt8>) {
        for index in 0..<min(bytes.count, 1 << 10) { memory[index] = bytes[index] }
    }

    @inline(never)
    static func keep(_ verdict: Bool) {
        UnsafeMutableRawPointer(memory).storeBytes(of: verdict, as: Bool.self)
    }

    /// The action that a leaky mode takes on one side of its branch.
    @inline(never)
    static func mark(_ value: UInt8) {
        memory[0] = value
    }
}
