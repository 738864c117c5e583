// swift-tools-version: 6.2
import PackageDescription
let rules: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error)]
let package = Package(name: "swift-eduid", platforms: [.macOS(.v15)], targets: [
        .target(name: "PureCrypto", dependencies: [], swiftSettings: rules),
        .target(name: "Wire", dependencies: [], swiftSettings: rules),
        .target(name: "TokenTree", dependencies: ["PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "TokenTreeTesting", dependencies: ["TokenTree", "Wire"], swiftSettings: rules),
        .target(name: "TestSupport", dependencies: [], path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(name: "TokenTreeTests", dependencies: ["TokenTree", "TokenTreeTesting", "PureCrypto", "Wire", "TestSupport"], swiftSettings: rules),
], swiftLanguageModes: [.v6])
