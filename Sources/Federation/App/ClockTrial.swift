internal import OAuth2Grants
internal import Wire

// What is signed a minute too early or too late is refused in the words in which a stranger is. So that a device whose
// clock is wrong does not look like one whose registration has ended, such a request is made once more.

extension AuthorizingApp {
    /// Whether a refusal comes of the device's clock: the edu-ID service tells its own time beside it, the same request
    /// is made once more with that time in what is signed, and what comes of it decides.
    ///
    /// A service whose `Date` is wrong, and one that refuses for another reason, refuses that request as well; then the
    /// refusal is what it was, and nobody believes that the clock is wrong. An answer that says neither, such as one
    /// that demands a nonce, leaves it to the next. Once in an interaction is enough.
    struct ClockTrial: Sendable {
        private enum Stage: Sendable {
            case possible
            /// What is signed for the edu-ID service bears the time by this difference, which nothing has shown yet.
            case running(Duration?)
            case over
        }

        private var stage = Stage.possible

        /// How far what is signed for a request to a URL is from the device's time: what is known, or what is tried at
        /// the edu-ID service, and nowhere else.
        func difference(for url: WebURL, in session: Session) -> Duration? {
            if case .running(let supposed) = stage, session.isEduID(at: url) {
                supposed
            } else {
                session.clockDifference
            }
        }

        /// Takes in an answer; whether the request, in which something is signed, is to be made once more with another
        /// ``difference(for:in:)``.
        ///
        /// - Parameters:
        ///   - now: the device's time when the request was made.
        ///   - isRepeated: whether it was made once more already.
        mutating func repeats(
            _ request: HTTP.Request, after response: HTTP.Response?, madeAt now: Timestamp, isRepeated: Bool,
            in session: inout Session
        ) -> Bool {
            guard let response, case .absolute(let url) = request.target, session.isEduID(at: url) else { return false }
            let isRefused = response.refusesProof
            switch stage {
            case .over: return false
            case .running(let supposed):
                guard isRefused || response.status.isSuccess else { return false }
                if !isRefused { session.clockDifference = supposed }
                stage = .over
                // Nothing is over because of a time that was only supposed.
                return isRefused && !isRepeated
            case .possible:
                let known = session.clockDifference ?? .zero
                guard isRefused, let more = response.difference(from: now + known, at: now) else { return false }
                let difference = known + more
                stage = .running(HTTP.Response.isBeyond(difference) ? difference : nil)
                return true
            }
        }

        /// What an answer says: a service whose time is another one refuses every proof, and has said nothing by that,
        /// so that nothing is taken for ended; it counts as one that is not available now.
        ///
        /// - Parameter now: the device's time when the request was made.
        func heard(
            _ response: HTTP.Response?, to request: HTTP.Request, madeAt now: Timestamp, in session: Session
        ) -> HTTP.Response? {
            guard let response, case .absolute(let url) = request.target, !session.isEduID(at: url),
                response.refusesProof,
                response.difference(from: now + (session.clockDifference ?? .zero), at: now) != nil
            else { return response }
            return HTTP.Response(.serviceUnavailable)
        }
    }
}

extension AuthorizingApp.Session {
    /// Whether the edu-ID service has an endpoint where a URL leads.
    fileprivate func isEduID(at url: WebURL) -> Bool { eduID.endpoints.values.contains { $0.origin == url.origin } }
}
