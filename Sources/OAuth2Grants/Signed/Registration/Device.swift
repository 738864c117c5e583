public import Wire

/// What an instance of the edu-ID app says about the device that it runs on (REG-2), for its user to recognize it by.
public struct Device: Hashable, Sendable {
    /// The device's own name for itself, which no other device has.
    public var id: Detail
    /// The name that the device's owner chose (REQ-12).
    public var name: Detail
    /// What kind of device it is.
    public var type: Detail
    /// The version of its operating system.
    public var systemVersion: Detail

    /// A device.
    public init(id: Detail, name: Detail, type: Detail, systemVersion: Detail) {
        self.id = id
        self.name = name
        self.type = type
        self.systemVersion = systemVersion
    }

    /// One of the things that are said about a device: a short text that can be shown, and is compared byte by byte.
    public typealias Detail = Identifier<DetailKind>

    /// Says something about a device.
    public enum DetailKind: IdentifierKind {
        /// More than any owner calls a device.
        public static var lengthLimit: Int { 256 }
    }
}
