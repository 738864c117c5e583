/// The text of a document and the encoding it came in: UTF-8, or UTF-16 with its byte order mark.
struct XMLText {
    enum Encoding {
        case utf8
        case utf16
    }

    let source: SourceText
    let encoding: Encoding

    var bytes: [UInt8] { source.bytes }

    init(decoding bytes: Span<UInt8>) throws(XML.Rejection) {
        let first = bytes.count > 0 ? bytes[0] : 0
        let second = bytes.count > 1 ? bytes[1] : 0
        do throws(SourceText.Fault) {
            switch (first, second) {
            case (0xFE, 0xFF), (0xFF, 0xFE):
                encoding = .utf16
                source = try SourceText(utf16: bytes, high: first == 0xFE ? 0 : 1, permits: XMLCharacter.isAllowed)
            default:
                let hasMark = first == 0xEF && second == 0xBB && bytes.count > 2 && bytes[2] == 0xBF
                encoding = .utf8
                source = try SourceText(utf8: bytes, from: hasMark ? 3 : 0, permits: XMLCharacter.isAllowed)
            }
        } catch {
            switch error {
            case .malformed(let offset): throw .malformedEncoding(offset: offset)
            case .forbidden(let line, let scalar): throw .forbiddenCharacter(line: line, scalar: scalar)
            }
        }
    }

    func line(at position: Int) -> Int { source.line(at: position) }

    func scalar(at position: Int) -> (value: UInt32, length: Int) { source.scalar(at: position) }
}
