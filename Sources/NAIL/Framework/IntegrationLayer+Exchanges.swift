internal import JOSE
internal import RSD2
internal import Wire

/// Something on its way that ends by itself, whoever waits for it.
typealias Flight = Task<Void, Never>

// MARK: - Authorization

extension IntegrationLayer {
    /// Asks the authorizing app for services that offer all of these protocols (NAI-1).
    ///
    /// It returns when the answer is in the state, and without a value: ``serviceNames()`` tells what there is now.
    public func authorizeProtocols(_ protocolList: [String]) async {
        await authorizeProtocols(protocolList, false)
    }

    /// Asks the authorizing app for services that offer all of these protocols, and for one alone where that is wished
    /// for (NAI-1).
    ///
    /// The wish need not be heeded, and every service that is granted is taken (NAI-10).
    public func authorizeProtocols(_ protocolList: [String], _ singleton: Bool) async {
        guard let host = withCore({ $0.host }) else { return }
        guard let (request, key) = request(protocolList, singleton, host) else { return }
        guard let answer = await host.authorize(request.encoded()) else {
            notice(.unanswered)
            return
        }
        let response: ProtocolResponse
        do throws(ProtocolResponse.Rejection) {
            response = try ProtocolResponse(parsing: answer)
        } catch {
            notice(.malformedResponse(error))
            return
        }
        let now = host.now()
        let report = withCore { core in core.change { state in state.accept(response, to: request, key: key, at: now) }
        }
        if !report.accepted.isEmpty { await store().value }
        notice(.accepted(report))
    }

    private func request(_ protocolList: [String], _ singleton: Bool, _ host: Host) -> (ProtocolRequest, AppKey?)? {
        var names: [ProtocolName] = []
        for text in protocolList {
            guard let name = try? ProtocolName(parsing: text) else {
                notice(.malformedProtocol(text))
                return nil
            }
            names.append(name)
        }
        let request: ProtocolRequest
        do throws(ProtocolRequest.Rejection) {
            request = try ProtocolRequest(
                from: host.app.clientID, of: host.app.bundleID, named: host.app.name, for: names,
                prefersSingle: singleton)
        } catch {
            notice(.requestRefused(error))
            return nil
        }
        do throws(JWS.SigningRejection) {
            switch host.app.proof {
            case .none: return (request, nil)
            case .signature(let key): return (try request.signed(with: key, at: host.now()), nil)
            case .signatureWithBinding(let key):
                var entropy = Entropy(word: host.entropy)
                let own = AppKey(using: &entropy)
                return (try request.signed(with: key, binding: own.publicKey, at: host.now()), own)
            }
        } catch {
            notice(.notSigned(error))
            return nil
        }
    }
}

// MARK: - Renewal

extension IntegrationLayer {
    /// Renews what has expired, and returns when that is settled; does nothing where nothing has expired, or can be
    /// renewed.
    func renewExpired(_ way: Way) async {
        guard let host = withCore({ $0.host }) else { return }
        let now = host.now()
        let flight = withCore { core -> Flight? in
            guard (try? core.access(way))?.isExpired(at: now) == true, let name = try? way.protocolName() else {
                return nil
            }
            var entropy = Entropy(word: host.entropy)
            do throws(NAILState.Refusal) {
                let renewal = try core.change { state throws(NAILState.Refusal) in
                    try state.renew(way.service.text, name, path: way.path.text, at: now, using: &entropy)
                }
                // A task of its own: when the caller is cancelled, the answer must still be taken in, for it has the
                // only refresh token.
                let flight = Flight { await self.carryOut(renewal, host) }
                core.flights[renewal.key] = flight
                return flight
            } catch {
                guard error == .underWay,
                    let key = try? core.state.renewalKey(way.service.text, name, path: way.path.text)
                else {
                    return nil
                }
                return core.flights[key]
            }
        }
        await flight?.value
    }

    private func carryOut(_ renewal: Renewal, _ host: Host) async {
        let response = await host.send(renewal.request)
        let now = host.now()
        let outcome = withCore { core in
            core.flights[renewal.key] = nil
            return core.change { state in state.settle(renewal, with: response, at: now) }
        }
        if outcome != .unavailable, outcome != .superseded { await store().value }
        notice(.renewal(outcome))
    }

    /// Hands the state to the host to be stored; in the order of the changes, and always the latest.
    @discardableResult
    private func store() -> Flight {
        withCore { core in
            let former = core.storing
            let flight = Flight {
                await former?.value
                guard let store = self.withCore({ $0.host?.store }) else { return }
                await store(self.serialize())
            }
            core.storing = flight
            return flight
        }
    }
}

// MARK: - Revocation

extension IntegrationLayer {
    /// Revokes what opens a service, at the service, and forgets the service here (NAI-7): a logout for this app.
    ///
    /// Answers whether the service confirmed all of it. The service is forgotten in any case.
    public func revokeToken(_ serviceName: String) async -> Bool {
        await Task { await self.revoke(serviceName) }.value
    }

    private func revoke(_ serviceName: String) async -> Bool {
        guard let host = withCore({ $0.host }) else {
            removeService(serviceName)
            return false
        }
        let now = host.now()
        var revocation: Revocation?
        // What is being renewed would come back to life behind the revocation.
        while true {
            let flight = withCore { core -> Flight? in
                for key in core.state.renewalKeys(of: serviceName) {
                    if let flight = core.flights[key] { return flight }
                }
                var entropy = Entropy(word: host.entropy)
                revocation = core.change { state in try? state.revoke(serviceName, at: now, using: &entropy) }
                return nil
            }
            guard let flight else { break }
            await flight.value
        }
        guard let revocation else { return false }
        await store().value
        var responses: [HTTP.Response?] = []
        for request in revocation.requests { responses.append(await host.send(request)) }
        return revocation.isConfirmed(by: responses)
    }
}
