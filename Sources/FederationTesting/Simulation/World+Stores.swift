internal import Federation
internal import JOSE
internal import PureCrypto
internal import TokenTree
internal import Wire

// What operators do with stores: they back them up and restore them, and hand a service over with an empty one.

extension World {
    /// What people knew when a store was backed up.
    struct Archive {
        let ends: [Ledger.Ground: Int]
        let locked, blocked, rejected: Set<Int>
        let discredited: (version: Int, isCertain: Bool)?
        let time: Timestamp
        /// How often the edu-ID service had taken another key.
        let rotations: Int
    }

    func archive(_ party: Int) {
        if party == 0 { eduID.disk.backUp() } else { services[party - 1].disk.backUp() }
        let witness = witness(party)
        archives[witness] = Archive(
            ends: ledger.confirmed(by: witness), locked: locked, blocked: blocked, rejected: rejected,
            discredited: discredited, time: now, rotations: eduID.rotations)
    }

    /// Restores a store from its backup, while the party does nothing else.
    ///
    /// What had ended by then stays ended, and so does at a service what has ended since; what administrators have told
    /// the edu-ID service since is to be told again.
    func revert(_ party: Int) {
        guard depth == 1, let archive = archives[witness(party)] else { return }
        // Whoever would have to withdraw more keys than others read cannot restore that copy.
        let used = party == 0 ? eduID.rotations - archive.rotations + 1 : 0
        guard canWithdraw(used) else { return }
        let isReverted = party == 0 ? restoreBackup(of: eduID) : restoreBackup(of: services[party - 1])
        guard isReverted else { return }
        mishaps += 1
        forgetTaking(by: party) { $0.isEnding }
        ledger.doubt(.store(witness(party)))
        if party == 0 {
            ledger.forgetEnds(of: .eduID, except: archive.ends)
            (locked, blocked) = (archive.locked, archive.blocked)
            rejected.formIntersection(archive.rejected)
            forgetRemains()
            // Some version cannot be trusted any more, whether it knows that or not.
            if let known = discredited { discredited = (known.version, archive.discredited?.isCertain == true) }
            // Which versions and copies it knows by now, nobody can say, nor who has begun to sign in.
            for phone in phones.touched {
                phone.versionsInDoubt = true
                phone.arriving?.isOver = false
            }
            // Whom it has introduced since then it does not know, and so could not end that.
            rotate(
                eduID, "edu-id", withdrawing: Array(eduID.publishedKeys.prefix(used)),
                since: archive.time - worstClockError - Self.slack)
            // What is given until services hear of it may stand on what ends by it.
            ledger.distrust(.store(.eduID))
            isWithdrawing = true
        }
    }

    private func restoreBackup<Served: Party>(of host: Host<Served>) -> Bool {
        do throws(MemoryStore.Restoration.Rejection) {
            guard try host.disk.revert(at: now + host.clockError) else { return false }
        } catch {
            breaks("what is written can be read", "a backup: \(error)")
            return false
        }
        restartAll(host)
        return true
    }

    /// Notes that a party does not know any more which messages it has taken, or not all of them: of a message that
    /// ends something it need not, as such a message does no harm the second time.
    private func forgetTaking(by party: Int, where isMeant: (Sent) -> Bool) {
        for sent in seen + heldBack where isMeant(sent) {
            let isTheirs =
                party == 0 ? sent.url.origin == cast.eduIDOrigin : self.service(at: sent.url) == party - 1
            if isTheirs { sent.isTaken = false }
        }
    }

    private func witness(_ party: Int) -> Ledger.Witness { party == 0 ? .eduID : .service(party - 1) }

    /// A service changes hands: what the former owner gave is worth nothing any more.
    func handOver(_ service: Int) {
        guard depth == 1 else { return }
        mishaps += 1
        let host = services[service]
        guard let pair = newKey(named: "s\(service)-\(host.rotations + 1)") else { return }
        host.disk.empty()
        host.rotate(to: Authority.Keys(signing: pair, master: SymmetricKey(data: entropy.bytes(32))))
        restartAll(host)
        archives[.service(service)] = nil
        forgetTaking(by: service + 1) { _ in true }
        ledger.end(.store(.service(service)), by: .service(service))
    }
}
