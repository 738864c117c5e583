public import Foundation

/// The checkout that the tests were compiled from: fixtures and sources are read from there.
public enum Repository {
    /// The folder that holds `Package.swift`.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The bytes of a file below `Fixtures`.
    public static func fixture(_ path: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: root.appending(path: "Fixtures").appending(path: path)))
    }

    /// The bytes of any file of the checkout.
    public static func source(_ path: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: root.appending(path: path)))
    }
}
