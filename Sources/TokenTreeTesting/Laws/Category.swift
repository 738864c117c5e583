internal import TokenTree
internal import Wire

extension Conformance {
    /// What laws are about, so that a store that is weaker on purpose can say what it does not promise.
    ///
    /// What can be issued, revoked, redeemed and renewed, by whom and on what, is the tree: nothing is excepted from
    /// that.
    public enum Category: Sendable, Hashable, CaseIterable {
        /// What was committed is there after a restart. Without it, laws are played without restarts.
        case durability
        /// Lists, page by page. Without it, laws are played without a look at them.
        case lists
        /// Keys are remembered so that what they stand for does not pass again.
        case replays
        /// Messages are kept until they are settled.
        case messages
        /// The uses of services.
        case uses
        /// People are forgotten.
        case erasure
        /// Names are locked out.
        case locks
        /// What is dead and past any use is removed.
        case purge
        /// Names are compared as bytes, and what was written comes back as it was.
        case bytes
        /// Two connections, or two tasks, write at the same time.
        case races
    }
}

extension Law {
    /// What of the law is left for a store that does not promise some categories; `nil` if nothing is.
    ///
    /// Moves that change nothing are left out. A change that is not promised takes its law with it, because what
    /// follows rests on it.
    func part(except categories: Set<Conformance.Category>) -> Law? {
        guard !categories.contains(where: { self.category == $0 }) else { return nil }
        var moves: [Move] = []
        for move in script {
            guard categories.isDisjoint(with: move.categories) else {
                switch move {
                case .ask, .check, .restart: continue
                case .commit, .purge: return nil
                }
            }
            moves.append(move)
        }
        return Law(name, clause, moves, category)
    }
}

extension Law.Move {
    fileprivate var categories: Set<Conformance.Category> {
        switch self {
        case .commit(let batch, _): batch.categories
        case .ask(let keys, _): Set(keys.compactMap(\.category))
        case .check: []
        case .purge: [.purge]
        case .restart: [.durability]
        }
    }
}

extension Batch {
    var categories: Set<Conformance.Category> { Set(changes.compactMap(\.category)) }
}

extension Change {
    fileprivate var category: Conformance.Category? {
        switch self {
        case .insert(let record): record.kind == .lock ? .locks : nil
        case .revoke, .consume, .rotate, .reground, .describe, .confirm, .touch: nil
        case .visit, .leave: .uses
        case .forget: .erasure
        case .remember: .replays
        case .enqueue, .attempt, .settle: .messages
        }
    }
}

extension Facts.Key {
    var category: Conformance.Category? {
        switch self {
        case .record: nil
        case .holder(let kind, _): kind == .lock ? .locks : nil
        case .replay: .replays
        case .services: .uses
        case .message, .outgoing: .messages
        case .records: .lists
        }
    }
}
