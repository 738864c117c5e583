package import Wire

// A proof that is not of the present is refused in the words in which every wrong one is. What tells them apart is the
// time that stands beside the refusal.

extension HTTP.Response {
    /// Whether it refuses a proof: because it is not of the present, or for any other reason.
    package var refusesProof: Bool {
        guard !status.isSuccess, let error = try? OAuth2Error(parsing: self) else { return false }
        return [.invalidClient, .invalidToken, .invalidProof].contains(error.code)
    }

    /// How far the time that its sender tells is ahead of one that a proof bears, in whole seconds, where the proof may
    /// be refused for that; `nil` where the two agree, or no time is told.
    package func difference(from signed: Timestamp, at now: Timestamp) -> Duration? {
        guard case .once(let text) = fields.value(of: .date), let told = try? Timestamp(httpDate: text, at: now) else {
            return nil
        }
        let difference = told - Timestamp(seconds: signed.seconds)
        return Self.isBeyond(difference) ? difference : nil
    }

    /// Whether what is signed may not be so far from the time of whoever checks it.
    package static func isBeyond(_ difference: Duration) -> Bool {
        !(.seconds(-60) ... .seconds(60)).contains(difference)
    }
}
