public import JOSE
public import Wire

extension AppRequestToken {
    /// The request token of an instance, signed with the key of its version (REG-1).
    ///
    /// It has no `exp`, `nbf` or `jti` (REQ-8).
    ///
    /// - Parameter versionKey: the key that all copies of this version carry, which must have the name under which it
    ///   is registered.
    /// - Parameter appName: the name that is registered with the key (REQ-9).
    /// - Parameter service: the base URL of the edu-ID service (REQ-11).
    /// - Parameter key: the instance's own public key, to which its token is to be bound.
    /// - Parameter issuedAt: when the token is made; S1 leaves it to the client whether to say so (REQ-7).
    public static func signed(
        with versionKey: SigningKey, of appName: Issuer, instance: ClientID, on device: Device, to service: Issuer,
        binding key: JWK? = nil, issuedAt: Timestamp? = nil
    ) throws(IssuanceRejection) -> Assertion {
        try JWT.Issuance(named: versionKey, as: .clientAuthentication).issued { token in
            token.member("iss", appName.text)
            token.member("sub", instance.text)
            token.member("aud", service.text)
            token.member("name", device.name.text)
            token.member("device_id", device.id.text)
            token.member("device_type", device.type.text)
            token.member("os_version", device.systemVersion.text)
            if let issuedAt { token.member("iat", issuedAt.seconds) }
            if let key { token.member("cnf", JWT.Confirmation(key: key)) }
        }
    }
}
