internal import Wire

// JSON, Base64url, URLs and forms.

extension Catalogue {
    mutating func addFormats() {
        addTexts()
        addBrokenTexts()
        addBase64URL()
        addURLs()
        addForms()
    }

    // MARK: JSON

    private mutating func addTexts() {
        let texts: [(String, String, String)] = [
            ("object", "an object", #"{"a":1,"b":[true,false,null]}"#),
            ("empty", "an empty object and an empty list", "[{},[]]"),
            ("space", "white space between everything", "\r\n\t {\t\"a\" :\n[ 1 , 2 ] } "),
            ("scalar", "a text by itself", #""a""#),
            ("escapes", "all escapes", #""\"\\\/\b\f\n\r\t\u0041""#),
            ("pair", "an escaped character beyond the 16-bit ones", #""\ud83d\ude00""#),
            ("nul", "an escaped NUL", #""a\u0000b""#), ("empty-name", "a member without a name", #"{"":0}"#),
            (
                "near-names", "names that are equal to whoever folds or composes them",
                ##"{"\##u{e9}":1,"e\##u{301}":2,"E":3,"e":4}"##
            ),
            ("numbers", "numbers of every form", "[0,-0,1.5,-2.25e3,1E+2,1e-2]"),
            (
                "large", "numbers that no machine holds",
                "[18446744073709551616,1e400,0.1000000000000000055511151231257827]"
            ),
            (
                "deep", "sixteen lists in each other",
                String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
            ),
        ]
        for (name, title, text) in texts {
            add("json-" + name, title, ["RFC8259-2"], .json, ["text": .string(text)], expecting: nil)
        }
    }

    private mutating func addBrokenTexts() {
        let texts: [(String, String, String, [String], String)] = [
            ("nothing", "nothing", "RFC8259-2", ["threat-12"], ""),
            ("two", "two values", "RFC8259-2", ["threat-12"], "1 2"),
            ("trailing-comma", "a comma before the end of a list", "RFC8259-2", ["threat-12"], "[1,]"),
            ("trailing-comma-object", "a comma before the end of an object", "RFC8259-4", ["threat-12"], #"{"a":1,}"#),
            ("missing-comma", "a list without a comma", "RFC8259-5", ["threat-12"], "[1 2]"),
            ("missing-colon", "a member without a colon", "RFC8259-4", ["threat-12"], #"{"a" 1}"#),
            ("bare-name", "a name without quotes", "RFC8259-4", ["threat-12"], "{a:1}"),
            ("single-quotes", "quotes of the other kind", "RFC8259-2", ["threat-12"], "'a'"),
            ("comment", "a comment", "RFC8259-2", ["threat-12"], "/* a */ 1"),
            ("open-list", "a list that does not end", "RFC8259-5", ["threat-12"], "[1"),
            ("open-text", "a text that does not end", "RFC8259-7", ["threat-12"], #""a"#),
            ("literal", "a word that is cut off", "RFC8259-3", ["threat-12"], "tru"),
            ("capital", "a word in capitals", "RFC8259-2", ["threat-12"], "TRUE"),
            ("not-a-number", "NaN", "RFC8259-2", ["threat-15"], "NaN"),
            ("infinity", "minus infinity", "RFC8259-6", ["threat-15"], "-Infinity"),
            ("leading-zero", "a number with a zero before it", "RFC8259-6", ["threat-15"], "[01]"),
            ("plus", "a number with a plus", "RFC8259-2", ["threat-15"], "+1"),
            ("no-fraction", "a point without digits", "RFC8259-6", ["threat-15"], "[1.]"),
            ("no-exponent", "an exponent without digits", "RFC8259-6", ["threat-15"], "[1e]"),
            ("hexadecimal", "a hexadecimal number", "RFC8259-5", ["threat-15"], "[0x10]"),
            ("repeated", "a name that comes twice", "RFC8259-4", ["threat-13"], #"{"a":1,"a":2}"#),
            (
                "repeated-escaped", "a name that comes twice, once in disguise", "RFC8259-4", ["threat-13"],
                #"{"a":1,"\u0061":2}"#
            ),
            (
                "repeated-inside", "a name that comes twice, deep inside", "RFC8259-4", ["threat-13"],
                #"[{"b":{"a":1,"c":0,"a":1}}]"#
            ),
            ("lone-high", "the first half of a pair alone", "RFC8259-8.2", ["threat-19"], #""\ud83d""#),
            ("lone-low", "the second half of a pair alone", "RFC8259-8.2", ["threat-19"], #""\ude00""#),
            ("control", "a control character as it is", "RFC8259-7", ["threat-19"], "\"a\u{1}\""),
            ("escape", "an escape that there is not", "RFC8259-7", ["threat-19"], #""\x41""#),
            ("short-escape", "an escape with three digits", "RFC8259-7", ["threat-19"], #""\u004""#),
            (
                "too-deep", "a thousand lists in each other", "RFC8259-9", ["threat-14"],
                String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
            ),
        ]
        for (name, title, clause, proves, text) in texts {
            add(
                "json-" + name, title, proves, .json, ["text": .string(text)],
                expecting: Expected(error: nil, clause: clause))
        }
        let bytes: [(String, String, String, String)] = [
            ("mark", "a byte order mark", "RFC8259-8.1", "efbbbf7b7d"),
            ("utf-16", "in UTF-16", "RFC8259-2", "fffe220061002200"),
            ("latin-1", "in Latin-1", "RFC8259-8.1", "22e922"),
            ("overlong", "a character in too many bytes", "RFC8259-8.1", "22c1a122"),
            ("surrogate", "half of a pair as bytes", "RFC8259-8.1", "22eda08022"),
            ("beyond", "a character beyond the last", "RFC8259-8.1", "22f490808022"),
            ("cut-character", "a character that is cut off", "RFC8259-8.1", "22e28222"),
        ]
        for (name, title, clause, text) in bytes {
            add(
                "json-" + name, title, ["threat-19"], .json, ["bytes": .string(text)],
                expecting: Expected(error: nil, clause: clause))
        }
    }

    // MARK: Base64url

    private mutating func addBase64URL() {
        for (length, text) in ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"].enumerated() {
            add(
                "base64url-\(length)", "\(length) bytes of RFC 4648 §10", ["RFC4648-5"], .base64url,
                ["text": .string(text)], expecting: nil
            )
        }
        add(
            "base64url-last", "the two characters that are Base64url's own", ["RFC4648-5"], .base64url,
            ["text": "-_-_"], expecting: nil)
        let wrong: [(String, String, String, String)] = [
            ("padded", "with padding", "RFC4648-3.2", "Zg=="),
            ("plus", "with the alphabet of Base64", "RFC4648-3.3", "+_-_"),
            ("slash", "with the other character of Base64", "RFC4648-3.3", "-/-_"),
            ("space", "with a space", "RFC4648-3.3", "Zm 9v"),
            ("line", "with a line's end", "RFC4648-3.3", "Zm9v\n"), ("dot", "with a dot", "RFC4648-3.3", "Zm.9"),
            ("foreign", "with a letter that is not ASCII", "RFC4648-3.3", "Zmé"),
            ("single", "of a length that no bytes have", "RFC4648-4", "Zm9vY"),
            ("stray-2", "with bits behind the last byte, of two characters", "RFC4648-3.5", "Zh"),
            ("stray-3", "with bits behind the last byte, of three characters", "RFC4648-3.5", "Zm9"),
        ]
        for (name, title, clause, text) in wrong {
            add(
                "base64url-" + name, title, ["threat-12"], .base64url, ["text": .string(text)],
                expecting: Expected(error: nil, clause: clause))
        }
    }

    // MARK: URLs

    private mutating func addURLs() {
        let base = "https://example.org/a/b/c?d"
        let good: [(String, String, String, String?)] = [
            ("plain", "scheme and host", "https://example.org", nil),
            ("port", "with a port", "https://example.org:8443/x", nil),
            ("capitals", "scheme and host in capitals", "HTTPS://Example.ORG/Path", nil),
            ("query", "with a query", "https://example.org/?a=b&c", nil),
            ("address-4", "an IPv4 address", "http://192.0.2.1/", nil),
            ("address-6", "an IPv6 address", "https://[2001:db8::1]:8080/", nil),
            ("reference", "a path beside the base's", "x", base),
            ("up", "a path that climbs and stays below the host", "../../../x", base),
            ("root", "a path from the root", "/x", base),
            ("authority", "another host by two slashes", "//other.example/x", base),
            ("only-query", "another query", "?e", base), ("itself", "nothing at all", "", base),
            ("full", "a URL of its own", "http://other.example/", base),
        ]
        for (name, title, text, base) in good {
            var given: JSON.Object = ["text": .string(text)]
            given["base"] = base.map { .string($0) }
            add("url-" + name, title, ["RFC3986-5.2"], .url, given, expecting: nil)
        }
        let bad: [(String, String, String, String)] = [
            ("relative", "a path without a base", "RFC3986-4.3", "/x"),
            ("script", "a script", "threat-40", "javascript:alert(1)"),
            ("data", "data", "threat-40", "data:text/html,x"), ("file", "a file", "threat-40", "file:///etc/passwd"),
            ("user", "with a user", "threat-40", "https://user@example.org/"),
            ("password", "with a user and a password", "threat-40", "https://a:b@example.org/"),
            ("empty-user", "with an empty user", "threat-40", "https://@example.org/"),
            ("no-host", "without a host", "RFC9110-4.2.1", "https:///x"),
            ("no-authority", "without slashes", "threat-40", "https:example.org"),
            ("label", "a host with an empty label", "RFC1035-2.3.4", "https://a..b/"),
            (
                "long-label", "a host with a label of 64 bytes", "RFC1035-2.3.4",
                "https://" + String(repeating: "a", count: 64) + ".example/"
            ),
            ("number", "an address as one number", "threat-40", "http://2130706433/"),
            ("octal", "an address with an octal number", "threat-40", "http://0177.0.0.1/"),
            ("hexadecimal", "an address with a hexadecimal number", "threat-40", "http://0x7f.0.0.1/"),
            ("escaped-host", "a host with an escaped character", "threat-40", "https://exa%6dple.org/"),
            ("zone", "an IPv6 address with a zone", "RFC3986-3.2.2", "https://[fe80::1%25eth0]/"),
        ]
        for (name, title, clause, text) in bad {
            add(
                "url-" + name, title, ["threat-40"], .url, ["text": .string(text)],
                expecting: Expected(error: nil, clause: clause))
        }
        let characters: [(String, String, String, String)] = [
            ("backslash", "a backslash", "RFC3986-3.2.2", "https://example.org\\evil.example/"),
            ("space", "a space", "RFC3986-3.3", "https://example.org/a b"),
            ("tab", "a tab in the scheme", "RFC3986-3.1", "java\tscript:alert(1)"),
            ("line", "a line's end", "RFC3986-3.3", "https://example.org/\n"),
            ("foreign", "a letter that is not ASCII", "RFC3986-3.2.2", "https://exämple.org/"),
            ("triplet", "a percent sign alone", "RFC3986-3.3", "https://example.org/%2"),
        ]
        for (name, title, clause, text) in characters {
            add(
                "url-" + name, "with " + title, ["threat-40"], .url, ["text": .string(text)],
                expecting: Expected(error: nil, clause: clause))
        }
    }

    // MARK: Forms

    private mutating func addForms() {
        let good: [(String, String, String)] = [
            ("pairs", "two pairs", "a=1&b=2"), ("empty", "nothing", ""),
            ("space", "both spellings of a space", "a=b+c&d=e%20f"),
            ("escaped", "escaped characters", "%61=%26%3D%2B"),
            ("utf-8", "an escaped letter that is not ASCII", "n=%C3%A9"),
            ("no-value", "a name without a value", "a&b="), ("no-name", "a value without a name", "=a"),
            ("repeated", "a name that comes twice", "a=1&a=2"), ("equals", "an equals sign in a value", "a=b=c"),
            ("raw-letter", "a letter that is not ASCII, as it is", "a=é"),
        ]
        for (name, title, text) in good {
            add("form-" + name, title, ["RFC6749-B"], .form, ["text": .string(text)], expecting: nil)
        }
        let bad: [(String, String, String, [String], String)] = [
            ("triplet", "a percent sign with one digit", "RFC6749-B", ["threat-37"], "a=%4"),
            ("triplet-letters", "a percent sign with letters", "RFC6749-B", ["threat-37"], "a=%zz"),
            ("raw-space", "a space as it is", "RFC6749-B", ["threat-37"], "a=b c"),
            ("latin-1", "an escaped byte that is not UTF-8", "RFC3629-4", ["threat-19"], "a=%E9"),
            ("overlong", "an escaped character in too many bytes", "RFC3629-4", ["threat-19"], "a=%C1%A1"),
            ("many", "a thousand pairs", "threat-14", ["threat-14"], String(repeating: "a&", count: 1000)),
        ]
        for (name, title, clause, proves, text) in bad {
            add(
                "form-" + name, title, proves, .form, ["text": .string(text)],
                expecting: Expected(error: nil, clause: clause))
        }
    }
}
