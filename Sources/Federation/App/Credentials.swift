internal import JOSE
public import OAuth2Grants
internal import Wire

// What makes the instance known and its user signed in (1, 2), and what renews tokens.

extension AuthorizingApp.Interaction where Value == Void {
    /// Registers the instance (1, REG-1), with the statement that its version's key signs; nothing of an earlier
    /// registration stays.
    ///
    /// One that is registered proves its present key, and stays the same to everybody; where the registration has ended
    /// it begins anew.
    public static var registration: Self {
        Self { turn throws(Rejection) in
            guard turn.session.isRegistered else { return try first.begin(&turn) }
            return try again.begin(&turn)
        }
    }

    private static var first: Self {
        first(proving: false).recovering { _, rejection throws(Rejection) in
            // It may be known already, where the answer to an earlier registration was lost.
            guard rejection.isUnknownClient else { throw rejection }
            return first(proving: true)
        }
    }

    /// A registration under the instance's name alone, or with a proof of the key that it has had all along, which says
    /// by itself which key that is.
    private static func first(proving isProving: Bool, nonce: String? = nil) -> Self {
        Self { turn throws(Rejection) in
            var request = TokenRequest.registration(try turn.statement(of: turn.session.installation))
            if isProving {
                let (key, url) = (turn.session.installation.key, try turn.session.endpoint(.token))
                request.proof = try turn.proof(of: key, for: url, nonce: nonce)
            }
            return .ask(try turn.message(request)) { turn, response throws(Rejection) in
                do throws(Rejection) {
                    try turn.keep(response, of: .instance)
                } catch {
                    guard isProving, nonce == nil, let wanted = error.nonce(in: response) else { throw error }
                    return try first(proving: true, nonce: wanted).begin(&turn)
                }
                try turn.session.forget(.user)
                return .done(())
            }
        }
    }

    /// A registration that proves the instance's present key, at the right time.
    static var proof: Self {
        Self { turn throws(Rejection) in
            try turn.upgrading(to: turn.session.installation)
        } _: { turn, response throws(Rejection) in
            try turn.keep(response, of: .instance)
        }
    }

    private static var again: Self {
        proof.recovering { _, rejection throws(Rejection) in
            // What is not taken for the instance's key any more is so because it has ended.
            guard case .refused(let error) = rejection, error.code == .invalidClient else { throw rejection }
            return first
        }
    }

    /// Moves the instance to a newer version (REG-5); its user stays signed in.
    public static func upgrade(to newer: AuthorizingApp.Installation) -> Self {
        Self { turn throws(Rejection) in
            try turn.upgrading(to: newer)
        } _: { turn, response throws(Rejection) in
            let token = try HeldToken(AuthorizingApp.granted(response), of: newer.identity, at: turn.now)
            try turn.session.keep(token, of: .instance, by: newer)
            turn.session.installation = newer
        }
    }

    /// Tells the service that the device has changed, such as its name (REG-6).
    public static func change(of device: AppVersion.Device) -> Self {
        Self { turn throws(Rejection) in
            try turn.message(.change(turn.instanceProof(adding: device.members)))
        } _: { turn, response throws(Rejection) in
            try turn.keep(response, of: .instance)
            turn.session.installation.device = device
        }
    }

    /// Renews a token (AUT-3, TOK-2); when that is refused it is forgotten, and the user or the service has to be had
    /// anew.
    public static func renewal(of holder: AuthorizingApp.Holder) -> Self {
        let renewal = Self { turn throws(Rejection) in
            guard let refreshToken = try turn.session.token(of: holder).response.refreshToken else {
                throw .notRenewable
            }
            return try turn.message(to: turn.session.tokenEndpoint(of: holder), of: holder) {
                credential, url throws(SyntaxError) in
                try TokenRequest.refresh(refreshToken, credential: credential).encoded(to: url)
            }
        } _: { turn, response throws(Rejection) in
            try turn.keep(response, of: holder, renewing: true)
        }
        return renewal.recovering { turn, rejection throws(Rejection) in
            if rejection.isFinal { try turn.session.forget(holder) }
            throw rejection
        }
    }
}

extension AuthorizingApp.Turn {
    /// A registration by an instance that is registered.
    fileprivate mutating func upgrading(to newer: AuthorizingApp.Installation) throws(Rejection) -> HTTP.Request {
        let proof = try instanceProof()
        guard let assertion = try? Assertion(parsing: proof.secret) else { throw .unregistered }
        return try message(.upgrade(statement(of: newer), of: assertion))
    }

    fileprivate mutating func statement(of installation: AuthorizingApp.Installation) throws(Rejection)
        -> Assertion
    {
        let time = signingTime(for: try session.endpoint(.token))
        return try wrapping(
            Rejection.issuance,
            try Statement.AppRegistration.signed(
                with: installation.versionKey, of: installation.appName, instance: installation.instance,
                on: installation.device, to: session.eduID.issuer, binding: installation.publicKey,
                at: time, knowing: signatures, using: &chance))
    }

    fileprivate mutating func instanceProof(adding claims: JSON.Object = [:]) throws(Rejection)
        -> AccessToken
    {
        let url = try session.endpoint(.token)
        return try session.token(of: .instance)
            .proof(for: url, adding: claims, at: signingTime(for: url), knowing: signatures, using: &chance)
    }

    fileprivate func message(_ request: TokenRequest) throws(Rejection) -> HTTP.Request {
        let url = try session.endpoint(.token)
        return try wrapping(Rejection.syntax, try request.encoded(to: url))
    }
}
