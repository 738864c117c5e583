public import Wire

/// The name of a record: the `jti` of what was issued, and the issuer's `kid` of what is bound to a key.
///
/// It leads to the record and proves nothing; unguessable names are the issuer's part, secrets never serve as names.
public struct TokenID: Identifier {
    /// The checked text.
    public let spelling: Spelling<TokenID>

    /// Takes a checked text.
    public init(_ spelling: Spelling<TokenID>) {
        self.spelling = spelling
    }
}

extension Record {
    /// Who may present what was issued: a version key's `kid`, an instance's UUID, a third-party app's bundle id.
    public struct Holder: Identifier {
        /// The checked text.
        public let spelling: Spelling<Holder>

        /// Takes a checked text.
        public init(_ spelling: Spelling<Holder>) {
            self.spelling = spelling
        }
    }

    /// Whom it speaks for: the user, as this store's issuer names him or her.
    public struct Subject: Identifier {
        /// The checked text.
        public let spelling: Spelling<Subject>

        /// Takes a checked text.
        public init(_ spelling: Spelling<Subject>) {
            self.spelling = spelling
        }
    }

    /// Where it is meant to be presented: one service.
    public struct Audience: Identifier {
        /// The checked text.
        public let spelling: Spelling<Audience>

        /// Takes a checked text.
        public init(_ spelling: Spelling<Audience>) {
            self.spelling = spelling
        }
    }

    /// What it allows, in the words of the role that issued it; the tree keeps the text and reads no meaning into it.
    public struct Scope: Identifier {
        /// Enough for many endpoint URLs.
        public static var lengthLimit: Int { 16_384 }

        /// The checked text.
        public let spelling: Spelling<Scope>

        /// Takes a checked text.
        public init(_ spelling: Spelling<Scope>) {
            self.spelling = spelling
        }
    }

    /// The key whose possession must be proved along with it: a public JWK or its thumbprint, opaque to the tree.
    public struct BoundKey: Identifier {
        /// Enough for the JWK of a large RSA key.
        public static var lengthLimit: Int { 16_384 }

        /// The checked text.
        public let spelling: Spelling<BoundKey>

        /// Takes a checked text.
        public init(_ spelling: Spelling<BoundKey>) {
            self.spelling = spelling
        }
    }
}
