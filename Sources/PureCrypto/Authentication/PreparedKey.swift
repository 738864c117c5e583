extension HMAC {
    /// A key whose two padded forms the hash has absorbed already, for many messages under one key.
    ///
    /// It is worth as much to a thief as the key itself, and is kept like one: never printed, overwritten when its last
    /// copy goes.
    public struct PreparedKey: Sendable {
        @usableFromInline let state: SecretStorage<HMAC>

        /// Absorbs the key once.
        @inlinable public init(_ key: SymmetricKey) {
            state = SecretStorage(1) { _ in HMAC(key: key) }
        }

        @inlinable var start: HMAC { state.withSpan { $0[0] } }

        /// The code of one message.
        @inlinable public func authenticationCode(for data: Span<UInt8>) -> MAC {
            var mac = start
            mac.update(data: data)
            return mac.finalize()
        }

        /// The code of one message.
        @inlinable public func authenticationCode(for data: some Collection<UInt8>) -> MAC {
            var mac = start
            mac.update(data: data)
            return mac.finalize()
        }

        /// Whether the bytes are the whole code of the message; the time taken depends on lengths only.
        @inlinable public func isValidAuthenticationCode(_ code: Span<UInt8>, authenticating data: Span<UInt8>) -> Bool
        {
            authenticationCode(for: data).withSpan { constantTimeEquals($0, code) }
        }

        /// Whether the bytes are the whole code of the message; the time taken depends on lengths only.
        @inlinable public func isValidAuthenticationCode(
            _ code: some Collection<UInt8>, authenticating data: some Collection<UInt8>
        )
            -> Bool
        {
            authenticationCode(for: data).withSpan { constantTimeEquals($0, code) }
        }
    }
}
