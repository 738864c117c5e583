internal import Federation
internal import TokenTree
internal import Wire

// What is left of people whom administrators have expelled from the institution, or forgotten.

extension World {
    /// What a person was given as a member of the institution.
    func memberships(of person: Int) -> [Ledger.Ground] {
        services.indices.filter { cast.services[$0].isForMembers }
            .flatMap { ledger.everywhere(of: person, at: $0) }
    }

    func dismiss(_ person: Int) {
        let (count, isProvided) = (comings, cast.people[person].way == .provider)
        func expel() -> Bool {
            administrate(.expel(cast.affiliation, subject(of: person)), orFindsNothing: true)
        }
        // Of the others the accounts tell anew what they are, also to whoever asks meanwhile.
        let isConfirmed = end(memberships(of: person)) { isProvided ? expel() : isUndisturbed(expel) }
        // Whoever comes meanwhile was first, or was not.
        if isConfirmed, isProvided, count == comings, !provided.contains(person) { dismissed[person] = now }
    }

    func forget(_ person: Int) {
        let count = comings
        let isConfirmed = end(everywhere: person) { administrate(.forget($0)) }
        if isConfirmed, count == comings, !welcomed.contains(person) { forgotten.insert(person) }
        locked.remove(person)
    }

    /// The provider tells of a person, who may be a member from now on.
    func provide<Value>(_ person: Int, _ body: () -> Value) -> Value {
        checkDismissed(person)
        dismissed[person] = nil
        provided.append(person)
        defer {
            provided.removeLast()
            comings += 1
        }
        return body()
    }

    /// A person comes, of whom there may be something from now on.
    func welcome(_ person: Int) {
        checkForgotten(person)
        forgotten.remove(person)
        welcomed.append(person)
    }

    func finishWelcoming() {
        welcomed.removeLast()
        comings += 1
    }

    /// The edu-ID service knows no more who was expelled or forgotten.
    func forgetRemains() {
        dismissed = [:]
        forgotten = []
    }

    func checkRemains() {
        for person in dismissed.keys.sorted() { checkDismissed(person) }
        for person in forgotten.sorted() { checkForgotten(person) }
    }

    /// Whoever was expelled is introduced to nobody as a member until the provider tells of him or her anew.
    private func checkDismissed(_ person: Int) {
        guard let time = dismissed[person], !eduID.wasClockWrong else { return }
        for introduction in records(.assertion, of: person) {
            let record = introduction.record
            guard let service = self.service(of: record), cast.services[service].isForMembers,
                record.issued > time || introduction.verdict(at: now).grantLives
            else { continue }
            breaks("who was expelled stays out", "person \(person) at service \(service), at \(record.issued)")
        }
    }

    /// Of whom everything was forgotten, nothing is there until he or she comes again.
    private func checkForgotten(_ person: Int) {
        guard forgotten.contains(person) else { return }
        let subject = subject(of: person)
        for visit in eduID.disk.tree.load([.services(subject)]).visits(of: subject) {
            breaks("what was forgotten is gone", "the visit of person \(person) to \(visit.service)")
        }
        for kind: Record.Kind in [.personal, .code, .affiliation, .assertion] {
            guard let record = records(kind, of: person).first?.record else { continue }
            breaks("what was forgotten is gone", "\(kind) of person \(person), of \(record.issued)")
        }
    }
}
