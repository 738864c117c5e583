internal import JOSETesting
internal import Wire

// JSON, Base64url, URLs and forms.

extension Catalogue {
    mutating func addFormats() {
        add(.json, "json-", Self.texts) { ["text": .string($0)] }
        add(.json, "json-", Self.bytes) { ["bytes": .string($0)] }
        for (length, text) in ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"].enumerated() {
            add(
                "base64url-\(length)", "\(length) bytes of RFC 4648 §10", ["RFC4648-5"], .base64url,
                ["text": .string(text)], expecting: nil)
        }
        add(.base64url, "base64url-", Self.encodings) { ["text": .string($0)] }
        add(.url, "url-", Self.urls) { text, base in
            (["text": .string(text)] as JSON.Object).changed(["base": base.map { .string($0) } ?? .null])
        }
        add(.form, "form-", Self.forms) { ["text": .string($0)] }
    }

    private static let texts: [Row<String>] = [
        ("object", "an object", ["RFC8259-2"], nil, #"{"a":1,"b":[true,false,null]}"#),
        ("empty", "an empty object and an empty list", ["RFC8259-2"], nil, "[{},[]]"),
        ("space", "white space between everything", ["RFC8259-2"], nil, "\r\n\t {\t\"a\" :\n[ 1 , 2 ] } "),
        ("scalar", "a text by itself", ["RFC8259-2"], nil, #""a""#),
        ("escapes", "all escapes", ["RFC8259-2"], nil, #""\"\\\/\b\f\n\r\t\u0041""#),
        ("pair", "an escaped character beyond the 16-bit ones", ["RFC8259-2"], nil, #""\ud83d\ude00""#),
        ("nul", "an escaped NUL", ["RFC8259-2"], nil, #""a\u0000b""#),
        ("empty-name", "a member without a name", ["RFC8259-2"], nil, #"{"":0}"#),
        (
            "near-names", "names that are equal to whoever folds or composes them", ["RFC8259-2"], nil,
            ##"{"\##u{e9}":1,"e\##u{301}":2,"E":3,"e":4}"##
        ),
        ("numbers", "numbers of every form", ["RFC8259-2"], nil, "[0,-0,1.5,-2.25e3,1E+2,1e-2]"),
        (
            "large", "numbers that no machine holds", ["RFC8259-2"], nil,
            "[18446744073709551616,1e400,0.1000000000000000055511151231257827]"
        ),
        (
            "deep", "sixteen lists in each other", ["RFC8259-2"], nil,
            String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        ),
        ("nothing", "nothing", ["threat-12"], "RFC8259-2", ""),
        ("two", "two values", ["threat-12"], "RFC8259-2", "1 2"),
        ("trailing-comma", "a comma before the end of a list", ["threat-12"], "RFC8259-2", "[1,]"),
        ("trailing-comma-object", "a comma before the end of an object", ["threat-12"], "RFC8259-4", #"{"a":1,}"#),
        ("missing-comma", "a list without a comma", ["threat-12"], "RFC8259-5", "[1 2]"),
        ("missing-colon", "a member without a colon", ["threat-12"], "RFC8259-4", #"{"a" 1}"#),
        ("bare-name", "a name without quotes", ["threat-12"], "RFC8259-4", "{a:1}"),
        ("single-quotes", "quotes of the other kind", ["threat-12"], "RFC8259-2", "'a'"),
        ("comment", "a comment", ["threat-12"], "RFC8259-2", "/* a */ 1"),
        ("open-list", "a list that does not end", ["threat-12"], "RFC8259-5", "[1"),
        ("open-text", "a text that does not end", ["threat-12"], "RFC8259-7", #""a"#),
        ("literal", "a word that is cut off", ["threat-12"], "RFC8259-3", "tru"),
        ("capital", "a word in capitals", ["threat-12"], "RFC8259-2", "TRUE"),
        ("not-a-number", "NaN", ["threat-15"], "RFC8259-2", "NaN"),
        ("infinity", "minus infinity", ["threat-15"], "RFC8259-6", "-Infinity"),
        ("leading-zero", "a number with a zero before it", ["threat-15"], "RFC8259-6", "[01]"),
        ("plus", "a number with a plus", ["threat-15"], "RFC8259-2", "+1"),
        ("no-fraction", "a point without digits", ["threat-15"], "RFC8259-6", "[1.]"),
        ("no-exponent", "an exponent without digits", ["threat-15"], "RFC8259-6", "[1e]"),
        ("hexadecimal", "a hexadecimal number", ["threat-15"], "RFC8259-5", "[0x10]"),
        ("repeated", "a name that comes twice", ["threat-13"], "RFC8259-4", #"{"a":1,"a":2}"#),
        (
            "repeated-escaped", "a name that comes twice, once in disguise", ["threat-13"], "RFC8259-4",
            #"{"a":1,"\u0061":2}"#
        ),
        (
            "repeated-inside", "a name that comes twice, deep inside", ["threat-13"], "RFC8259-4",
            #"[{"b":{"a":1,"c":0,"a":1}}]"#
        ),
        ("lone-high", "the first half of a pair alone", ["threat-19"], "RFC8259-8.2", #""\ud83d""#),
        ("lone-low", "the second half of a pair alone", ["threat-19"], "RFC8259-8.2", #""\ude00""#),
        ("control", "a control character as it is", ["threat-19"], "RFC8259-7", "\"a\u{1}\""),
        ("escape", "an escape that there is not", ["threat-19"], "RFC8259-7", #""\x41""#),
        ("short-escape", "an escape with three digits", ["threat-19"], "RFC8259-7", #""\u004""#),
        (
            "too-deep", "a thousand lists in each other", ["threat-14"], "RFC8259-9",
            String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        ),
    ]

    private static let bytes: [Row<String>] = [
        ("mark", "a byte order mark", ["threat-19"], "RFC8259-8.1", "efbbbf7b7d"),
        ("utf-16", "in UTF-16", ["threat-19"], "RFC8259-2", "fffe220061002200"),
        ("latin-1", "in Latin-1", ["threat-19"], "RFC8259-8.1", "22e922"),
        ("overlong", "a character in too many bytes", ["threat-19"], "RFC8259-8.1", "22c1a122"),
        ("surrogate", "half of a pair as bytes", ["threat-19"], "RFC8259-8.1", "22eda08022"),
        ("beyond", "a character beyond the last", ["threat-19"], "RFC8259-8.1", "22f490808022"),
        ("cut-character", "a character that is cut off", ["threat-19"], "RFC8259-8.1", "22e28222"),
    ]

    private static let encodings: [Row<String>] = [
        ("last", "the two characters that are Base64url's own", ["RFC4648-5"], nil, "-_-_"),
        ("padded", "with padding", ["threat-12"], "RFC4648-3.2", "Zg=="),
        ("plus", "with the alphabet of Base64", ["threat-12"], "RFC4648-3.3", "+_-_"),
        ("slash", "with the other character of Base64", ["threat-12"], "RFC4648-3.3", "-/-_"),
        ("space", "with a space", ["threat-12"], "RFC4648-3.3", "Zm 9v"),
        ("line", "with a line's end", ["threat-12"], "RFC4648-3.3", "Zm9v\n"),
        ("dot", "with a dot", ["threat-12"], "RFC4648-3.3", "Zm.9"),
        ("foreign", "with a letter that is not ASCII", ["threat-12"], "RFC4648-3.3", "Zmé"),
        ("single", "of a length that no bytes have", ["threat-12"], "RFC4648-4", "Zm9vY"),
        ("stray-2", "with bits behind the last byte, of two characters", ["threat-12"], "RFC4648-3.5", "Zh"),
        ("stray-3", "with bits behind the last byte, of three characters", ["threat-12"], "RFC4648-3.5", "Zm9"),
    ]

    private static let base = "https://example.org/a/b/c?d"

    private static let urls: [Row<(text: String, base: String?)>] = [
        ("plain", "scheme and host", ["RFC3986-5.2"], nil, ("https://example.org", nil)),
        ("port", "with a port", ["RFC3986-5.2"], nil, ("https://example.org:8443/x", nil)),
        ("capitals", "scheme and host in capitals", ["RFC3986-5.2"], nil, ("HTTPS://Example.ORG/Path", nil)),
        ("query", "with a query", ["RFC3986-5.2"], nil, ("https://example.org/?a=b&c", nil)),
        ("address-4", "an IPv4 address", ["RFC3986-5.2"], nil, ("http://192.0.2.1/", nil)),
        ("address-6", "an IPv6 address", ["RFC3986-5.2"], nil, ("https://[2001:db8::1]:8080/", nil)),
        ("reference", "a path beside the base's", ["RFC3986-5.2"], nil, ("x", base)),
        ("up", "a path that climbs and stays below the host", ["RFC3986-5.2"], nil, ("../../../x", base)),
        ("root", "a path from the root", ["RFC3986-5.2"], nil, ("/x", base)),
        ("authority", "another host by two slashes", ["RFC3986-5.2"], nil, ("//other.example/x", base)),
        ("only-query", "another query", ["RFC3986-5.2"], nil, ("?e", base)),
        ("itself", "nothing at all", ["RFC3986-5.2"], nil, ("", base)),
        ("full", "a URL of its own", ["RFC3986-5.2"], nil, ("http://other.example/", base)),
        ("relative", "a path without a base", ["threat-40"], "RFC3986-4.3", ("/x", nil)),
        ("script", "a script", ["threat-40"], "threat-40", ("javascript:alert(1)", nil)),
        ("data", "data", ["threat-40"], "threat-40", ("data:text/html,x", nil)),
        ("file", "a file", ["threat-40"], "threat-40", ("file:///etc/passwd", nil)),
        ("user", "with a user", ["threat-40"], "threat-40", ("https://user@example.org/", nil)),
        ("password", "with a user and a password", ["threat-40"], "threat-40", ("https://a:b@example.org/", nil)),
        ("empty-user", "with an empty user", ["threat-40"], "threat-40", ("https://@example.org/", nil)),
        ("no-host", "without a host", ["threat-40"], "RFC9110-4.2.1", ("https:///x", nil)),
        ("no-authority", "without slashes", ["threat-40"], "threat-40", ("https:example.org", nil)),
        ("label", "a host with an empty label", ["threat-40"], "RFC1035-2.3.4", ("https://a..b/", nil)),
        (
            "long-label", "a host with a label of 64 bytes", ["threat-40"], "RFC1035-2.3.4",
            ("https://" + String(repeating: "a", count: 64) + ".example/", nil)
        ),
        ("number", "an address as one number", ["threat-40"], "threat-40", ("http://2130706433/", nil)),
        ("octal", "an address with an octal number", ["threat-40"], "threat-40", ("http://0177.0.0.1/", nil)),
        (
            "hexadecimal", "an address with a hexadecimal number", ["threat-40"], "threat-40",
            ("http://0x7f.0.0.1/", nil)
        ),
        (
            "escaped-host", "a host with an escaped character", ["threat-40"], "threat-40",
            ("https://exa%6dple.org/", nil)
        ),
        ("zone", "an IPv6 address with a zone", ["threat-40"], "RFC3986-3.2.2", ("https://[fe80::1%25eth0]/", nil)),
        ("backslash", "with a backslash", ["threat-40"], "RFC3986-3.2.2", ("https://example.org\\evil.example/", nil)),
        ("space", "with a space", ["threat-40"], "RFC3986-3.3", ("https://example.org/a b", nil)),
        ("tab", "with a tab in the scheme", ["threat-40"], "RFC3986-3.1", ("java\tscript:alert(1)", nil)),
        ("line", "with a line's end", ["threat-40"], "RFC3986-3.3", ("https://example.org/\n", nil)),
        ("foreign", "with a letter that is not ASCII", ["threat-40"], "RFC3986-3.2.2", ("https://exämple.org/", nil)),
        ("triplet", "with a percent sign alone", ["threat-40"], "RFC3986-3.3", ("https://example.org/%2", nil)),
    ]

    private static let forms: [Row<String>] = [
        ("pairs", "two pairs", ["RFC6749-B"], nil, "a=1&b=2"),
        ("empty", "nothing", ["RFC6749-B"], nil, ""),
        ("space", "both spellings of a space", ["RFC6749-B"], nil, "a=b+c&d=e%20f"),
        ("escaped", "escaped characters", ["RFC6749-B"], nil, "%61=%26%3D%2B"),
        ("utf-8", "an escaped letter that is not ASCII", ["RFC6749-B"], nil, "n=%C3%A9"),
        ("no-value", "a name without a value", ["RFC6749-B"], nil, "a&b="),
        ("no-name", "a value without a name", ["RFC6749-B"], nil, "=a"),
        ("repeated", "a name that comes twice", ["RFC6749-B"], nil, "a=1&a=2"),
        ("equals", "an equals sign in a value", ["RFC6749-B"], nil, "a=b=c"),
        ("raw-letter", "a letter that is not ASCII, as it is", ["RFC6749-B"], nil, "a=é"),
        ("triplet", "a percent sign with one digit", ["threat-37"], "RFC6749-B", "a=%4"),
        ("triplet-letters", "a percent sign with letters", ["threat-37"], "RFC6749-B", "a=%zz"),
        ("raw-space", "a space as it is", ["threat-37"], "RFC6749-B", "a=b c"),
        ("latin-1", "an escaped byte that is not UTF-8", ["threat-19"], "RFC3629-4", "a=%E9"),
        ("overlong", "an escaped character in too many bytes", ["threat-19"], "RFC3629-4", "a=%C1%A1"),
        ("many", "a thousand pairs", ["threat-14"], "threat-14", String(repeating: "a&", count: 1000)),
    ]
}
