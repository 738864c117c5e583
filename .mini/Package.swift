// swift-tools-version: 6.2
import PackageDescription
let rules: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error)]
let package = Package(name: "swift-eduid", platforms: [.macOS(.v15)], targets: [
        .target(name: "Wire", dependencies: [], swiftSettings: rules),
        .target(name: "RSD2", dependencies: ["Wire"], swiftSettings: rules),
        .target(name: "TestSupport", dependencies: [], path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(name: "RSD2Tests", dependencies: ["RSD2", "Wire", "TestSupport"], swiftSettings: rules),
], swiftLanguageModes: [.v6])
