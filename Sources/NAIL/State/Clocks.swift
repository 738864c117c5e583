internal import OAuth2Grants
package import Wire

// What is signed a minute too early or too late is refused in the words in which a stranger is. So that a device whose
// clock is wrong can use what it was granted, such a request is made once more, in the time of whoever refused it.

extension NAILState {
    /// What is known of the time of whoever answers at an origin.
    struct Clock: Sendable, Equatable {
        /// How far it is ahead of the device's.
        let difference: Duration
        /// Whether something that bore its time was taken there.
        var isShown = false
    }

    /// When something was signed, and for whom.
    package struct Signing: Sendable {
        let url: WebURL
        /// The time that it bears.
        let time: Timestamp
        /// How far that is from the device's time.
        let difference: Duration?

        init(_ url: WebURL, at now: Timestamp, ahead difference: Duration?) {
            (self.url, self.difference) = (url, difference)
            time = now + (difference ?? .zero)
        }
    }

    /// When to sign what is for a URL: in the time that was told there, and nowhere else.
    func signing(for url: WebURL, at now: Timestamp) -> Signing {
        Signing(url, at: now, ahead: clocks[url.origin]?.difference)
    }

    /// Takes in what an answer to something that was signed says about the time; how far the clocks are apart, where it
    /// was refused for that: then it says nothing else, and is worth one more try (NIF-9).
    ///
    /// Whoever does not take what bears its own time is not believed.
    package mutating func hear(_ response: HTTP.Response?, to signing: Signing, at now: Timestamp) -> Duration? {
        guard let response else { return nil }
        let origin = signing.url.origin
        let known = clocks[origin]
        guard response.refusesProof else {
            if response.status.isSuccess, let known, signing.difference == known.difference {
                clocks[origin] = Clock(difference: known.difference, isShown: true)
            }
            return nil
        }
        guard response.difference(from: signing.time, at: now) != nil else { return nil }
        // From the present: what was long on its way is signed anew, and says nothing about the clock.
        let difference = response.difference(from: now, at: now) ?? .zero
        if known?.difference != difference {
            let isBelieved = difference != .zero && !isSupposed(signing)
            clocks[origin] = isBelieved ? Clock(difference: difference) : nil
        }
        return difference
    }

    /// Whether the time of something that was signed is that of somebody who has taken nothing that bore it so far.
    func isSupposed(_ signing: Signing) -> Bool {
        signing.difference.map { clocks[signing.url.origin] == Clock(difference: $0) } ?? false
    }

    /// Whether something was signed in a time in which nothing was taken so far, as far as is known now.
    func isUnproven(_ signing: Signing) -> Bool {
        signing.difference.map { clocks[signing.url.origin] != Clock(difference: $0, isShown: true) } ?? false
    }

    /// Forgets the time in which something was signed and refused all the same, unless something was taken in it;
    /// whether the device's own time is worth a try.
    mutating func forgetUnproven(_ signing: Signing) -> Bool {
        guard isUnproven(signing) else { return false }
        // Who was refused at the same moment may have forgotten it already, or have been told another.
        if isSupposed(signing) { clocks[signing.url.origin] = nil }
        return true
    }
}

extension NAILState.Refusal {
    /// What is in the way where a service refuses, for its time, what was signed once more in the time that it told.
    static func stillRefused(ahead difference: Duration) -> NAILState.Refusal {
        difference == .zero ? .unavailable : .otherTime(difference)
    }
}

extension NAILState.Renewal.Outcome {
    /// How far the service's clock is ahead of the device's, where that is what came of it.
    var difference: Duration? {
        if case .otherTime(let difference) = self { difference } else { nil }
    }
}
