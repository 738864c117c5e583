import RSD2
import Wire

/// Service descriptions in each binding, and a directory of up to 100,000 of them.
func serviceDescriptionBenchmarks() -> [Benchmark] {
    let json = Samples.serviceDocument
    guard let description = try? ServiceDescription(parsing: json), let xml = try? description.encoded(as: .xml),
        let attributes = try? description.encoded(as: .xmlAttributes), let yaml = try? description.encoded(as: .yaml)
    else { preconditionFailure("the sample is a service description") }
    let reading = [
        // "Against" the plain parse of the same bytes: a ratio above 0.5 is the goal.
        Benchmark("rsd2-json-parse") { try? ServiceDescription(parsing: json) }
            .against("JSON tree") { try? JSON(parsing: json) },
        Benchmark("rsd2-xml-parse") { try? ServiceDescription.reading(xml, as: .xml) },
        Benchmark("rsd2-xml-attributes-parse") { try? ServiceDescription.reading(attributes, as: .xmlAttributes) },
        Benchmark("rsd2-yaml-parse") { try? ServiceDescription.reading(yaml, as: .yaml) },
        Benchmark("rsd2-json-write") { description.encoded() },
        Benchmark("rsd2-endpoint") { try? description.endpoint(for: description.apis[7].name, path: "token") },
    ]
    return reading + [1_000, 10_000, 100_000].flatMap(directoryBenchmarks)
}

/// A directory of so many documents, to be weighed.
func directoryOfSize(_ documents: Int) -> Any { SampleDirectory(documents).value }

/// Queries for two protocols that few, and that many services offer, and the update of one document.
private func directoryBenchmarks(_ count: Int) -> [Benchmark] {
    let directory = SampleDirectory(count)
    let rare = directory.names("common", "rare")
    let frequent = directory.names("common", "frequent")
    return [
        Benchmark("rsd2-query-\(count)-rare") { try? directory.value.services(offering: rare) },
        Benchmark("rsd2-query-\(count)-frequent") { try? directory.value.services(offering: frequent) },
        Benchmark("rsd2-search-\(count)") { directory.value.search("service 77", limit: 20) },
        Benchmark("rsd2-update-\(count)") { directory.updateOne() },
    ]
}

/// A directory in one place, so that its update is one of a value with a single owner.
private final class SampleDirectory {
    var value = ServiceDirectory()
    private var services: [ServiceURL] = []
    private var next = 0

    init(_ count: Int) {
        for number in 0..<count {
            guard let url = try? ServiceURL(parsing: "https://service\(number).example.ch/") else { continue }
            services.append(url)
            try? value.update(url, Self.description(number, of: url))
        }
    }

    /// Every service offers the one, every second the next, and ten in all the last.
    private static func description(_ number: Int, of url: ServiceURL) -> ServiceDescription {
        var description = ServiceDescription(homePageLink: url.identity)
        description.engineName = "Service \(number)"
        var offered = ["org.ietf.oauth2", "org.example.common", "org.example.number\(number % 97)"]
        if number % 2 == 0 { offered.append("org.example.frequent") }
        if number % 100 == 50 && number < 1_000 { offered.append("org.example.rare") }
        for text in offered {
            guard let name = try? ProtocolName(parsing: text) else { continue }
            description[name] = ServiceDescription.API(name, link: "api/")
        }
        return description
    }

    func names(_ texts: String...) -> [ProtocolName] {
        texts.compactMap { try? ProtocolName(parsing: "org.example." + $0) }
    }

    /// Another document for the next service, which offers one protocol more or less than before.
    func updateOne() {
        next = (next + 7919) % services.count
        try? value.update(services[next], Self.description(next + next % 2 ^ 1, of: services[next]))
    }
}
