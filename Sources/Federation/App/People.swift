public import NAIL
public import OAuth2Grants
public import PureCrypto
public import Wire

extension AuthorizingApp {
    /// The people who share a device (USR-1): there is one app on it (FED-1), and each person has an instance of it
    /// with a UUID, a key and a store of its own.
    ///
    /// The host keeps this list, and under each instance's name the installation's key in the key chain and the store
    /// in a place of its own, sealed with ``seal(of:under:using:)``. To switch is to begin a ``Session`` with another
    /// person's installation and store: nothing is lost, and nothing of one is visible to the other.
    public struct People: Sendable, Equatable {
        /// One of them.
        public struct Person: Sendable, Equatable, CustomStringConvertible {
            /// The person's instance.
            public let instance: ClientID
            /// What the others call the person, to pick him or her from the list; chosen on the device, and told to
            /// nobody.
            public let name: String

            /// Names the instance only.
            public var description: String { "Person(\(instance))" }

            /// Whether both are the same, the names byte for byte.
            public static func == (one: Person, other: Person) -> Bool {
                one.instance == other.instance && one.name.utf8.elementsEqual(other.name.utf8)
            }
        }

        /// All of them, in the order in which they came.
        public private(set) var everybody: [Person] = []
        /// Who uses the app now.
        public private(set) var current: ClientID?

        /// The most people of a device.
        static let limit = 64
        /// The most bytes of a name.
        static let nameLimit = 200

        /// Nobody yet.
        public init() {}

        /// Adds a person with a new installation, who uses the app from now on.
        public mutating func add(_ installation: Installation, named name: String) throws(Rejection) {
            try add(Person(instance: installation.instance, name: name))
            current = installation.instance
        }

        private mutating func add(_ person: Person) throws(Rejection) {
            let length = person.name.utf8.count
            guard length <= Self.nameLimit else { throw .fieldTooLong(length: length, limit: Self.nameLimit) }
            guard everybody.count < Self.limit else { throw .tooManyRows(limit: Self.limit) }
            guard !everybody.contains(where: { $0.instance == person.instance }) else {
                throw .repeatedInstance(person.instance)
            }
            everybody.append(person)
        }

        /// Lets another person use the app.
        public mutating func turn(to instance: ClientID) throws(Rejection) {
            guard everybody.contains(where: { $0.instance == instance }) else { throw .unknownInstance(instance) }
            current = instance
        }

        /// Removes a person, whose key and store the host forgets then.
        ///
        /// A session that can still be used, or an ending that nobody has confirmed, would lose the only key that can
        /// end it: who is to be removed signs out before, and the endings are told.
        public mutating func remove(_ session: Session) throws(Rejection) {
            let instance = session.installation.instance
            guard everybody.contains(where: { $0.instance == instance }) else { throw .unknownInstance(instance) }
            guard !session.isSignedIn, session.endings.isEmpty else { throw .unconfirmedEnd }
            everybody.removeAll { $0.instance == instance }
            if current == instance { current = everybody.first?.instance }
        }

        /// The seal of one person's store: what it seals opens with no other person's.
        public static func seal(
            of instance: ClientID, under key: SymmetricKey, using entropy: @escaping @Sendable () -> UInt64
        ) -> Seal {
            Seal(key, for: "person \(instance.text)", using: entropy)
        }
    }
}

// MARK: - The form in which it is kept

extension AuthorizingApp.People {
    private static let form = SealedText(name: "people", version: 1)
    private static let limits = JSON.Limits(size: 1 << 20, depth: 4)

    /// The whole list as a sealed text from which it can be restored.
    public func serialized(sealing seal: Seal) -> String {
        let content = JSON.encodedObject { object in
            object.member("current", ifPresent: current?.text)
            object.array("people") { array in
                for person in everybody {
                    array.object { object in
                        object.member("instance", person.instance.text)
                        object.member("name", person.name)
                    }
                }
            }
        }
        return Self.form.text(of: content, sealing: seal)
    }

    /// Restores a list from the text that ``serialized(sealing:)`` gave, wholly or not at all (threat 49).
    public init(parsing text: String, opening seal: Seal) throws(Rejection) {
        self.init()
        let content = try Self.form.content(of: text, opening: seal, Self.limits)
        let members = try wrapping(
            Rejection.json, try JSON.Document(parsing: content, limits: Self.limits).root.object())
        try members.refuse(allBut: ["current", "people"])
        for element in try wrapping(Rejection.json, try members["people"].array()) {
            let row = try wrapping(Rejection.json, try element.object())
            try row.refuse(allBut: ["instance", "name"])
            let name = try wrapping(Rejection.json, try row["name"].string())
            try add(Person(instance: row.field("instance", Rejection.syntax, ClientID.init(parsing:)), name: name))
        }
        guard members.contains("current") else { return }
        try turn(to: members.field("current", Rejection.syntax, ClientID.init(parsing:)))
    }
}
