internal import Federation
internal import RSD2
internal import TokenTree
internal import Wire

// What the federation is told of its services: by its management who they are, by themselves what they speak.

extension World {
    /// What is told of a service.
    enum Publication: Equatable {
        case truth
        /// It belongs to the federation no more.
        case absence
        /// Its authorizations are somewhere else.
        case authorizationsAt(Int)
        /// What readers want is somewhere else.
        case readingAt(Int)
        /// Its authorizations are where there is nothing.
        case authorizationsNowhere

        init(_ number: Int, _ other: Int) {
            self =
                switch number % 5 {
                case 0: .truth
                case 1: .absence
                case 2: .authorizationsAt(other)
                case 3: .readingAt(other)
                default: .authorizationsNowhere
                }
        }
    }

    /// Has the edu-ID service know what is told of a service from now on, and the apps with it.
    func publish(_ service: Int, _ publication: Publication) {
        let former = publications[service]
        guard former?.publication ?? .truth != publication else { return }
        if case (.absence, let since)? = former { checkAbsence(of: service, since: since) }
        mishaps += 1
        // Whoever relied on the truth, or on what is not true, may be led astray.
        ledger.renew(.store(.service(service)))
        if publication != .truth { ledger.distrust(.store(.service(service))) }
        publications[service] = publication == .truth ? nil : (publication, now)
        let members = services.indices.filter { publications[$0]?.publication != Publication.absence }
        guard let listings = try? members.map({ try Cast.listing(cast.services[$0]) }) else { return }
        let (home, document) = (cast.services[service].home, document(of: service, as: publication))
        eduID.reconfigure { served in
            served.index = ServiceIndex(listings)
            guard let document else { return _ = served.directory.remove(home) }
            // What is another service's is not taken up.
            try? served.directory.update(home, document)
        }
    }

    private func document(of service: Int, as publication: Publication) -> ServiceDescription? {
        var document = cast.services[service].service.document
        guard let oauth2 = document.oauth2?.name else { return nil }
        switch publication {
        case .truth: break
        case .absence: return nil
        case .authorizationsAt(let other):
            document[oauth2] = .init(oauth2, link: cast.services[other].home.url.text + "/oauth")
        case .readingAt(let other):
            let wanted = cast.protocolName(of: service)
            document[wanted] = .init(wanted, link: cast.services[other].endpoint.text)
        case .authorizationsNowhere: document[oauth2] = .init(oauth2, link: "nothing")
        }
        return document
    }

    /// Nobody was introduced to a service while it did not belong to the federation.
    private func checkAbsence(of service: Int, since time: Timestamp) {
        guard !eduID.wasClockWrong else { return }
        let (tree, issuer) = (eduID.disk.tree, cast.services[service].service.authority.issuer)
        for place in 0..<tree.placeCount {
            guard let record = tree.entry(at: place)?.record, record.kind == .assertion, record.issued > time,
                record.audience.map({ $0.text.utf8.elementsEqual(issuer.text.utf8) }) == true
            else { continue }
            breaks("who has left is introduced to nobody", "service \(service), at \(record.issued)")
        }
    }
}
