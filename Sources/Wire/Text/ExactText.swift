/// A text that is compared, ordered and hashed as its UTF-8 bytes.
///
/// Swift's `String` takes canonically equivalent texts for equal — "é" and "e\u{301}", even "K" and the Kelvin sign —
/// which would let one party's name pass for another's, and one member of a JSON object for another (RFC 8259 §8.3).
/// With this type `switch name { case "kid": … }` is exact, and so is a property that is declared
/// `@ExactText var name: String`.
@propertyWrapper
public struct ExactText: Sendable, ExpressibleByStringLiteral, CustomStringConvertible, Hashable, Comparable {
    /// The text; comparing it with `String`'s `==` would lose the exactness.
    public let text: String

    /// The text that is to be compared exactly.
    @inlinable
    public init(_ text: String) { self.text = text }

    /// The text that is to be compared exactly.
    @inlinable
    public init(wrappedValue: String) { text = wrappedValue }

    /// The text.
    @inlinable
    public var wrappedValue: String {
        get { text }
        set { self = ExactText(newValue) }
    }
}

extension ExactText {
    /// The text that is to be compared exactly.
    @inlinable
    public init(stringLiteral text: String) { self.text = text }

    /// The text.
    public var description: String { text }
}

extension ExactText {
    /// Whether both consist of the same bytes.
    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.spells(right.text)
    }

    /// Whether the left one's bytes come first in lexicographic order, which is also the order of code points.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Feeds the bytes, and where they end.
    public func hash(into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xff as UInt8)
    }
}

extension String {
    /// Whether both consist of the same UTF-8 bytes; `==` would compare up to canonical equivalence.
    package func spells(_ other: String) -> Bool {
        withBytes { left in
            other.withBytes { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
                return Bytes.equal(first, second, count: left.count)
            }
        }
    }

    /// The text of bytes that are known to be ASCII, which the standard library would otherwise find out again.
    @inline(__always)
    init(ascii bytes: UnsafeBufferPointer<UInt8>) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            self.init(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: true))
        } else {
            self.init(decoding: bytes, as: UTF8.self)
        }
    }

    /// Calls with the UTF-8 bytes, which end with the call, without taking hold of the string.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? withCopiedBytes(body)
    }

    /// Serves strings that are not stored as UTF-8, as those from Objective-C may be.
    @inline(never)
    private func withCopiedBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var copy = self
        return copy.withUTF8(body)
    }
}
