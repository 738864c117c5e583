// What the inlinable cursors call. None of these functions lets go of anything that it did not make itself, and each is
// marked so: then a caller in another module that holds a document needs no counting of references at every access,
// which was a quarter of the time it took to read a token's claims.

extension Tape {
    @_effects(releasenone)
    @usableFromInline
    func kind(at index: Int) -> JSON.Kind { self[index].form.kind }

    @_effects(releasenone)
    @usableFromInline
    func count(at index: Int) -> Int { self[index].count }

    /// The index after a value and all that it contains.
    @_effects(releasenone)
    @usableFromInline
    func end(of index: Int) -> Int { Int(self[index].link) }

    @_effects(releasenone)
    @usableFromInline
    func require(_ kind: JSON.Kind, at index: Int) throws(JSON.Rejection) {
        guard self[index].form.kind == kind else { throw mismatch(at: index, expected: kind) }
    }

    @_effects(releasenone)
    @usableFromInline
    func bool(at index: Int) throws(JSON.Rejection) -> Bool {
        switch self[index].form {
        case .true: return true
        case .false: return false
        default: throw mismatch(at: index, expected: .bool)
        }
    }

    @_effects(releasenone)
    @usableFromInline
    func string(at index: Int) throws(JSON.Rejection) -> String {
        let node = self[index]
        guard node.form.isString else { throw mismatch(at: index, expected: .string) }
        return string(node)
    }

    @_effects(releasenone)
    @usableFromInline
    func isString(_ text: String, at index: Int) -> Bool {
        let node = self[index]
        guard node.form.isString else { return false }
        return text.withBytes { hasContent(node, $0) }
    }

    @_effects(releasenone)
    @usableFromInline
    func isPlainText(at index: Int, upTo limit: Int) -> Bool {
        let node = self[index]
        let count = Int(node.end &- node.start) &- 2
        guard node.form == .asciiString, 0 < count, count <= limit else { return false }
        // The scanner lets no control character stand in a string.
        return withSource(node) { source in source.allSatisfy { $0 < 0x7f } }
    }

    @_effects(releasenone)
    @usableFromInline
    func number(at index: Int) throws(JSON.Rejection) -> JSON.Number {
        let node = self[index]
        guard node.form.isNumber else { throw mismatch(at: index, expected: .number) }
        return withSource(node) { JSON.Number(valid: String(decoding: $0, as: UTF8.self)) }
    }

    @_effects(releasenone)
    @usableFromInline
    func signAndMagnitude(at index: Int) throws(JSON.Rejection) -> (isNegative: Bool, magnitude: UInt64) {
        let node = self[index]
        guard node.form.isNumber else { throw mismatch(at: index, expected: .number) }
        switch withSource(node, JSON.Number.Whole.init) {
        case .value(let isNegative, let magnitude): return (isNegative, magnitude)
        case .fraction: throw .fraction(at: path(to: index))
        case .tooLarge: throw .outOfRange(at: path(to: index))
        }
    }

    /// The text of a name, whose node the index must be.
    @_effects(releasenone)
    @usableFromInline
    func name(at index: Int) -> String { string(self[index]) }

    /// The index of the value with this name in an object, found by walking: linear, with short steps thanks to the
    /// fingerprints.
    @_effects(releasenone)
    @usableFromInline
    func value(named name: JSON.Name, in object: Int) -> Int? {
        name.text.withBytes { value(named: $0, in: object) }
    }

    @inline(__always)
    private func value(named name: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        let count = name.count
        guard let start = name.baseAddress, 0 < count, count < 8 else {
            let fingerprint = Names.fingerprint(name)
            return firstMember(of: object, fingerprint) { isName($0, name) }
        }
        // The bytes that the fingerprint is made of are those to compare, beside the same number of the text.
        let word = Bytes.shortWord(start, count: count)
        let mask = ~0 &>> UInt64(truncatingIfNeeded: 64 &- 8 &* count)
        return firstMember(of: object, Names.fingerprint(word: word, count: count)) { index in
            withMemory { nodes, text in
                let node = nodes[index]
                if node.form == .escapedString { return isName(index, name) }
                // Bound: the quote before the name, and padding behind the text, let eight bytes be read.
                return Int(node.end &- node.start) == count &+ 2
                    && Bytes.word(text + (Int(node.start) &+ 1)) & mask == word
            }
        }
    }

    /// The value of the first member with this fingerprint whose name is the one that is looked for.
    @inline(__always)
    private func firstMember(of object: Int, _ fingerprint: UInt32, _ isWanted: (Int) -> Bool) -> Int? {
        withMemory { nodes, _ in
            var member = object &+ 1
            let end = Int(nodes[object].link)
            if end &- member == 2 &* nodes[object].count {
                // Every value is one node: the next step need not wait for what this one reads.
                while member < end {
                    if nodes[member].link == fingerprint, isWanted(member) { return member &+ 1 }
                    member &+= 2
                }
                return nil
            }
            while member < end {
                if nodes[member].link == fingerprint, isWanted(member) { return member &+ 1 }
                member = Int(nodes[member &+ 1].link)
            }
            return nil
        }
    }

    /// Whether the bytes are those of a name; not inlined, to keep the walk short.
    @inline(never)
    private func isName(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        hasContent(self[index], bytes)
    }
}

// MARK: - Rejections

extension Tape {
    @inline(never)
    func mismatch(at index: Int, expected: JSON.Kind) -> JSON.Rejection {
        .mismatch(at: path(to: index), expected: expected, found: self[index].form.kind)
    }

    @usableFromInline
    func missing(_ name: JSON.Name, in object: Int) -> JSON.Rejection {
        .missing(at: path(to: object).member(name))
    }

    /// The path from the root to a value: descends into the containers that hold its index.
    @usableFromInline
    func path(to index: Int) -> JSON.Path {
        var path = JSON.Path.root
        var container = root
        while container != index {
            let isObject = self[container].form == .object
            var child = container + 1
            var position = 0
            while true {
                let value = isObject ? child + 1 : child
                let end = end(of: value)
                if index < end {
                    path = isObject ? path.member(JSON.Name(string(self[child]))) : path.element(position)
                    container = value
                    break
                }
                child = end
                position += 1
            }
        }
        return path
    }
}
