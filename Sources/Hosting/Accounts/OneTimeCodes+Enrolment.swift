package import OAuth2Grants
internal import Wire

// How the secret comes into an authenticator app: by a picture of a URI, or by typing. Both say the secret.

extension OneTimeCodes {
    /// The most bytes of a name under which an app shows codes.
    private static let issuerLimit = 64

    /// The URI by which an authenticator app takes the codes in, by the "Key Uri Format" of the first such app, which
    /// others have followed.
    ///
    /// - Parameter issuer: for what the app says that the codes are.
    package func uri(for user: UserName, at issuer: String) throws(AccountsFailure) -> String {
        // A colon parts it from the person's name, which may have some itself.
        guard 1...Self.issuerLimit ~= issuer.utf8.count, !issuer.utf8.contains(UInt8(ascii: ":")),
            issuer.firstUnfitForDisplay == nil
        else { throw .issuer(issuer, limit: Self.issuerLimit) }
        let name = PercentEncoding.encode(issuer)
        return "otpauth://totp/\(name):\(PercentEncoding.encode(user.text))?secret=\(Self.base32(secret))"
            + "&issuer=\(name)&algorithm=\(algorithm.rawValue)&digits=\(digits)&period=\(period)"
    }

    /// The secret for typing, in groups of four letters and digits.
    package var typed: String {
        var text = ""
        for (place, character) in Self.base32(secret).enumerated() {
            if place > 0, place % 4 == 0 { text += " " }
            text.append(character)
        }
        return text
    }

    /// Base32 of RFC 4648 §6 without padding, as apps want it.
    static func base32(_ bytes: [UInt8]) -> String {
        var (text, bits, count) = ([UInt8](), 0, 0)
        for byte in bytes {
            (bits, count) = ((bits & 0x1f) << 8 | Int(byte), count + 8)
            while count >= 5 {
                count -= 5
                text.append(letter(bits >> count))
            }
        }
        if count > 0 { text.append(letter(bits << (5 - count))) }
        return String(decoding: text, as: UTF8.self)
    }

    /// A letter, or a digit from 2 on, for the last five bits.
    private static func letter(_ bits: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 0x1f)
        return value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + (value - 26)
    }
}
