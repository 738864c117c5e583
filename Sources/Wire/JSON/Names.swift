/// The distinctness of an object's member names, compared with their escapes resolved, as bytes.
enum Names {
    /// The count of members up to which names with the same fingerprint are looked for by walking back.
    private static let walkable = 64

    /// The fingerprint of a name's resolved bytes; different names may share one, so it only saves comparisons.
    @inline(__always)
    static func fingerprint(_ name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        guard let bytes = name.baseAddress else { return fingerprint(word: 0, count: 0) }
        guard name.count < 8 else { return fingerprint(long: bytes, count: name.count) }
        return fingerprint(word: Bytes.shortWord(bytes, count: name.count), count: name.count)
    }

    /// The fingerprint of a name of at least eight bytes: of the first eight, eight in the middle, and the last eight.
    @inline(__always)
    static func fingerprint(long bytes: UnsafePointer<UInt8>, count: Int) -> UInt32 {
        let tail = count &- 8
        let inner = Bytes.word(bytes + tail >> 1) &* 0xff51_afd7_ed55_8ccd ^ Bytes.word(bytes + tail)
        return fingerprint(word: Bytes.word(bytes) ^ inner &* 0xc2b2_ae3d_27d4_eb4f, count: count)
    }

    /// The fingerprint of a name of less than eight bytes, which the word holds below zeros.
    @inline(__always)
    static func fingerprint(word: UInt64, count: Int) -> UInt32 {
        let mixed = (word ^ UInt64(truncatingIfNeeded: count)) &* 0x9e37_79b9_7f4a_7c15
        return UInt32(truncatingIfNeeded: mixed >> 32)
    }

    /// The fingerprint of a name with escapes.
    @inline(never)
    static func fingerprint(resolving content: UnsafeBufferPointer<UInt8>) -> UInt32 {
        resolved(content).withUnsafeBufferPointer { fingerprint($0) }
    }

    private static func resolved(_ content: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: content.count) { $1 = Escapes.resolve(content, into: $0) }
    }

    /// The node of the first name in an object that occurred before it, if there is one.
    ///
    /// All nodes within the object are written, and every container among them is closed.
    @inline(never)
    static func firstDuplicate(
        of object: Int, members: Int, _ nodes: UnsafeMutablePointer<Tape.Slot>, _ text: UnsafePointer<UInt8>
    ) -> Int? {
        if members <= walkable, !hasLikeFingerprints(object, members: members, nodes) { return nil }
        return firstDuplicateBySorting(of: object, members: members, nodes, text)
    }

    /// Whether two names of an object share a fingerprint, as duplicates do and other names seldom.
    ///
    /// Marks each in a table of 512 bits, and walks back only where the mark was there before.
    @inline(__always)
    private static func hasLikeFingerprints(_ object: Int, members: Int, _ nodes: UnsafeMutablePointer<Tape.Slot>)
        -> Bool
    {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 8) { marks in
            marks.initialize(repeating: 0)
            var name = object &+ 1
            for _ in 0..<members {
                let print = nodes[name].link
                let slot = Int(print >> 29)  // the upper three bits, so below 8
                let mark = 1 as UInt64 &<< UInt64(print)
                if marks[slot] & mark != 0, isLikeEarlier(name, in: object, nodes) { return true }
                marks[slot] |= mark
                name = following(name, nodes)
            }
            return false
        }
    }

    @inline(never)
    private static func isLikeEarlier(_ name: Int, in object: Int, _ nodes: UnsafeMutablePointer<Tape.Slot>) -> Bool {
        let print = nodes[name].link
        var earlier = object &+ 1
        while earlier < name {
            if nodes[earlier].link == print { return true }
            earlier = following(earlier, nodes)
        }
        return false
    }

    /// Sorts fingerprints, and puts names whose fingerprints agree into a set: n log n whatever the names are, so
    /// nothing can be gained by choosing names that collide.
    @inline(never)
    private static func firstDuplicateBySorting(
        of object: Int, members: Int, _ nodes: UnsafeMutablePointer<Tape.Slot>, _ text: UnsafePointer<UInt8>
    ) -> Int? {
        var keys: [UInt64] = []
        keys.reserveCapacity(members)
        var name = object + 1
        for _ in 0..<members {
            keys.append(UInt64(nodes[name].link) << 32 | UInt64(truncatingIfNeeded: name))
            name = following(name, nodes)
        }
        keys.sort()

        var duplicate: Int?
        var first = 0
        while first < keys.count {
            var end = first + 1
            while end < keys.count, keys[end] >> 32 == keys[first] >> 32 { end += 1 }
            if end - first > 1, let found = firstDuplicate(among: keys[first..<end], nodes, text) {
                duplicate = min(found, duplicate ?? found)
            }
            first = end
        }
        return duplicate
    }

    private static func firstDuplicate(
        among keys: ArraySlice<UInt64>, _ nodes: UnsafeMutablePointer<Tape.Slot>, _ text: UnsafePointer<UInt8>
    ) -> Int? {
        // A set seeds its hashes, so names that were chosen to collide here do not in it.
        var seen: Set<JSON.Name> = []
        return keys.lazy.map { Int(truncatingIfNeeded: $0 & 0xffff_ffff) }.first { name in
            !seen.insert(JSON.Name(Tape.string(nodes[name], text))).inserted
        }
    }

    /// The node of the name after a member.
    @inline(__always)
    private static func following(_ name: Int, _ nodes: UnsafeMutablePointer<Tape.Slot>) -> Int {
        Int(nodes[name &+ 1].link)
    }
}
