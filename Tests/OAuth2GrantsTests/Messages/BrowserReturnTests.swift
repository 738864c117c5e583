import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("What a browser brings back to an app")
struct BrowserReturnTests {
    @Test("What is wrong with a link is told by its rule", .proves("OIC-13"))
    func rejectedLinks() throws {
        let address = try CallbackAddress(parsing: "ch.eduid.mobile:/signed-in")
        var entropy = SystemRandomNumberGenerator()
        let state = Secret.CallbackState(using: &entropy)
        let issuer = try Issuer(parsing: "https://eduid.example.ch")
        let code = try Secret.AuthorizationCode(parsing: "a-code")
        let link = BrowserReturn(.code(code), state: state, by: issuer).link(to: address)
        let other = BrowserReturn(.code(code), state: Secret.CallbackState(using: &entropy), by: issuer)
        let broken: [(String, ParameterRejection)] = [
            (link + "&error=access_denied", .repeated("error")),
            (link.replacing("code=", with: "c="), .missing("code")),
            (link.replacing("state=", with: "stat="), .missing("state")), (link + "&code=x", .repeated("code")),
            (other.link(to: address), .state),
            (link.replacing("mobile:/", with: "mobile:/x"), .callback),
        ]
        for (text, expected) in broken {
            #expect(throws: expected, "\(text)") {
                try BrowserReturn(parsing: text, to: address, expecting: state, by: issuer)
            }
        }
        #expect(try BrowserReturn(parsing: link, to: address, expecting: state, by: issuer).answer == .code(code))
    }
}
