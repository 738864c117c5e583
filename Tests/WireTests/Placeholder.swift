import Testing
@testable import Wire

@Test func placeholder() {}
