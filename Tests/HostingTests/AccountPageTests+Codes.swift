import Foundation
@testable import Hosting
import Synchronization
import TestSupport
import Testing
import Wire

// The pages for who has one-time codes beside a password.

extension AccountPageTests {
    @Test(
        "Who has one-time codes shows one beside the password, which passes once", .proves("OPS-15"), .proves("OPS-19"))
    func codes() async throws {
        let scene = try Scene(hasCodes: true)
        let codes = CodedAccounts.codes
        #expect(scene.clock.now.withLock { $0 } == CodedAccounts.begin)
        func refusal(_ password: String = Self.password, code: String?) async throws -> String {
            let response = try await scene.signIn(password, code: code)
            #expect(response.status == .forbidden && scene.cookies["__Host-eduid-session"] == nil)
            return String(decoding: response.body, as: UTF8.self)
        }
        for nothing in [nil, "", "   "] {
            #expect(try await refusal(code: nothing).contains("A one-time code is needed as well"))
        }
        #expect(try await refusal(code: "74768148").contains("The one-time code is wrong or was used before"))
        // Who does not know the password learns nothing of codes, not even with the right one.
        for code in [nil, codes[0]] { #expect(try await !refusal("wrong", code: code).contains("ne-time code is")) }
        #expect(try await scene.signIn(code: "7476 8147").status.code == 303)
        #expect(try await scene.page("/account").contains("University of Alpha"))
        #expect(try await refusal(code: codes[0]).contains("was used before"))
        scene.cookies = [:]
        #expect(try await refusal(code: codes[0]).contains("was used before"))
        scene.clock.wait(30)
        #expect(try await refusal(code: codes[0]).contains("was used before"))
        #expect(try await scene.signIn(code: codes[1]).status.code == 303)
    }

    @Test("What ends something takes a code with the password", .proves("OPS-16"), .proves("OPS-19"))
    func codesAgain() async throws {
        let scene = try Scene(hasCodes: true)
        let codes = CodedAccounts.codes
        #expect(try await scene.signIn(code: codes[0]).status.code == 303)
        scene.clock.wait(300)
        #expect(try await scene.page("/account/end?what=everything").contains("name=\"code\""))
        let token = try await scene.token(on: "/account")
        func end(_ form: [(String, String)]) async throws -> HTTP.Response? {
            try await scene.ask(.post, "/account/end", [("what", "everything"), ("token", token)] + form)
        }
        let password = ("password", Self.password)
        let wrongs: [([(String, String)], String)] = [
            ([password], "is needed as well"), ([password, ("code", codes[0])], "was used before"),
            ([password, ("code", "1")], "was used before"), ([("code", codes[10])], ""),
            ([("password", "wrong"), ("code", codes[10])], ""),
        ]
        for (form, words) in wrongs {
            let refused = try await end(form)
            #expect(refused?.status == .forbidden)
            let page = String(decoding: refused?.body ?? [], as: UTF8.self)
            #expect(words.isEmpty || page.contains(words), "\(form)")
            #expect(try await scene.isPhoneSignedIn)
        }
        let ended = try await end([password, ("code", codes[10])])
        #expect(place(ended)?.hasSuffix("/account/sign-in?said=everything") == true)
        #expect(try await !scene.isPhoneSignedIn)
    }
}
