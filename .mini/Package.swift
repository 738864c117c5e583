// swift-tools-version: 6.2
import PackageDescription
let rules: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error)]
let package = Package(name: "swift-eduid", platforms: [.macOS(.v15)], targets: [
        .target(name: "PureCrypto", dependencies: [], swiftSettings: rules),
        .target(name: "Wire", dependencies: [], swiftSettings: rules),
        .target(name: "JOSE", dependencies: ["PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "OAuth2Grants", dependencies: ["JOSE", "PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "RSD2", dependencies: ["Wire"], swiftSettings: rules),
        .target(name: "NAIL", dependencies: ["JOSE", "OAuth2Grants", "PureCrypto", "RSD2", "Wire"], swiftSettings: rules),
        .target(name: "TestSupport", dependencies: [], path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(name: "NAILTests", dependencies: ["NAIL", "OAuth2Grants", "RSD2", "JOSE", "PureCrypto", "Wire", "TestSupport"], swiftSettings: rules),
], swiftLanguageModes: [.v6])
