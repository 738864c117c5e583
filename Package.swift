// swift-tools-version: 6.2

import PackageDescription

/// Every target is held to the same rules; `treatAllWarnings` binds only where this package is the root, so embedders
/// are not affected.
let rules: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "swift-eduid",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "PureCrypto", targets: ["PureCrypto"]),
        .library(name: "Wire", targets: ["Wire"]),
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "RSD2", targets: ["RSD2"]),
        .library(name: "TokenTree", targets: ["TokenTree"]),
        .library(name: "TokenTreeTesting", targets: ["TokenTreeTesting"]),
        .library(name: "TokenStores", targets: ["TokenStores"]),
        .library(name: "OAuth2Grants", targets: ["OAuth2Grants"]),
        .library(name: "NAIL", targets: ["NAIL"]),
        .library(name: "Federation", targets: ["Federation"]),
        .library(name: "Hosting", targets: ["Hosting"]),
        .library(name: "FederationTesting", targets: ["FederationTesting"]),
        .library(name: "PKCS11", targets: ["PKCS11"]),
        .executable(name: "eduid", targets: ["eduid"]),
        .executable(name: "eduid-testkit", targets: ["eduid-testkit"]),
        .executable(name: "eduid-bench", targets: ["eduid-bench"]),
    ],
    traits: [
        .trait(
            name: "PKCS11",
            description: "Keys in security modules, by the headers of p11-kit (Debian: libp11-kit-dev)."),
        .trait(name: "Curl", description: "Requests over TLS (Debian: libcurl4-openssl-dev)."),
        .trait(name: "SQLite", description: "Trees in SQLite (Debian: libsqlite3-dev)."),
        .trait(name: "PostgreSQL", description: "Trees in PostgreSQL (Debian: libpq-dev)."),
    ],
    targets: [
        .target(name: "PureCrypto", swiftSettings: rules),
        .target(name: "Wire", swiftSettings: rules),
        .target(name: "JOSE", dependencies: ["PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "RSD2", dependencies: ["Wire"], swiftSettings: rules),
        .target(name: "TokenTree", dependencies: ["PureCrypto", "Wire"], swiftSettings: rules),
        .target(name: "TokenTreeTesting", dependencies: ["TokenTree", "Wire"], swiftSettings: rules),
        .target(
            name: "TokenStores",
            dependencies: [
                "TokenTree", "Wire", .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: rules),
        .target(
            name: "Hosting",
            dependencies: [
                "Federation", "JOSE", "OAuth2Grants", "PureCrypto", "RSD2", "TokenStores", "TokenTree", "Wire",
                .target(name: "CEventPolling", condition: .when(platforms: [.linux, .android])),
                .target(name: "CCurl", condition: .when(traits: ["Curl"])),
            ],
            swiftSettings: rules),
        .target(name: "OAuth2Grants", dependencies: ["JOSE", "PureCrypto", "Wire"], swiftSettings: rules),
        .target(
            name: "NAIL", dependencies: ["JOSE", "OAuth2Grants", "PureCrypto", "RSD2", "Wire"], swiftSettings: rules),
        .target(
            name: "Federation",
            dependencies: ["NAIL", "OAuth2Grants", "TokenTree", "RSD2", "JOSE", "PureCrypto", "Wire"],
            swiftSettings: rules),
        .target(
            name: "FederationTesting",
            dependencies: ["Federation", "NAIL", "OAuth2Grants", "TokenTree", "RSD2", "JOSE", "PureCrypto", "Wire"],
            swiftSettings: rules),

        // A part of the C library that the Swift module of it leaves out.
        .systemLibrary(name: "CEventPolling"),
        // Empty without their traits; nothing then asks for the headers.
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CPKCS11"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CPostgreSQL"),
        .target(
            name: "PKCS11",
            dependencies: [
                "JOSE", "PureCrypto", "Wire", .target(name: "CPKCS11", condition: .when(traits: ["PKCS11"])),
            ],
            swiftSettings: rules),

        .target(name: "JOSETesting", dependencies: ["JOSE", "PureCrypto", "Wire"], swiftSettings: rules),
        .target(
            name: "VectorCatalogue",
            dependencies: [
                "Federation", "NAIL", "OAuth2Grants", "TokenTree", "RSD2", "JOSE", "JOSETesting", "PureCrypto", "Wire",
            ],
            swiftSettings: rules),

        .executableTarget(
            name: "eduid",
            dependencies: [
                "Federation", "FederationTesting", "Hosting", "JOSE", "NAIL", "OAuth2Grants", "PKCS11", "PureCrypto",
                "RSD2", "TokenStores", "TokenTree", "VectorCatalogue", "Wire",
            ],
            swiftSettings: rules),
        .executableTarget(
            name: "eduid-testkit",
            dependencies: [
                "PureCrypto", "Wire", "JOSE", "RSD2", "TokenTree", "TokenTreeTesting", "OAuth2Grants", "NAIL",
                "Federation", "FederationTesting", "Hosting", "TokenStores", "VectorCatalogue",
            ],
            swiftSettings: rules),
        .executableTarget(
            name: "eduid-bench",
            dependencies: [
                "PureCrypto", "Wire", "JOSE", "RSD2", "TokenTree", "TokenTreeTesting", "OAuth2Grants", "NAIL",
                "Federation",
                "FederationTesting", "TokenStores",
            ],
            swiftSettings: rules),
        .executableTarget(name: "constant-time-probe", dependencies: ["PureCrypto"], swiftSettings: rules),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: rules),
        .testTarget(name: "PureCryptoTests", dependencies: ["PureCrypto", "TestSupport"], swiftSettings: rules),
        .testTarget(name: "WireTests", dependencies: ["Wire", "TestSupport"], swiftSettings: rules),
        .testTarget(
            name: "JOSETests", dependencies: ["JOSE", "PureCrypto", "Wire", "TestSupport"], swiftSettings: rules),
        .testTarget(name: "RSD2Tests", dependencies: ["RSD2", "Wire", "TestSupport"], swiftSettings: rules),
        .testTarget(
            name: "TokenTreeTests",
            dependencies: ["TokenTree", "TokenTreeTesting", "PureCrypto", "Wire", "TestSupport"],
            swiftSettings: rules),
        .testTarget(
            name: "TokenStoresTests",
            dependencies: ["TokenStores", "TokenTree", "TokenTreeTesting", "Wire", "TestSupport"],
            swiftSettings: rules),
        .testTarget(
            name: "HostingTests",
            dependencies: [
                "Hosting", "Federation", "FederationTesting", "JOSE", "OAuth2Grants", "PureCrypto", "RSD2",
                "TokenStores",
                "TokenTree", "Wire", "TestSupport",
            ],
            swiftSettings: rules),
        .testTarget(
            name: "OAuth2GrantsTests", dependencies: ["OAuth2Grants", "JOSE", "PureCrypto", "Wire", "TestSupport"],
            swiftSettings: rules),
        .testTarget(
            name: "NAILTests",
            dependencies: ["NAIL", "OAuth2Grants", "RSD2", "JOSE", "PureCrypto", "Wire", "TestSupport"],
            swiftSettings: rules),
        .testTarget(
            name: "FederationTests",
            dependencies: [
                "Federation", "FederationTesting", "NAIL", "OAuth2Grants", "TokenTree", "RSD2", "JOSE", "PureCrypto",
                "TokenStores", "Wire", "TestSupport",
            ],
            swiftSettings: rules),
        .testTarget(
            name: "VectorTests", dependencies: ["VectorCatalogue", "Wire", "TestSupport"], swiftSettings: rules),
        .testTarget(
            name: "ProtocolTests",
            dependencies: [
                "Federation", "FederationTesting", "JOSE", "OAuth2Grants", "RSD2", "VectorCatalogue", "Wire",
                "TestSupport",
            ],
            swiftSettings: rules),
        .testTarget(
            name: "EduidTests",
            dependencies: [
                "eduid", "Federation", "FederationTesting", "Hosting", "JOSE", "NAIL", "OAuth2Grants", "PureCrypto",
                "RSD2", "TokenStores", "TokenTree", "VectorCatalogue", "Wire", "TestSupport",
            ],
            swiftSettings: rules),
        .testTarget(
            name: "TestkitTests", dependencies: ["eduid-testkit", "VectorCatalogue", "Wire", "TestSupport"],
            swiftSettings: rules),
        .testTarget(
            name: "HouseRulesTests", dependencies: ["JOSE", "PureCrypto", "Wire", "TestSupport"], swiftSettings: rules),
    ],
    swiftLanguageModes: [.v6]
)
