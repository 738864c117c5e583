package import Wire

/// What people granted and ended, as they themselves would tell it: it knows nothing of tokens, trees and messages.
///
/// Whatever can be ended has generations: what was granted before an end belongs to an earlier one than what is granted
/// afterwards. Where nobody can know whether an end has come about, it is in doubt: then neither is it held against
/// anybody that it works, nor that it does not.
package struct Ledger {
    /// What can be ended.
    package enum Ground: Hashable, Sendable {
        /// A copy of the app.
        case installation(Int)
        /// A person who is signed in with it.
        case session(Int, person: Int)
        /// What a service gave that person there.
        case link(Int, person: Int, service: Int)
        /// What an app got there.
        case app(Int, person: Int, service: Int, reader: Int)
        /// One answer to an app.
        case token(Int)
    }

    /// A ground at a time.
    package struct Link: Hashable, Sendable {
        package let ground: Ground
        package let generation: Int
    }

    /// What somebody got, with all that it stands on.
    package struct Holding: Sendable {
        package let chain: [Link]
        package let person: Int
        package let time: Timestamp
    }

    /// Who confirmed that something has ended.
    package enum Witness: Hashable, Sendable {
        case eduID
        case service(Int)
    }

    private var generations: [Ground: Int] = [:]
    /// Up to which generation a ground has ended, by who said so.
    private var ends: [Witness: [Ground: Int]] = [:]
    /// Up to which generation a ground may have ended.
    private var doubts: [Ground: Int] = [:]
    private var tokens = 0

    /// Nothing has been granted.
    package init() {}

    package func link(_ ground: Ground) -> Link { Link(ground: ground, generation: generations[ground] ?? 0) }

    /// What an app gets at a service through a copy of the app now.
    package mutating func holding(
        _ installation: Int, person: Int, service: Int, reader: Int, at now: Timestamp
    ) -> Holding {
        tokens += 1
        return Holding(
            chain: [
                link(.installation(installation)), link(.session(installation, person: person)),
                link(.link(installation, person: person, service: service)),
                link(.app(installation, person: person, service: service, reader: reader)), link(.token(tokens)),
            ],
            person: person, time: now)
    }

    /// Notes that somebody confirmed an end: of what there is now, or of what there was.
    package mutating func end(_ ground: Ground, by witness: Witness) { end(link(ground), by: witness) }

    package mutating func end(_ link: Link, by witness: Witness) {
        let known = ends[witness]?[link.ground] ?? -1
        ends[witness, default: [:]][link.ground] = max(known, link.generation)
        generations[link.ground] = max(generations[link.ground] ?? 0, link.generation + 1)
    }

    /// Notes that something may have ended, and may not.
    package mutating func doubt(_ ground: Ground) {
        let generation = generations[ground] ?? 0
        doubts[ground] = generation
        generations[ground] = generation + 1
    }

    /// Notes that what is granted from now on may not last.
    package mutating func distrust(_ ground: Ground) { doubts[ground] = generations[ground] ?? 0 }

    /// What has ended of all that something stands on, by the word of a witness.
    package func end(of holding: Holding, by witness: Witness) -> Ground? {
        holding.chain.first { $0.generation <= ends[witness]?[$0.ground] ?? -1 }?.ground
    }

    /// What may have ended of all that something stands on.
    package func doubt(about holding: Holding) -> Ground? {
        holding.chain.first { link in
            link.generation <= doubts[link.ground] ?? -1
                || ends.values.contains { link.generation <= $0[link.ground] ?? -1 }
        }?.ground
    }
}
