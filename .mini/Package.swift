// swift-tools-version: 6.2
import PackageDescription
let rules: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility")]
let package = Package(name: "swift-eduid", platforms: [.macOS(.v15)], targets: [
        .target(name: "PureCrypto", dependencies: [], swiftSettings: rules),
        .target(name: "TestSupport", dependencies: [], path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(name: "PureCryptoTests", dependencies: ["PureCrypto", "TestSupport"], swiftSettings: rules),
], swiftLanguageModes: [.v6])
