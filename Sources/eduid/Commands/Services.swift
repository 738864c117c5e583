import Foundation
import RSD2
import Wire

/// Checking, converting and asking service descriptions.
enum Services {
    static let command = Command(
        name: "rsd2", abstract: "Validate, convert and ask service descriptions.",
        discussion: """
            Documents are JSON, XML or YAML; the form is told from the end of the file's name, else
            from its first character.
            """, subcommands: [validate, convertDocument, resolve, match])

    private static let file = Argument(name: "file", kind: .file, abstract: "The document ('-' for standard input).")
    private static let files = Argument(
        name: "file", kind: .file, abstract: "The documents ('-' for standard input).", arity: .many)
    private static let format = Option(
        name: "format", value: "format", abstract: "The form of what is read (default: recognized).",
        kind: .choice(["json", "xml", "yaml"]))

    // MARK: reading

    /// A document as it was read, with what the reader noticed.
    private struct Document {
        let path: String
        let binding: ServiceDescription.Binding
        let reading: ServiceDescription.Reading
    }

    private static func binding(of bytes: [UInt8], at path: String, _ invocation: Invocation)
        -> ServiceDescription.Binding
    {
        let name = invocation[format] ?? URL(filePath: path).pathExtension.lowercased()
        if let known = ServiceDescription.Binding(mediaType: name.isEmpty ? "" : "application/" + name) { return known }
        // A byte order mark is for the reader to judge.
        let first = bytes.drop { [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }.first
        switch first {
        case UInt8(ascii: "<"): return .xml
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
        default: return .yaml
        }
    }

    private static func document(_ path: String, _ invocation: Invocation, _ console: Console) throws(Failure)
        -> Document
    {
        switch try outcome(path, invocation, console) {
        case .success(let document): return document
        case .failure(let rejection):
            throw .refused("\(Console.name(of: path)) is refused", rejection, rejection.clause)
        }
    }

    private static func outcome(
        _ path: String, _ invocation: Invocation, _ console: Console
    ) throws(Failure) -> Result<Document, ServiceDescription.Rejection> {
        let bytes = try console.read(path)
        let binding = binding(of: bytes, at: path, invocation)
        do throws(ServiceDescription.Rejection) {
            return .success(
                Document(path: path, binding: binding, reading: try ServiceDescription.validate(bytes, as: binding)))
        } catch {
            return .failure(error)
        }
    }

    private static func name(_ binding: ServiceDescription.Binding) -> String {
        switch binding {
        case .json: "json"
        case .xml, .xmlAttributes: "xml"
        case .yaml: "yaml"
        }
    }

    // MARK: validate

    private static let strict = Option(name: "strict", abstract: "Take warnings for errors.")

    private static let validate = Command(
        name: "validate", abstract: "Check documents and name everything that is wrong with them, and where.",
        arguments: [files], options: [format, strict, .output],
        discussion: """
            As JSON: valid, and documents, an array of objects with file and valid, and where the
            document was read format and findings (objects with severity, path, rule, found and
            clause), else clause and reason. The exit status is 1 unless all documents are valid.
            """
    ) { (invocation, console) throws(Failure) in
        var invalid = 0
        var reports: [JSON] = []
        for path in invocation.all(files) {
            var report: JSON.Object = ["file": .string(path), "valid": false]
            let isValid: Bool
            switch try outcome(path, invocation, console) {
            case .failure(let rejection):
                isValid = false
                (report["clause"], report["reason"]) = (.string(rejection.clause), .string(rejection.text))
                if !invocation.isForPrograms { console.say("\(path): refused: \(rejection)", as: .bad) }
            case .success(let document):
                let deviations = document.reading.deviations
                isValid = deviations.allSatisfy { !$0.isError && !invocation.has(strict) }
                report["format"] = .string(name(document.binding))
                report["findings"] = .array(deviations.map(json))
                if !invocation.isForPrograms {
                    for deviation in deviations {
                        console.say("\(path): \(deviation)", as: deviation.isError ? .bad : .plain)
                    }
                    console.say(
                        "\(path): \(isValid ? "valid" : "not valid"), \(name(document.binding))",
                        as: isValid ? .good : .bad)
                }
            }
            report["valid"] = .bool(isValid)
            reports.append(.object(report))
            invalid += isValid ? 0 : 1
        }
        if invocation.isForPrograms { console.report(["valid": .bool(invalid == 0), "documents": .array(reports)]) }
        guard invalid == 0 else { throw .refused("\(invalid) of \(reports.count) documents are not valid") }
    }

    private static func json(_ deviation: ServiceDescription.Deviation) -> JSON {
        [
            "severity": deviation.isError ? "error" : "warning", "path": .string(deviation.path),
            "rule": .string(deviation.rule.text), "found": .string(deviation.found),
            "clause": .string(deviation.rule.clause),
        ]
    }

    // MARK: convert

    private static let to = Option(
        name: "to", value: "format", abstract: "The form to write; of XML that with elements or that with attributes.",
        kind: .choice(["json", "xml", "xml-attributes", "yaml"]), isRequired: true)
    private static let published = Option(
        name: "public", abstract: "Leave tokens out, which do not belong into public documents.")

    private static let convertDocument = Command(
        name: "convert", abstract: "Write a document in another form.", arguments: [file],
        options: [to, format, published, .out, .force],
        discussion: "Elements of other people that only XML can say stay in XML; that they are left out is said."
    ) { (invocation, console) throws(Failure) in
        let read = try document(invocation.required(file), invocation, console).reading.description
        let description = invocation.has(published) ? read.withoutAuthorization : read
        let elements =
            description.extensions.elements.count + description.apis.reduce(0) { $0 + $1.extensions.elements.count }
        let bytes: [UInt8]
        do throws(ServiceDescription.Rejection) {
            switch try? invocation.required(to) {
            case "xml": bytes = try description.encoded(as: .xml)
            case "xml-attributes": bytes = try description.encoded(as: .xmlAttributes)
            case "yaml": bytes = try description.encoded(as: .yaml)
            default: bytes = Array((JSON.object(description.json).legible + "\n").utf8)
            }
        } catch {
            throw .refused("the document cannot be written", error, error.clause)
        }
        if elements > 0, invocation[to]?.hasPrefix("xml") == false {
            console.complain("Note: elements that only XML can say are left out: \(elements)")
        }
        let isSecret = description.authorization != nil || description.apis.contains { $0.authorization != nil }
        let end: [UInt8] = bytes.last == 0x0a ? [] : [0x0a]
        try invocation.deliver(bytes + end, isSecret ? .secret : .shared, to: &console)
    }

    // MARK: resolve

    private static let offered = Argument(
        name: "protocol", kind: .text, abstract: "The name of the protocol, such as org.ietf.oauth2.")
    private static let path = Argument(
        name: "path", kind: .text, abstract: "A path below the protocol's endpoint.", arity: .optional)
    private static let unencrypted = Option(name: "allow-unencrypted", abstract: "Take endpoints without TLS.")

    private static let resolve = Command(
        name: "resolve", abstract: "Show the URL under which a protocol is served.", arguments: [file, offered, path],
        options: [format, unencrypted, .output], discussion: "As JSON: url."
    ) { (invocation, console) throws(Failure) in
        let description = try document(invocation.required(file), invocation, console).reading.description
        let name = try protocolName(try invocation.required(offered))
        let url = try Failure.refusing(
            "there is no such endpoint",
            try description.endpoint(
                for: name, path: invocation.all(path).first,
                encryption: invocation.has(unencrypted) ? .optional : .required))
        if invocation.isForPrograms { console.report(["url": .string(url.text)]) } else { console.say(url.text) }
    }

    private static func protocolName(_ text: String) throws(Failure) -> ProtocolName {
        try wrapping(
            { (error: SyntaxError) in Failure.misuse("'\(text)' is no name of a protocol: \(error)") },
            try ProtocolName(parsing: text))
    }

    // MARK: match

    private static let wanted = Option(
        name: "protocol", value: "name", abstract: "A protocol that the service must offer; all of several.",
        isRepeated: true)
    private static let service = Option(
        name: "service", value: "url", abstract: "The URL of a service; one of several.", isRepeated: true)

    private static let match = Command(
        name: "match", abstract: "Show which documents offer all of some protocols, or belong to some services.",
        arguments: [files], options: [wanted, service, format, .output],
        discussion: """
            Services are found by their protocols only if they offer org.ietf.oauth2 besides, as
            in the discovery of the federation. That nothing matches is an answer, not a failure.

            As JSON: matches, an array of objects with file, and where they are known name and
            service, the URL that the service is known by.
            """
    ) { (invocation, console) throws(Failure) in
        let (names, urls) = (invocation.all(wanted), invocation.all(service))
        guard names.isEmpty != urls.isEmpty else {
            throw .misuse("Expected either '--protocol <name>' or '--service <url>'")
        }
        var protocols: [ProtocolName] = []
        for name in names { protocols.append(try protocolName(name)) }
        var services: [ServiceURL] = []
        for url in urls {
            services.append(
                try wrapping(
                    { (error: URI.Rejection) in Invocation.invalid(url, service, error.description) },
                    try ServiceURL(parsing: url)))
        }
        var matches: [JSON] = []
        for path in invocation.all(files) {
            let description = try document(path, invocation, console).reading.description
            let isWanted =
                urls.isEmpty ? description.matches(protocols) : description.serviceURL.map(services.contains) ?? false
            guard isWanted else { continue }
            var match: JSON.Object = ["file": .string(path)]
            match["name"] = description.engineName.map { .string($0) }
            match["service"] = description.serviceURL.map { .string($0.identity) }
            matches.append(.object(match))
            if !invocation.isForPrograms {
                console.say(
                    [path, description.serviceURL?.identity, description.engineName].compactMap { $0 }.joined(
                        separator: "  "))
            }
        }
        if invocation.isForPrograms { console.report(["matches": .array(matches)]) }
    }
}
