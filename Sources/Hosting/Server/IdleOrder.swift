/// The sockets without a request, longest first: each step takes the same time, however many there are.
struct IdleOrder {
    private struct Link {
        var before: Int32?
        var after: Int32?
        var isIn = false
    }

    /// By the number of the socket.
    private var links: [Link] = []
    /// The one that waits longest.
    private(set) var first: Int32?
    private var last: Int32?

    /// Puts a socket behind all others, unless it has its place.
    mutating func append(_ socket: Int32) {
        while links.count <= Int(socket) { links.append(Link()) }
        guard !links[Int(socket)].isIn else { return }
        links[Int(socket)] = Link(before: last, isIn: true)
        if let last { links[Int(last)].after = socket } else { first = socket }
        last = socket
    }

    mutating func remove(_ socket: Int32) {
        guard links.indices.contains(Int(socket)), links[Int(socket)].isIn else { return }
        let link = links[Int(socket)]
        if let before = link.before { links[Int(before)].after = link.after } else { first = link.after }
        if let after = link.after { links[Int(after)].before = link.before } else { last = link.before }
        links[Int(socket)] = Link()
    }
}
