public import JOSE
public import NAIL
public import OAuth2Grants
public import PureCrypto
public import Wire

extension AuthorizingApp {
    /// One copy of the edu-ID app on one device: what it was shipped with, and what it made for itself when it was
    /// installed.
    public struct Installation: Sendable, CustomStringConvertible {
        /// The name under which its version is registered.
        package let appName: Issuer
        /// The key of its version, which every copy has (FED-2).
        package let versionKey: SigningKey
        /// The UUID that it gave itself, under which it is the service's client (REQ-10).
        public let instance: ClientID
        /// The device it runs on.
        public var device: AppVersion.Device
        /// The key pair that it made for itself, to which all its tokens are bound (POP-1).
        let key: DeviceKey

        /// A copy with a key pair of its own.
        public init(
            appName: Issuer, versionKey: SigningKey, instance: ClientID, device: AppVersion.Device,
            key: Curve25519.Signing.PrivateKey
        ) {
            self.init(
                appName: appName, versionKey: versionKey, instance: instance, device: device, key: DeviceKey(key))
        }

        /// A copy with a key of its own, which may lie elsewhere: then the host makes the keys for single services too.
        public init(
            appName: Issuer, versionKey: SigningKey, instance: ClientID, device: AppVersion.Device, key: DeviceKey
        ) {
            self.appName = appName
            self.versionKey = versionKey
            self.instance = instance
            self.device = device
            self.key = key
        }

        /// A new copy, which makes its key pair and its UUID.
        public init(
            appName: Issuer, versionKey: SigningKey, device: AppVersion.Device,
            using entropy: inout some RandomNumberGenerator
        ) throws(Curve25519.Signing.Rejection) {
            let key = DeviceKey(try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32)))
            let instance = ClientID(randomBy: &entropy)
            self.init(appName: appName, versionKey: versionKey, instance: instance, device: device, key: key)
        }

        /// A new copy, which makes its UUID, with a key that was made for it.
        public init(
            appName: Issuer, versionKey: SigningKey, device: AppVersion.Device, key: DeviceKey,
            using entropy: inout some RandomNumberGenerator
        ) {
            let instance = ClientID(randomBy: &entropy)
            self.init(appName: appName, versionKey: versionKey, instance: instance, device: device, key: key)
        }

        /// The same copy after an update to another version: key pair and UUID stay.
        public func updated(to versionKey: SigningKey) -> Installation {
            Installation(appName: appName, versionKey: versionKey, instance: instance, device: device, key: key)
        }

        var publicKey: JWK { key.publicKey }

        /// Names the copy and shows none of its keys.
        public var description: String { "Installation(\(instance), redacted)" }
    }
}
