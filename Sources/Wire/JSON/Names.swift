/// The distinctness of an object's member names, compared with their escapes resolved, as bytes.
enum Names {
    /// The count of members up to which every pair of fingerprints is compared.
    private static let comparable = 64

    /// The fingerprint of a name; different names may share one, so it only saves comparisons.
    @inline(__always)
    static func fingerprint(_ isPlain: Bool, _ content: UnsafePointer<UInt8>, count: Int) -> UInt32 {
        isPlain ? fingerprint(content, count: count) : fingerprint(resolving: content, count: count)
    }

    /// The fingerprint of a name in plain bytes: of its length, its first eight and its last eight bytes.
    @inline(__always)
    static func fingerprint(_ bytes: UnsafePointer<UInt8>, count: Int) -> UInt32 {
        let first: UInt64
        var last = UInt64(truncatingIfNeeded: count)
        if count < 8 {
            first = Bytes.shortWord(bytes, count: count)
        } else {
            first = Bytes.word(bytes)
            last ^= Bytes.word(bytes + (count - 8)) &* 0x9e37_79b9_7f4a_7c15
        }
        return UInt32(truncatingIfNeeded: ((first ^ last) &* 0xff51_afd7_ed55_8ccd) >> 32)
    }

    @inline(never)
    private static func fingerprint(resolving content: UnsafePointer<UInt8>, count: Int) -> UInt32 {
        let bytes = resolved(UnsafeBufferPointer(start: content, count: count))
        return bytes.withUnsafeBufferPointer { fingerprint($0.baseAddress ?? content, count: $0.count) }
    }

    private static func resolved(_ content: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: content.count) { $1 = Escapes.resolve(content, into: $0) }
    }

    /// The node of the first name in an object that occurred before it, if there is one.
    ///
    /// All nodes within the object are written, and every container among them is closed.
    @inline(__always)
    static func firstDuplicate(
        of object: Int, members: Int, nodes: UnsafeMutablePointer<Tape.Node>, text: UnsafePointer<UInt8>
    ) -> Int? {
        members <= comparable
            ? firstDuplicateByPairs(of: object, members: members, nodes: nodes, text: text)
            : firstDuplicateBySorting(of: object, members: members, nodes: nodes, text: text)
    }

    private static func firstDuplicateByPairs(
        of object: Int, members: Int, nodes: UnsafeMutablePointer<Tape.Node>, text: UnsafePointer<UInt8>
    ) -> Int? {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: comparable) { prints in
            var name = object + 1
            for position in 0..<members {
                let print = nodes[name].link
                var isKnown = false
                for earlier in 0..<position where prints[earlier] == print { isKnown = true }
                prints[position] = print
                if isKnown, occurredBefore(name, in: object, nodes: nodes, text: text) { return name }
                name = following(name, nodes)
            }
            return nil
        }
    }

    @inline(never)
    private static func occurredBefore(
        _ name: Int, in object: Int, nodes: UnsafeMutablePointer<Tape.Node>, text: UnsafePointer<UInt8>
    ) -> Bool {
        var earlier = object + 1
        while earlier < name {
            if nodes[earlier].link == nodes[name].link,
                bytes(of: nodes[earlier], text).elementsEqual(bytes(of: nodes[name], text))
            {
                return true
            }
            earlier = following(earlier, nodes)
        }
        return false
    }

    /// Sorts fingerprints, then the bytes of names whose fingerprints agree: n log n whatever the names are, so nothing can
    /// be gained by choosing names that collide.
    @inline(never)
    private static func firstDuplicateBySorting(
        of object: Int, members: Int, nodes: UnsafeMutablePointer<Tape.Node>, text: UnsafePointer<UInt8>
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
            if end - first > 1, let found = firstDuplicate(among: keys[first..<end], nodes: nodes, text: text) {
                duplicate = min(found, duplicate ?? found)
            }
            first = end
        }
        return duplicate
    }

    private static func firstDuplicate(
        among keys: ArraySlice<UInt64>, nodes: UnsafeMutablePointer<Tape.Node>, text: UnsafePointer<UInt8>
    ) -> Int? {
        var names = keys.map { key in
            let name = Int(truncatingIfNeeded: key & 0xffff_ffff)
            return (index: name, bytes: bytes(of: nodes[name], text))
        }
        names.sort { left, right in
            left.bytes.withUnsafeBufferPointer { first in
                right.bytes.withUnsafeBufferPointer { second in
                    if Bytes.precedes(first, second) { return true }
                    return !Bytes.precedes(second, first) && left.index < right.index
                }
            }
        }
        var duplicate: Int?
        for (earlier, later) in zip(names, names.dropFirst()) where earlier.bytes == later.bytes {
            duplicate = min(later.index, duplicate ?? later.index)
        }
        return duplicate
    }

    /// The resolved bytes of a name.
    private static func bytes(of name: Tape.Node, _ text: UnsafePointer<UInt8>) -> [UInt8] {
        let content = UnsafeBufferPointer(start: text + Int(name.start) + 1, count: Int(name.end) - Int(name.start) - 2)
        return name.form == .plainString ? [UInt8](content) : resolved(content)
    }

    /// The node of the name after a member.
    @inline(__always)
    private static func following(_ name: Int, _ nodes: UnsafeMutablePointer<Tape.Node>) -> Int {
        let value = nodes[name + 1]
        return value.form.isContainer ? Int(value.link) : name + 2
    }
}
