import Testing
@testable import PureCrypto

@Test func placeholder() {}
