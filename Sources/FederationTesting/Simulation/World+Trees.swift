internal import Federation
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// The trees of the parties, in a story: what lives, and on what it stands.

extension World {
    /// Tells of each party whose tree has changed since it was told what lives there now.
    func tellTrees() {
        guard isTelling else { return }
        tellTree(of: eduID, named: "the edu-ID service")
        for (number, host) in services.enumerated() { tellTree(of: host, named: "service \(number)") }
    }

    private func tellTree<Served: Party>(of host: Host<Served>, named name: String) {
        let tree = host.disk.tree
        guard host.toldHead != tree.head else { return }
        host.toldHead = tree.head
        var (roots, children): ([Record], [TokenID: [Record]]) = ([], [:])
        for place in 0..<tree.placeCount {
            guard let record = tree.entry(at: place)?.record,
                tree.load([.record(record.id)]).lineage(of: record.id)?.verdict(at: now + host.clockError).grantLives
                    == true
            else { continue }
            if let parent = record.parent { children[parent, default: []].append(record) } else { roots.append(record) }
        }
        tell("  \(name) has")
        for root in roots { tell(root, children, indent: "    ") }
    }

    private func tell(_ record: Record, _ children: [TokenID: [Record]], indent: String) {
        tell(indent + words(for: record))
        for child in children[record.id] ?? [] { tell(child, children, indent: indent + "  ") }
    }

    private func words(for record: Record) -> String {
        let person = record.subject.flatMap { subject in
            cast.people.firstIndex { $0.subject == subject } ?? names.values.compactMap { $0[subject.text] }.first
        }
        let phone = record.holder.flatMap { holder in
            phones.touched.first { $0.session.installation.instance.text.utf8.elementsEqual(holder.text.utf8) }?.number
        }
        var words = "\(record.kind) \(record.id.text.prefix(6))"
        if let person { words += ", person \(person)" }
        if let phone { words += ", phone \(phone)" }
        if record.kind == .app, let holder = record.holder { words += ", \(holder.text)" }
        if let audience = record.audience { words += ", \(audience.text)" }
        return words
    }
}
