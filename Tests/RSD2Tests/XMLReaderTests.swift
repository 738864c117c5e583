import TestSupport
import Testing
import Wire

@testable import RSD2

@Suite("XML 1.0, fifth edition, with Namespaces", .proves("RSD-2"))
struct XMLReaderTests {
    private func bytes(_ vector: JSON.Object) -> [UInt8] {
        let text = vector["text"]?.string ?? ""
        switch vector["encoding"]?.string {
        case "utf-16-be": return [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case "utf-16-le": return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        default: return Array(text.utf8)
        }
    }

    @Test(.proves("threat-44")) func everyVectorHasItsVerdict() throws {
        for vector in try vectors("xml.jsonl") {
            var found: String?
            do throws(FormatRejection) { _ = try XML.Element(parsing: bytes(vector)) } catch {
                found = error.description
            }
            #expect(found == vector["rejection"]?.string, "\(vector)")
        }
    }

    @Test(.proves("XML-2.11")) func lineEndsAndAttributeValuesAreNormalized() throws {
        let root = try XML.Element(parsing: "<a b='1\r\n2\t3&#9;4&#xD;'>x\r\ny\rz&#13;</a>")
        #expect(root.attribute("b") == "1 2 3\t4\r")
        #expect(root.text == "x\ny\nz\r")
    }

    @Test(.proves("XML-NAMES-5")) func namesAreResolvedInTheirScope() throws {
        let root = try XML.Element(parsing: "<a xmlns='u' xmlns:p='v'><p:b p:c='1' c='2'><a xmlns=''/></p:b><a/></a>")
        let first = root.elements[0]
        #expect(root.name == XML.Name(local: "a", namespace: "u"))
        #expect(first.name == XML.Name(local: "b", namespace: "v"))
        #expect(first.attributes.map(\.name.namespace) == ["v", ""])
        #expect(first.attribute("c") == "2")
        #expect(first.elements[0].name.namespace.isEmpty)
        #expect(root.elements[1].name.namespace == "u")
    }

    @Test func textIsJoinedAcrossCommentsAndSections() throws {
        let root = try XML.Element(parsing: "<a>1<!-- 2 -->3<![CDATA[<4>]]>&lt;<?p 5?>6<b/>7</a>")
        #expect(root.children.count == 3)
        #expect(root.text == "13<4><67")
    }

    @Test(.proves("threat-43")) func everyBoundIsKept() {
        var limits = XML.Limits(bytes: 200, depth: 3, elements: 5, attributes: 2, namespaces: 2, nameBytes: 8)
        func rejection(_ text: String) -> FormatRejection? {
            do throws(FormatRejection) { _ = try XML.Element(parsing: Array(text.utf8).span, limits: limits) } catch {
                return error
            }
            return nil
        }
        #expect(rejection("<a><b><c/></b></a>") == nil)
        #expect(rejection("<a><b><c><d/></c></b></a>") == .tooDeep(line: 1, limit: 3, in: .xml))
        #expect(rejection("<a><b/><b/><b/><b/></a>") == nil)
        #expect(rejection("<a><b/><b/><b/><b/><b/></a>") == .tooManyElements(line: 1, limit: 5))
        #expect(rejection("<a b='' c=''/>") == nil)
        #expect(rejection("<a b='' c='' d=''/>") == .tooManyAttributes(line: 1, limit: 2))
        #expect(rejection("<a xmlns:b='u'><c xmlns:d='u' xmlns:e='u'/></a>") == .tooManyNamespaces(line: 1, limit: 2))
        #expect(rejection("<a xmlns:b='u'><c xmlns:d='u'/><c xmlns:d='u'/></a>") == nil)
        #expect(rejection("<abcdefgh/>") == nil)
        #expect(rejection("<abcdefghi/>") == .nameTooLong(line: 1, limit: 8))
        limits.bytes = 4
        #expect(rejection("<a/>") == nil)
        #expect(rejection("<a/> ") == .tooLong(bytes: 5, limit: 4))
    }

    @Test(
        .proves("XML-4.3.3"),
        arguments: [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80], [0xFF]]
            as [[UInt8]])
    func malformedUTF8IsRefused(sequence: [UInt8]) {
        #expect(throws: FormatRejection.malformedEncoding(offset: 3, in: .xml)) {
            try XML.Element(parsing: Array("<a>".utf8) + sequence)
        }
    }

    @Test(.proves("XML-4.3.3")) func malformedUTF16IsRefused() {
        #expect(throws: FormatRejection.malformedEncoding(offset: 4, in: .xml)) {
            try XML.Element(parsing: [0xFE, 0xFF, 0, 0x3C, 0xDC, 0])
        }
        #expect(throws: FormatRejection.malformedEncoding(offset: 4, in: .xml)) {
            try XML.Element(parsing: [0xFE, 0xFF, 0, 0x3C, 0])
        }
        #expect(throws: FormatRejection.forbiddenCharacter(line: 1, scalar: 0, in: .xml)) {
            try XML.Element(parsing: [0x3C, 0, 0x61, 0])
        }
    }

    @Test func everyProperPrefixIsRefused() throws {
        let bytes = try Repository.fixture("rsd2/hierarchical.xml")
        let end = bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
        for length in 0...end {
            #expect(throws: FormatRejection.self, "prefix of \(length) bytes") {
                try XML.Element(parsing: bytes.prefix(length))
            }
        }
    }

    @Test func randomChangesNeverTrapAndWhatIsReadIsWrittenAgain() throws {
        let seed: UInt64 = 0x584D4C
        var generator = SeededGenerator(seed: seed)
        let samples = try ["hierarchical.xml", "legacy.xml"].map { try Repository.fixture("rsd2/" + $0) }
        let pieces = [
            "<", ">", "&", "&#x0;", "]]>", "<!--", "-->", "<![CDATA[", "<?", "?>", "xmlns:p='u'", "p:", "\u{FFFE}",
            "<!DOCTYPE a>", "</a>",
        ]
        var readable = 0
        for round in 0..<1_500 {
            let bytes = mutated(samples[round % 2], with: pieces, using: &generator)
            guard let document = try? XML.Element(parsing: bytes) else { continue }
            readable += 1
            let written = try document.encoded()
            let again = try XML.Element(parsing: written).encoded()
            #expect(again == written, "seed \(seed), round \(round)")
        }
        #expect(readable > 50, "seed \(seed)")
    }

    @Test func writingEscapesWhatReadingWouldChange() throws {
        let value = "<>&\"'\r\n\t]]> \u{10FFFF}"
        let attribute = XML.Attribute(name: XML.Name(local: "b", namespace: "u"), value: value)
        let root = XML.Element(
            name: XML.Name(local: "a", namespace: "v"), attributes: [attribute], children: [.text(value)])
        let again = try XML.Element(parsing: root.encoded())
        #expect(again.name == root.name)
        #expect(again.text == value)
        #expect(again.attributes.map(\.value) == [value])
        #expect(again.attributes.map(\.name) == [attribute.name])
        let unwritable = XML.Element(name: XML.Name(local: "a"), children: [.text("\u{1}")])
        #expect(throws: FormatRejection.unwritable(scalar: 1)) { try unwritable.encoded() }
    }

    @Test(.proves("threat-14")) func hostileSizesTakeLinearTime() {
        let clock = ContinuousClock()
        let size = 1 << 17
        for piece in ["<!---->", "<?p?>", "<![CDATA[]]>", "&#32;", "]", "-"] {
            let text = "<a>" + String(repeating: piece, count: size / piece.utf8.count)
            let time = clock.measure { _ = try? XML.Element(parsing: text) }
            #expect(time < .seconds(10), "\(piece)")
        }
    }
}
