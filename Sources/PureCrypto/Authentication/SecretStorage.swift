/// A fixed number of values on the heap that are overwritten before their memory is given back.
///
/// This covers the one place where a key rests. Copies that the compiler makes in registers and on the stack while it
/// computes are beyond the reach of a library, and are not claimed to be erased.
@usableFromInline
final class SecretStorage<Element: Sendable>: Sendable {
    /// Written only by `init` and `deinit`, when nobody else holds a reference.
    @usableFromInline nonisolated(unsafe) let elements: UnsafeMutableBufferPointer<Element>

    @inlinable init(_ count: Int, element: (Int) -> Element) {
        elements = .allocate(capacity: count)
        for index in 0..<count { elements.initializeElement(at: index, to: element(index)) }
    }

    @inlinable deinit {
        elements.deinitialize()
        erase(UnsafeMutableRawBufferPointer(elements))
        elements.deallocate()
    }

    @inlinable var count: Int { elements.count }

    /// Lends the elements for the time of the call.
    @inlinable func withSpan<Result, Failure: Error>(_ body: (Span<Element>) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try body(elements.span)
    }
}

#if !hasFeature(Embedded)
extension SecretStorage: CustomReflectable {
    /// Nothing, not even where the secret lies.
    @usableFromInline var customMirror: Mirror { Mirror(self, children: []) }
}
#endif

/// Overwrites memory with zeros; never inlined, so that the optimizer does not see these stores together with the
/// release that follows them.
@inline(never) @usableFromInline
func erase(_ memory: UnsafeMutableRawBufferPointer) {
    memory.initializeMemory(as: UInt8.self, repeating: 0)
}
