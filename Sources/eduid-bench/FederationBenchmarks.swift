import Federation
import TokenTree

/// Requests to a federation service from header to verdict, with all that the exchange asks of a store of a million
/// tokens.
///
/// The rivals are the bare signatures that have to be checked and made: by prepared keys where the service remembers
/// the holder, by keys that come as bytes where everybody is a stranger.
func federationBenchmarks() -> [Benchmark] {
    accessBenchmarks() + exchangeBenchmarks()
}

private func accessBenchmarks() -> [Benchmark] {
    [
        Benchmark("federation-access-eddsa") { BusyService.shared.access(with: \.edwards, isKnown: true) }
            .against("the prepared signature") { BusyService.shared.edwardsSignature.isValid() },
        Benchmark("federation-access-eddsa-stranger") { BusyService.shared.access(with: \.edwards, isKnown: false) }
            .against("the bare signature") { BusyService.shared.edwardsSignature.isValidToStranger() },
        Benchmark("federation-access-es256") { BusyService.shared.access(with: \.curve, isKnown: true) }
            .against("the prepared signature") { BusyService.shared.curveSignature.isValid() },
        Benchmark("federation-access-es256-stranger") { BusyService.shared.access(with: \.curve, isKnown: false) }
            .against("the bare signature") { BusyService.shared.curveSignature.isValidToStranger() },
        Benchmark("federation-access-symmetric") { BusyService.shared.access(with: \.symmetric, isKnown: false) },
        Benchmark("federation-access-plain") { BusyService.shared.accessOfBearer() },
        Benchmark("federation-access-plain-random") { BusyService.shared.accessOfAnybody() }
            .against("the verdict alone") { BusyService.shared.verdictOnAnybody() },
        Benchmark("federation-access-plain-by-lineage") { BusyService.shared.accessOfAnybodyByLineage() }
            .against("the verdict alone") { BusyService.shared.verdictOnAnybody() },
    ]
}

/// The signatures of (5) are the edu-ID service's, the instance's and the one of the token that is given; those of (8)
/// the instance's under request and code, and again the token's.
private func exchangeBenchmarks() -> [Benchmark] {
    [
        Benchmark("federation-redeem") { BusyService.shared.decide(on: \.redemption, isKnown: true) }
            .against("its signatures, prepared") {
                let bare = BusyService.shared.edwardsSignature
                return (bare.isValid(), bare.isValid(), bare.sign())
            },
        Benchmark("federation-redeem-stranger") { BusyService.shared.decide(on: \.redemption, isKnown: false) }
            .against("its signatures") {
                let bare = BusyService.shared.edwardsSignature
                return (bare.isValid(), bare.isValidToStranger(), bare.sign())
            },
        Benchmark("federation-authorize") { BusyService.shared.decide(on: \.authorization, isKnown: true) }
            .against("its signatures, prepared") {
                let bare = BusyService.shared.edwardsSignature
                return (bare.isValid(), bare.isValid(), bare.sign())
            },
        Benchmark("federation-authorize-es256") { BusyService.shared.decide(on: \.curveAuthorization, isKnown: true) }
            .against("its signatures, prepared") {
                let bare = BusyService.shared.edwardsSignature
                return (bare.isValid(), bare.isValid(), bare.sign())
            },
        Benchmark("federation-authorize-stranger") { BusyService.shared.decide(on: \.authorization, isKnown: false) }
            .against("its signatures") {
                let bare = BusyService.shared.edwardsSignature
                return (bare.isValidToStranger(), bare.isValidUnprepared(), bare.sign())
            },
    ]
}
