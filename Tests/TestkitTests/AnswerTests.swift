import TestSupport
import Testing
import Wire

@testable import eduid_testkit

/// The answer of one operation to one line.
private func answer(_ operation: String, _ line: String) -> JSON {
    EduidTestkit.answer(to: .bytes([UInt8](line.utf8)[...]), with: Operation.all.first { $0.name == operation })
}

@Suite("Testkit protocol: answers")
struct AnswerTests {
    @Test("every operation has one name") func namesAreUnique() {
        let names = Operation.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test("an operation that is not served says so to each line") func unsupported() {
        #expect(answer("no-such-op", "{}") == ["unsupported": true])
        #expect(answer("no-such-op", "not JSON") == ["unsupported": true])
    }

    @Test(
        "a line that cannot be read is answered with the reason",
        arguments: ["", "nonsense", "[1]", "{}", #"{"text":7}"#, #"{"text":"a","text":"b"}"#])
    func unreadable(line: String) throws {
        let members = try #require(answer("b64url-decode", line).object)
        #expect(members.map(\.name) == ["error"])
    }

    @Test("a line beyond the limit is answered, not kept") func tooLong() throws {
        let members = try #require(EduidTestkit.answer(to: .tooLong, with: Operation.all.first).object)
        #expect(members.map(\.name) == ["error"])
    }

    @Test("hash") func hash() {
        #expect(
            answer("hash", #"{"alg":"sha224","msg":"616263"}"#)
                == ["digest": "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"])
        #expect(
            answer("hash", #"{"alg":"sha1","msg":"616263"}"#) == ["digest": "a9993e364706816aba3e25717850c26c9cd0d89d"])
        #expect(answer("hash", #"{"alg":"md5","msg":""}"#)["error"] != nil)
        #expect(answer("hash", #"{"alg":"sha256","msg":"6"}"#)["error"] != nil)
    }

    /// Expected digests made with Python's hashlib, by the recurrence of NIST's Secure Hash Algorithm Validation
    /// System, section 6.4.
    @Test("hash-monte") func monteCarlo() {
        let seed = String(repeating: "00", count: 31) + "01"
        let line = #"{"alg":"sha256","seed":"\#(seed)","rounds":3,"inner":7}"#
        let expected: JSON = [
            "c8cf2421e61c3d0c5def9b75de17b1f9c5cc0d6e6104fd0d087ff502ace24211",
            "55e4ad0e36d23002bb830b55b19575762877d71ec1e325e4f956ac35abc2672f",
            "64ddeb73ac845110afc06655cb442b6cc44349e2cf92741a537e213270b0db42",
        ]
        #expect(answer("hash-monte", line) == ["digests": expected])
        #expect(answer("hash-monte", #"{"alg":"sha256","seed":"00","rounds":1e9}"#)["error"] != nil)
    }

    /// RFC 4231, test case 2, and RFC 2202, test case 2.
    @Test("hmac and hmac-verify") func hmac() {
        let input = #""key":"4a656665","msg":"7768617420646f2079612077616e7420666f72206e6f7468696e673f""#
        let tag = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        #expect(answer("hmac", #"{"alg":"sha256",\#(input)}"#) == ["tag": .string(tag)])
        #expect(answer("hmac", #"{"alg":"sha1",\#(input)}"#) == ["tag": "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"])
        #expect(answer("hmac-verify", #"{"alg":"sha256",\#(input),"tag":"\#(tag)","tagBytes":32}"#) == true)
        #expect(answer("hmac-verify", #"{"alg":"sha256",\#(input),"tag":"\#(tag.prefix(32))","tagBytes":16}"#) == true)
        #expect(answer("hmac-verify", #"{"alg":"sha256",\#(input),"tag":"\#(tag.prefix(32))","tagBytes":32}"#) == false)
        #expect(answer("hmac-verify", #"{"alg":"sha256",\#(input),"tag":"\#(tag)","tagBytes":16}"#) == false)
        #expect(answer("hmac-verify", #"{"alg":"sha384",\#(input),"tag":"\#(tag)","tagBytes":32}"#) == false)
    }

    /// RFC 8032, section 7.1, test 2.
    @Test("ed25519-sign and ed25519-verify") func ed25519() {
        let seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
        let key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
        let signature =
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        #expect(
            answer("ed25519-sign", #"{"seed":"\#(seed)","msg":"72"}"#) == [
                "pub": .string(key), "sig": .string(signature),
            ])
        #expect(answer("ed25519-sign", #"{"seed":"00","msg":"72"}"#) == false)
        #expect(answer("ed25519-verify", #"{"pub":"\#(key)","msg":"72","sig":"\#(signature)"}"#) == true)
        #expect(answer("ed25519-verify", #"{"pub":"\#(key)","msg":"73","sig":"\#(signature)"}"#) == false)
        #expect(answer("ed25519-verify", #"{"pub":"\#(key)","msg":"72","sig":"\#(signature.dropLast(2))"}"#) == false)
        #expect(answer("ed25519-verify", #"{"pub":"00","msg":"72","sig":"\#(signature)"}"#) == false)
    }

    /// RFC 6979, section A.2.5; the DER of its signature is OpenSSL's.
    @Test("ecdsa-sign, ecdsa-verify and ec-point-validate") func ecdsa() {
        let secret = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
        let x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
        let y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
        let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
        let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
        let der = "3046022100\(r)022100\(s)"
        let longer =
            "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00"
            + "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe"
        func signed(_ members: String) -> JSON {
            answer("ecdsa-sign", #"{"curve":"secp256r1","priv":"\#(secret)","msg":"73616d706c65"\#(members)}"#)
        }
        #expect(signed("") == ["pub": .string("04" + x + y), "sig": .string(r + s)])
        #expect(signed(#","fmt":"der""#)["sig"] == .string(der))
        func verified(_ signature: String, _ format: String = "p1363", _ hash: String = "SHA-256") -> JSON {
            answer(
                "ecdsa-verify",
                #"{"curve":"secp256r1","hash":"\#(hash)","fmt":"\#(format)","pub":"04\#(x)\#(y)","msg":"73616d706c65","sig":"\#(signature)"}"#
            )
        }
        #expect(verified(r + s) == true)
        #expect(verified(longer, "p1363", "SHA-512") == true)
        #expect(verified(der, "der") == true)
        #expect(verified(der) == false)
        #expect(verified(r + s, "der") == false)
        #expect(verified(r + s, "p1363", "SHA-512") == false)
        #expect(verified(s + r) == false)
        #expect(verified("") == false)
        #expect(verified(r + s, "ber")["error"] == "'fmt' has the unknown value 'ber'")
        #expect(answer("ec-point-validate", #"{"curve":"secp256r1","x":"\#(x)","y":"\#(y)"}"#) == true)
        #expect(answer("ec-point-validate", #"{"curve":"secp256r1","x":"\#(y)","y":"\#(x)"}"#) == false)
        #expect(answer("ec-point-validate", #"{"curve":"secp384r1","x":"\#(x)","y":"\#(y)"}"#) == false)
        #expect(
            answer("ec-point-validate", #"{"curve":"secp256k1","x":"\#(x)","y":"\#(y)"}"#)["error"]
                == "'curve' has the unknown value 'secp256k1'")
    }

    /// The key and its tokens are another library's.
    @Test("rsa-verify") func rsa() throws {
        let rsa = try #require(try JSON(parsing: Repository.fixture("jose/keys.json"))["rsa"])
        let n = Hex.encode(try Base64URL.decode(try #require(rsa["jwk"]?["n"]?.string)))
        func verified(_ token: JSON.Name, _ members: String) throws -> JSON {
            let text = try #require(rsa["tokens"]?[token]?.string)
            let parts = text.split(separator: ".")
            let message = Hex.encode(Array("\(parts[0]).\(parts[1])".utf8))
            let signature = Hex.encode(try Base64URL.decode(String(parts[2])))
            return answer(
                "rsa-verify", #"{"n":"00\#(n)","e":"010001","msg":"\#(message)","sig":"\#(signature)",\#(members)}"#)
        }
        let pss = #""scheme":"pss","hash":"SHA-256","mgfHash""#
        #expect(try verified("RS256", #""scheme":"pkcs1","hash":"SHA-256""#) == true)
        #expect(try verified("RS512", #""scheme":"pkcs1","hash":"SHA-512""#) == true)
        #expect(try verified("RS512", #""scheme":"pkcs1","hash":"SHA-256""#) == false)
        #expect(try verified("PS256", pss + #":"SHA-256","saltLen":32"#) == true)
        #expect(try verified("PS256", pss + #":"SHA-256","saltLen":20"#) == false)
        #expect(try verified("PS256", pss + #":"SHA-384","saltLen":32"#) == false)
        #expect(try verified("RS256", pss + #":"SHA-256","saltLen":32"#) == false)
        #expect(try verified("RS256", #""scheme":"pkcs1","hash":"SHA-1""#)["error"] != nil)
    }

    @Test("key-import takes a document of the form and the half that it names") func keyImport() throws {
        let written = try JSON(parsing: Repository.fixture("jose/keys.json"))
        let curve = try #require(written["curves"]?[0])
        func taken(_ form: String, _ name: JSON.Name, _ wantsPrivate: Bool) throws -> JSON {
            let member = form == "pem" ? "text" : "b64"
            return answer(
                "key-import",
                JSON.object([
                    "form": .string(form), JSON.Name(member): try #require(curve[name]), "private": .bool(wantsPrivate),
                ]).encodedString())
        }
        #expect(try taken("spki-der", "spki", false) == true)
        #expect(try taken("spki-der", "spki", true) == false)
        #expect(try taken("pkcs8-der", "pkcs8", true) == true)
        #expect(try taken("pkcs8-der", "pkcs8", false) == false)
        #expect(try taken("sec1-der", "pkcs8", true) == false)
        #expect(try taken("pem", "spkiPEM", false) == true)
        #expect(try taken("pem", "spkiPEM", true) == false)
        #expect(try taken("pem", "sec1PEM", true) == true)
        let document = try #require(curve["private"]?["sec1"])
        func sec1(as form: String) -> JSON {
            answer(
                "key-import", JSON.object(["form": .string(form), "b64": document, "private": true]).encodedString())
        }
        #expect(sec1(as: "sec1-der") == true)
        #expect(sec1(as: "pkcs8-der") == false)
        #expect(sec1(as: "xml")["error"] == "'form' has the unknown value 'xml'")
        func jwk(_ key: JSON, _ wantsPrivate: Bool) -> JSON {
            let input: JSON.Object = [
                "form": "jwk", "text": .string(key.encodedString()), "private": .bool(wantsPrivate),
            ]
            return answer("key-import", JSON.object(input).encodedString())
        }
        let shown = try #require(curve["jwk"])
        #expect(jwk(shown, false) == true)
        #expect(jwk(shown, true) == false)
        #expect(jwk(["kty": "AKP"], false) == false)
        #expect(jwk(try #require(written["rsa"]?["privateJWK"]), true) == false)
    }

    @Test("jws-verify takes the examples of the standards, which show private keys of RSA") func privateExamples()
        throws
    {
        let rsa = try #require(try JSON(parsing: Repository.fixture("jose/keys.json"))["rsa"])
        let input: JSON.Object = [
            "jws": try #require(rsa["tokens"]?["RS256"]), "jwk": try #require(rsa["privateJWK"]),
        ]
        #expect(answer("jws-verify", JSON.object(input).encodedString())["ok"] == true)
        #expect(
            answer("jwk-import", JSON.object(["text": .string(input["jwk"]?.encodedString() ?? "")]).encodedString())
                == false)
    }

    @Test("json-parse takes its input as bytes") func json() {
        #expect(answer("json-parse", #"{"bytes":"5b5d"}"#) == true)
        #expect(answer("json-parse", #"{"bytes":"efbbbf5b5d"}"#) == false)
        #expect(answer("json-parse", #"{"bytes":"5b"}"#) == false)
    }

    @Test("b64url-decode") func base64URL() {
        #expect(answer("b64url-decode", #"{"text":"-_8"}"#) == ["ok": true, "hex": "fbff"])
        #expect(answer("b64url-decode", #"{"text":"-_9"}"#) == false)
        #expect(answer("b64url-decode", #"{"text":"+/8"}"#) == false)
    }

    /// RFC 3986, sections 5.4.1 and 5.4.2.
    @Test("uri-resolve") func resolve() {
        #expect(answer("uri-resolve", #"{"base":"http://a/b/c/d;p?q","ref":"../g"}"#) == ["uri": "http://a/b/g"])
        #expect(
            answer("uri-resolve", #"{"base":"http://a/b/c/d;p?q","ref":"g;x=1/../y"}"#) == ["uri": "http://a/b/c/y"])
        #expect(answer("uri-resolve", #"{"base":"relative","ref":"g"}"#) == false)
    }

    @Test("url-parse answers with the names that browsers use, or refuses") func parse() {
        #expect(
            answer("url-parse", #"{"input":"HTTPS://Example.COM:443/a?b#c"}"#)
                == ["protocol": "https:", "hostname": "example.com", "port": ""])
        #expect(answer("url-parse", #"{"input":"b","base":"http://[::0001]:8080/a/"}"#)["hostname"] == "[::1]")
        #expect(answer("url-parse", #"{"input":"https://user@example.com/"}"#) == false)
        #expect(answer("url-parse", #"{"input":"javascript:alert(1)"}"#) == false)
    }

    /// RFC 8037, appendices A.2 to A.5.
    @Test("jws-verify and jwk-thumbprint") func jose() {
        let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        let jws = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.\(signature)"
        #expect(
            answer("jwk-thumbprint", #"{"jwk":\#(jwk)}"#) == [
                "thumbprint": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
            ])
        #expect(
            answer("jws-verify", #"{"jws":"\#(jws)","jwk":\#(jwk)}"#)["payload"]
                == "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc")
        #expect(answer("jws-verify", #"{"jws":"\#(jws.dropLast())","jwk":\#(jwk)}"#) == false)
        #expect(answer("jws-verify", #"{"jws":"eyJhbGciOiJub25lIn0.e30.","jwk":\#(jwk)}"#) == false)
        #expect(answer("jwk-import", #"{"text":"{\"kty\":\"oct\"}"}"#) == false)
    }

    @Test("the readers of service descriptions") func serviceDescriptions() {
        #expect(answer("xml-parse", #"{"bytes":"3c612f3e"}"#) == true)
        #expect(answer("xml-parse", #"{"bytes":"3c613e"}"#) == false)
        #expect(answer("yaml-parse", #"{"text":"a: [no, 1]\n"}"#) == ["json": ["a": ["no", 1]]])
        #expect(answer("yaml-parse", #"{"text":"a: &b 1\n"}"#) == false)
        let links = #""homePageLink":"http://example.com","engineLink":"service/","apiLink":"api/""#
        #expect(answer("rsd2-endpoint", "{\(links)}") == "http://example.com/service/api/")
        #expect(answer("rsd2-endpoint", "{\(links),\"path\":\"../x\"}") == false)
        #expect(answer("rsd2-services", #"{"text":"application/x-rsd+json; /rsd.json\n# none\n"}"#) == ["count": 1])
        #expect(answer("rsd2-parse", #"{"format":"json","b64":"eyJlbmdpbmVMaW5rIjoiIiwiYXBpcyI6e319"}"#) == true)
        #expect(answer("rsd2-parse", #"{"format":"xml","b64":"eyJlbmdpbmVMaW5rIjoiIiwiYXBpcyI6e319"}"#) == false)
    }

    /// RFC 6749, sections 4.1.3 and 5.1, and RFC 7009, section 2.1.
    @Test("oauth-request-parse, -make, oauth-response-parse, -make") func messages() throws {
        let form = #""headers":{"Content-Type":"application/x-www-form-urlencoded"}"#
        let code = #"{"method":"POST","path":"/token",\#(form),"body":"grant_type=authorization_code&code=Splx"}"#
        let read = answer("oauth-request-parse", #"{"endpoint":"token","request":\#(code)}"#)
        #expect(
            read == [
                "grant_type": "authorization_code", "code": "Splx", "code_verifier": .null,
                "credential": ["type": "none"],
            ])
        let unknown = code.replacing("authorization_code", with: "implicit")
        let refused = answer("oauth-request-parse", #"{"endpoint":"token","request":\#(unknown)}"#)
        #expect(refused["refused"]?["error"] == "unsupported_grant_type")
        #expect(refused["clause"] == "RFC6749-5.2")
        let secret = code.replacing("code=Splx", with: "code=S3cret+S3cret")
        #expect(
            !answer("oauth-request-parse", #"{"endpoint":"token","request":\#(secret)}"#).encodedString().contains(
                "S3cret"))

        let token =
            #""token":"45ghiukldjahdnhzdauz","token_type_hint":"refresh_token","credential":{"type":"bearer","token":"t"}"#
        let made = answer(
            "oauth-request-make", #"{"endpoint":"revocation","url":"https://a.example/revoke",\#(token)}"#)
        #expect(made["request"]?["body"] == "token=45ghiukldjahdnhzdauz&token_type_hint=refresh_token")
        #expect(made["request"]?["headers"]?["Authorization"] == "Bearer t")
        let again = answer(
            "oauth-request-parse",
            #"{"endpoint":"revocation","request":\#(try #require(made["request"]).encodedString())}"#)
        #expect(again["token"] == "45ghiukldjahdnhzdauz")

        let given = answer(
            "oauth-response-make",
            #"{"endpoint":"token","granted":{"access_token":"t","token_type":"Bearer","expires_in":60}}"#)
        #expect(given["response"]?["headers"]?["Cache-Control"] == "no-store")
        let got = answer(
            "oauth-response-parse",
            #"{"endpoint":"token","response":\#(try #require(given["response"]).encodedString())}"#)
        #expect(got == ["granted": ["access_token": "t", "token_type": "Bearer", "expires_in": 60]])
        let denied = answer("oauth-response-make", #"{"endpoint":"token","refused":{"error":"invalid_grant"}}"#)
        let told = answer(
            "oauth-response-parse",
            #"{"endpoint":"token","response":\#(try #require(denied["response"]).encodedString())}"#)
        #expect(told == ["refused": ["error": "invalid_grant", "status": 400]])
        // A body is always told, also an empty one.
        #expect(answer("oauth-response-make", #"{"endpoint":"revocation","granted":{}}"#)["response"]?["body"] == "")
        let broken = #"{"status":200,"headers":{},"body":"{}"}"#
        #expect(
            answer("oauth-response-parse", #"{"endpoint":"token","response":\#(broken)}"#) == [
                "rejected": "RFC6749-3.1"
            ])
        #expect(answer("oauth-request-parse", #"{"endpoint":"nowhere","request":\#(code)}"#)["error"] != nil)
    }

    @Test("a base that is no web URL does not matter to an absolute URL") func foreignBase() {
        #expect(answer("url-parse", #"{"input":"http://a.example/","base":"about:blank"}"#)["hostname"] == "a.example")
        #expect(answer("url-parse", #"{"input":"/x","base":"about:blank"}"#) == false)
    }
}
