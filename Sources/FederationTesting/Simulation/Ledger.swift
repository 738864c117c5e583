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
        /// What the app keeps of services for that person, for as long as he or she is signed in.
        case kept(Int, person: Int)
        /// What a service gave that person there.
        case link(Int, person: Int, service: Int)
        /// What an app got there in one of the times in which the edu-ID app keeps things: it ends what it knows of.
        case app(Int, person: Int, service: Int, reader: Int, keeping: Int)
        /// One answer to an app.
        case token(Int)
        /// All that a party has stored.
        case store(Witness)
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
        /// Between which times it was given.
        package var time: ClosedRange<Timestamp>
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
    /// What may not last, whatever is granted on it, until there is something new in its place.
    private var distrusted: Set<Ground> = []
    /// When things were given that may end because a key was withdrawn.
    private var suspicions: [Range<Timestamp>] = []
    private var tokens = 0
    /// How many copies there are from the beginning; they are numbered from 1 on.
    private let originals: Int
    /// The copies that came later.
    private var later: [Int] = []
    /// At which of the copies that there are from the beginning a person has been.
    private var visits: [Int: Set<Int>] = [:]
    /// What `elsewhere` stands for of a person, as far as something was noted of it.
    private var noted: [Int: Set<Ground>] = [:]

    /// The number that stands for all copies from the beginning at which a person has not been, and by itself for all
    /// that nobody has touched: what happens to all of them is noted once, and taken over by whoever is the next.
    package static let elsewhere = 0

    /// Nothing has been granted, and there are so many copies.
    package init(copies: Int = 0) { originals = copies }

    /// One more copy; which number it has.
    package mutating func addCopy() -> Int {
        later.append(originals + later.count + 1)
        return originals + later.count
    }

    /// Notes that somebody takes up a copy that nobody has touched so far.
    package mutating func takeUp(_ copy: Int) { take(.installation(Self.elsewhere), as: .installation(copy)) }

    /// Notes that a person is at a copy.
    package mutating func visit(_ copy: Int, by person: Int) {
        guard (1...max(1, originals)).contains(copy), visits[person, default: []].insert(copy).inserted else { return }
        for ground in noted[person] ?? [] {
            switch ground {
            case .session: take(ground, as: .session(copy, person: person))
            case .link(_, _, let service): take(ground, as: .link(copy, person: person, service: service))
            case .installation, .kept, .app, .token, .store: break
            }
        }
    }

    /// What concerns a person at all copies that there are now, at those where he or she has not been as one; a service
    /// where only what was given there is meant.
    package mutating func everywhere(of person: Int, at service: Int? = nil) -> [Ground] {
        let copies = [Self.elsewhere] + (visits[person] ?? []).sorted() + later
        let grounds = copies.map { copy in
            service.map { Ground.link(copy, person: person, service: $0) } ?? .session(copy, person: person)
        }
        noted[person, default: []].insert(grounds[0])
        return grounds
    }

    /// Notes of a ground what is known of one that stands for it.
    private mutating func take(_ general: Ground, as ground: Ground) {
        generations[ground] = generations[general]
        doubts[ground] = doubts[general]
        if distrusted.contains(general) { distrusted.insert(ground) }
        // What is changed is not held meanwhile, or it would be copied.
        for witness in Array(ends.keys) {
            if let generation = ends[witness]?[general] { ends[witness]?[ground] = generation }
        }
    }

    package func link(_ ground: Ground) -> Link { Link(ground: ground, generation: generations[ground] ?? 0) }

    /// What there is now of a ground, which somebody is about to end; whatever is granted from now on is something
    /// else.
    package mutating func close(_ ground: Ground) -> Link {
        let link = beginEnding(ground)
        generations[ground] = link.generation + 1
        if distrusted.contains(ground) { doubts[ground] = link.generation + 1 }
        return link
    }

    /// What there is now of a ground, which somebody is about to end: it may be over before that is confirmed.
    package mutating func beginEnding(_ ground: Ground) -> Link {
        let link = link(ground)
        doubts[ground] = max(link.generation, doubts[ground] ?? -1)
        return link
    }

    /// What a person who signs in with a copy of the app has by that now.
    package func presence(at installation: Int, of person: Int, at now: Timestamp) -> Holding {
        let grounds: [Ground] = [
            .installation(installation), .session(installation, person: person), .store(.eduID),
        ]
        return Holding(chain: grounds.map { link($0) }, person: person, time: now...now)
    }

    /// What an app gets at a service through a copy of the app now.
    package mutating func holding(
        _ installation: Int, person: Int, service: Int, reader: Int, at now: Timestamp
    ) -> Holding {
        tokens += 1
        let grounds: [Ground] = [
            .kept(installation, person: person), .link(installation, person: person, service: service),
            app(installation, person: person, service: service, reader: reader),
            .store(.service(service)), .token(tokens),
        ]
        let presence = presence(at: installation, of: person, at: now)
        return Holding(chain: presence.chain + grounds.map { link($0) }, person: person, time: now...now)
    }

    /// What an app gets at a service while a copy of the app keeps what it does now.
    package func app(_ installation: Int, person: Int, service: Int, reader: Int) -> Ground {
        let time = link(.kept(installation, person: person)).generation
        return .app(installation, person: person, service: service, reader: reader, keeping: time)
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
        generations[ground] = generation + 1
        doubts[ground] = distrusted.contains(ground) ? generation + 1 : generation
    }

    /// Notes that what is granted from now on may not last.
    package mutating func distrust(_ ground: Ground) {
        distrusted.insert(ground)
        doubts[ground] = generations[ground] ?? 0
    }

    /// Notes that there is something new in the place of what there was, and may not have ended.
    package mutating func renew(_ ground: Ground) {
        distrusted.remove(ground)
        doubt(ground)
    }

    /// Notes that whatever was given since a time may not last, until that is no more so.
    package mutating func suspect(since time: Timestamp) { suspicions.append(time..<max(time, .distantFuture)) }

    /// Notes that what is given from now on lasts.
    package mutating func trust(from now: Timestamp) {
        for place in suspicions.indices {
            let begin = suspicions[place].lowerBound
            suspicions[place] = begin..<max(begin, min(now, suspicions[place].upperBound))
        }
    }

    /// What a witness has confirmed so far.
    package func confirmed(by witness: Witness) -> [Ground: Int] { ends[witness] ?? [:] }

    /// Notes that a witness remembers of the ends that it confirmed only those: the others may come back.
    package mutating func forgetEnds(of witness: Witness, except remembered: [Ground: Int]) {
        for (ground, generation) in ends[witness] ?? [:] where generation > remembered[ground] ?? -1 {
            doubts[ground] = max(generation, doubts[ground] ?? -1)
            ends[witness]?[ground] = remembered[ground]
        }
    }

    /// What has ended of all that something stands on, by the word of a witness.
    package func end(of holding: Holding, by witness: Witness) -> Ground? {
        holding.chain.first { $0.generation <= ends[witness]?[$0.ground] ?? -1 }?.ground
    }

    /// What may have ended of all that something stands on.
    package func doubt(about holding: Holding) -> Ground? {
        if suspicions.contains(where: { $0.overlaps(holding.time) }) { return .store(.eduID) }
        return holding.chain.first { link in
            link.generation <= doubts[link.ground] ?? -1
                || ends.values.contains { link.generation <= $0[link.ground] ?? -1 }
        }?.ground
    }
}
