/// What a web server tells about a request in variables, whether in the environment of a process (CGI, RFC 3875) or
/// over a connection (SCGI).
package enum CGI {
    /// Reads a request from the environment of a process, and how many bytes of its body are on standard input
    /// (CGI-1).
    ///
    /// - Parameter environment: `NAME=value` each, as the system gives them.
    package static func request(
        from environment: [[UInt8]], limits: HTTP1.Limits = HTTP1.Limits()
    ) throws(HTTP1.Refusal) -> (head: HTTP1.Head, bodyLength: Int) {
        var block: [UInt8] = []
        for entry in environment {
            guard let end = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            for part in [entry[..<end], entry[end...].dropFirst()] {
                block.append(contentsOf: part)
                block.append(0)
            }
            guard block.count <= limits.head else {
                throw HTTP1.Refusal("SCG-10", "the variables are too long", .fieldsTooLarge)
            }
        }
        let variables = try Variables(block, limits)
        guard variables["GATEWAY_INTERFACE"]?.elementsEqual("CGI/1.1".utf8) ?? false,
            variables["SERVER_PROTOCOL"]?.starts(with: "HTTP/".utf8) ?? false
        else {
            throw HTTP1.Refusal("CGI-2", "no web server started this program by CGI/1.1")
        }
        let length = try variables.bodyLength(limits)
        return (try variables.head(), length)
    }
}
