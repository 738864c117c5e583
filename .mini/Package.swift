// swift-tools-version: 6.2
import PackageDescription
let rules: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility")]
let package = Package(name: "swift-eduid", platforms: [.macOS(.v15)], targets: [
        .target(name: "PureCrypto", dependencies: [], swiftSettings: rules),
        .target(name: "Wire", dependencies: [], swiftSettings: rules),
        .target(name: "JOSE", dependencies: ["PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "OAuth2Grants", dependencies: ["JOSE", "PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "RSD2", dependencies: ["Wire"], swiftSettings: rules),
        .target(name: "NAIL", dependencies: ["JOSE", "OAuth2Grants", "PureCrypto", "RSD2", "Wire"], swiftSettings: rules),
        .target(name: "TokenTree", dependencies: ["PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "Federation", dependencies: ["NAIL", "OAuth2Grants", "TokenTree", "RSD2", "JOSE", "PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "FederationTesting", dependencies: ["Federation", "NAIL", "OAuth2Grants", "TokenTree", "RSD2", "JOSE", "PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "TestSupport", dependencies: [], path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(name: "FederationTests", dependencies: ["Federation", "FederationTesting", "NAIL", "OAuth2Grants", "TokenTree", "RSD2", "JOSE", "PureCrypto", "Wire", "TestSupport"], swiftSettings: rules),
], swiftLanguageModes: [.v6])
