import Federation
import Foundation
import Hosting
import RSD2
import Wire

/// What is known of the federation's services between runs, in a file of the party's folder.
struct KnownServices {
    let path: String

    private static let limits = JSON.Limits(size: 256 << 20, depth: 40, values: 20_000_000)

    /// What was known at the end of the last run, as far as it stands by the index; what cannot be read is found out
    /// anew.
    func read(_ index: ServiceIndex, _ policy: Crawl.Policy) -> [Crawl.Known] {
        guard let bytes = FileManager.default.contents(atPath: path),
            let list = (try? JSON(parsing: [UInt8](bytes), limits: Self.limits))?["services"]?.array
        else { return [] }
        let listed = Dictionary(index.listings.map { ($0.service, $0) }, uniquingKeysWith: { first, _ in first })
        return list.compactMap { element in
            guard let known = Crawl.Known(element), let listing = listed[known.service] else { return nil }
            return known.stands(as: listing, policy) ? known : nil
        }
    }

    /// Keeps it for the next run; answers whether that was done.
    func keep(_ known: [Crawl.Known]) -> Bool {
        let bytes = JSON.object(["services": .array(known.compactMap { $0.json })]).encoded()
        return (try? WholeFile.write(bytes, to: path, mode: 0o644)) != nil
    }
}

extension Crawl.Known {
    fileprivate init?(_ json: JSON) {
        guard let service = json["url"]?.string.flatMap({ try? ServiceURL(parsing: $0) }),
            let document = json["document"], let description = try? ServiceDescription(parsing: document.encoded())
        else { return nil }
        // Who wrote no places knew of none but the service's own.
        let location = json["location"]?.string.flatMap { try? WebURL(parsing: $0) } ?? service.url
        let origin = json["origin"]?.string.flatMap { try? WebURL(parsing: $0) } ?? location
        let failures = json["failures"]?.number?.integer(as: Int.self) ?? 0
        self.init(service, description, at: location, from: origin, failures: failures)
    }

    fileprivate var json: JSON? {
        guard let document = try? JSON(parsing: description.encoded()) else { return nil }
        return [
            "url": .string(service.identity), "document": document, "location": .string(location.text),
            "origin": .string(origin.text), "failures": .number(JSON.Number(failures)),
        ]
    }
}
