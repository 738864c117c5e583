internal import Synchronization
internal import Wire

/// What other threads tell the one that reads and writes.
final class Mailbox: Sendable {
    enum Post: Sendable {
        /// What was found for the request of a connection.
        case answer(UInt64, HTTP.Response)
        /// The same where nobody looked for it.
        case ownAnswer(UInt64, HTTP.Response)
        /// Nothing new is to begin.
        case drain
        /// Everything is to end now.
        case stop
    }

    private let posts = Mutex<[Post]>([])
    private let wake: Pipe

    init() throws(HostingFailure) { wake = try Pipe() }

    /// What becomes ready to be read when there is something.
    var socket: Int32 { wake.end.number }

    func post(_ post: Post) {
        let isFirst = posts.withLock { posts in
            posts.append(post)
            return posts.count == 1
        }
        if isFirst { wake.signal() }
    }

    func take() -> [Post] {
        wake.clear()
        return posts.withLock { posts in
            defer { posts = [] }
            return posts
        }
    }
}
