extension JSON {
    /// An object's members, in order and with distinct names: an object that exists has no duplicates.
    ///
    /// Names are compared as bytes. Objects with the same members in another order are not equal, because they are
    /// not written alike.
    public struct Object: Sendable, RandomAccessCollection, Hashable, ExpressibleByDictionaryLiteral {
        /// A name and its value.
        public struct Member: Sendable, Hashable {
            /// The name.
            public let name: Name
            /// The value.
            public internal(set) var value: JSON

            /// Pairs a name with a value.
            package init(name: Name, value: JSON) {
                self.name = name
                self.value = value
            }
        }

        /// The members, in order.
        package private(set) var members: [Member]

        /// The positions of all names in a large object that was built member by member, which stays linear thereby;
        /// else empty.
        ///
        /// `Dictionary` seeds its hashes, so chosen names do not pile up in it.
        private var positions: [Name: Int] = [:]

        /// The count of members up to which a name is looked for by walking.
        private static let walkable = 16

        /// An object without members.
        public init() {
            members = []
        }

        /// An object with these members; of two with the same name the last value wins, at the place of the first.
        public init(_ members: some Sequence<(Name, JSON)>) {
            self.init()
            for (name, value) in members { self[name] = value }
        }

        /// Trusts the caller that all names are distinct, as a document's are.
        init(distinct members: [Member]) {
            self.members = members
        }

        /// The value of the member with exactly these name bytes; setting replaces it in place or appends it, `nil`
        /// removes it.
        public subscript(name: Name) -> JSON? {
            get {
                position(of: name).map { members[$0].value }
            }
            set {
                if members.count > Self.walkable, positions.isEmpty { indexAll() }
                switch (position(of: name), newValue) {
                case (let position?, let value?):
                    members[position].value = value
                case (let position?, nil):
                    members.remove(at: position)
                    positions = [:]
                case (nil, let value?):
                    if !positions.isEmpty { positions[name] = members.count }
                    members.append(Member(name: name, value: value))
                case (nil, nil):
                    break
                }
            }
        }

        private func position(of name: Name) -> Int? {
            positions.isEmpty ? members.firstIndex { $0.name == name } : positions[name]
        }

        private mutating func indexAll() {
            positions.reserveCapacity(members.count + 1)
            for (position, member) in members.enumerated() { positions[member.name] = position }
        }
    }
}

extension JSON.Object {
    /// The position of the first member.
    public var startIndex: Int { 0 }

    /// The position after the last member.
    public var endIndex: Int { members.count }

    /// The member at a position.
    public subscript(position: Int) -> Member { members[position] }
}

extension JSON.Object {
    /// Whether both have the same members in the same order.
    public static func == (left: JSON.Object, right: JSON.Object) -> Bool {
        left.members == right.members
    }

    /// Feeds the members.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}

extension JSON.Object {
    /// An object with these members; of two with the same name the last value wins, at the place of the first.
    public init(dictionaryLiteral members: (JSON.Name, JSON)...) {
        self.init(members)
    }
}
