internal import NAIL
internal import Wire

/// The form in which something outlives the process: a JSON object with the version of its format, under the name of
/// what it is, and the sealed content.
struct SealedText {
    /// What it is.
    let name: JSON.Name
    /// The version that is written; every earlier one is read too (threat 69).
    let version: Int

    /// The text of a content.
    func text(of content: [UInt8], sealing seal: Seal) -> String {
        "{\"\(name.text)\":\(version),\"sealed\":\"\(Base64URL.encode(seal.seal(content)))\"}"
    }

    /// What a text holds, if it was not changed.
    func content(of text: String, opening seal: Seal, _ limits: JSON.Limits) throws(Rejection) -> [UInt8] {
        let envelope = try wrapping(Rejection.json, try JSON.Document(parsing: text, limits: limits).root.object())
        let number = try wrapping(Rejection.json, try envelope[name].number())
        guard let found = number.integer(as: Int.self), 1...version ~= found else { throw .unknownVersion(number.text) }
        try envelope.refuse(allBut: [name, "sealed"])
        let sealed = try wrapping(Rejection.json, try envelope["sealed"].string())
        guard let bytes = try? Base64URL.decode(sealed), let content = seal.open(bytes) else { throw .brokenSeal }
        return content
    }
}
