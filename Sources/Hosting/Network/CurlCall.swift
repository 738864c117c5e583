#if Curl
internal import CCurl
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import RSD2
internal import Wire

// Requests over TLS, by libcurl: the certificate is checked, and so is the address, before anything is sent.

extension Call {
    /// Sends the request over TLS and waits for the answer.
    func answerOverTLS() throws(NetworkFailure) -> HTTP.Response {
        guard Self.isReady, let handle = curl_easy_init() else { throw .failed(call: "curl_easy_init", code: 0) }
        defer { curl_easy_cleanup(handle) }
        let exchange = CurlExchange(limit: policy.responseLimit, destinations: policy.destinations) { self.isWaitedFor }
        let list = try setFields()
        defer { curl_slist_free_all(list) }
        let code = request.body.withUnsafeBytes { body in
            setWay(of: handle, list)
            setBody(of: handle, body)
            return withExtendedLifetime(exchange) {
                exchange.listen(to: handle)
                return curl_easy_perform(handle)
            }
        }
        if let refusal = exchange.refusal {
            switch refusal {
            case .notPermitted: throw .notPermitted(host: host)
            case .broken(let rule): throw .unreadable(host: host, rule)
            case .cancelled: throw .cancelled
            }
        }
        guard code == CURLE_OK else { throw failure(code) }
        var status = 0
        guard curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK,
            let known = HTTP.Response.Status(status), known.code >= 200
        else { throw .unreadable(host: host, Rule("NET-1", "there is no status of this class")) }
        return HTTP.Response(known, fields: exchange.fields, body: exchange.body)
    }

    /// Whether the library is there, which is asked once for the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Where to, how, and for how long.
    private func setWay(of handle: UnsafeMutableRawPointer, _ fields: UnsafeMutablePointer<curl_slist>?) {
        let left = ContinuousClock.now.duration(to: deadline)
        let milliseconds = max(1, Int(left / .milliseconds(1)))
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_TIMEOUT_MS, milliseconds), (CURLOPT_CONNECTTIMEOUT_MS, milliseconds),
            (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_FRESH_CONNECT, 1), (CURLOPT_FORBID_REUSE, 1),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
        ]
        for (option, value) in numbers { _ = curl_set_number(handle, option, value) }
        // An empty proxy is none, whatever the environment says.
        let texts: [(CURLoption, String)] = [
            (CURLOPT_URL, url.text), (CURLOPT_PROTOCOLS_STR, "https"), (CURLOPT_PROXY, ""),
            (CURLOPT_CUSTOMREQUEST, request.method.text),
        ]
        for (option, value) in texts { _ = curl_set_text(handle, option, value) }
        if let path = policy.authorities {
            _ = curl_set_text(handle, CURLOPT_CAINFO, path)
            // The system's folder would count beside the file.
            _ = curl_set_text(handle, CURLOPT_CAPATH, nil)
        }
        _ = curl_set_object(handle, CURLOPT_HTTPHEADER, fields)
    }

    /// What is sent; the bytes stay where they are until it is.
    private func setBody(of handle: UnsafeMutableRawPointer, _ body: UnsafeRawBufferPointer) {
        if request.method == .head {
            _ = curl_set_number(handle, CURLOPT_NOBODY, 1)
        } else if !body.isEmpty || request.method != .get {
            _ = curl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
            _ = curl_set_object(
                handle, CURLOPT_POSTFIELDS,
                UnsafeMutableRawPointer(mutating: body.baseAddress ?? UnsafeRawPointer(handle)))
        }
    }

    /// The fields as the library takes them.
    private func setFields() throws(NetworkFailure) -> UnsafeMutablePointer<curl_slist>? {
        // What the library would add by itself is not sent.
        var lines = ["Expect:", "Accept:", "User-Agent:", "Connection: close"]
        if request.fields.values(of: .contentType).isEmpty { lines.append("Content-Type:") }
        for field in request.fields where HTTP1.isSent(field) {
            lines.append(field.value.isEmpty ? field.name.text + ";" : field.name.text + ": " + field.value)
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw .failed(call: "curl_slist_append", code: ENOMEM)
            }
            list = longer
        }
        return list
    }

    private func failure(_ code: CURLcode) -> NetworkFailure {
        let words = String(cString: curl_easy_strerror(code))
        return switch code {
        case CURLE_OPERATION_TIMEDOUT: .late(policy.time)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: .unreachable(host: host, words: words)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CONNECT_ERROR:
            .untrusted(host: host, words: words)
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE: .lost(host: host)
        default: .unreadable(host: host, Rule("NET-1", words))
        }
    }
}

/// What is heard while the library is at work, on the thread of the call alone.
private final class CurlExchange {
    private let limit: Int
    private let destinations: Destinations
    private let isWaitedFor: () -> Bool
    private(set) var fields = HTTP.Fields()
    private(set) var body: [UInt8] = []
    private(set) var refusal: Refusal?
    private var headCount = 0

    enum Refusal {
        case notPermitted
        case broken(Rule)
        case cancelled
    }

    init(limit: Int, destinations: Destinations, isWaitedFor: @escaping () -> Bool) {
        (self.limit, self.destinations, self.isWaitedFor) = (limit, destinations, isWaitedFor)
    }

    /// Has the library tell this object what happens; it must outlive that.
    func listen(to handle: UnsafeMutableRawPointer) {
        let place = Unmanaged.passUnretained(self).toOpaque()
        _ = curl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, place in
            CurlExchange.at(place)?.takeBody(bytes, size * count) ?? 0
        }
        _ = curl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, place in
            CurlExchange.at(place)?.takeLine(bytes, size * count) ?? 0
        }
        _ = curl_set_opener(handle) { place, _, address in
            guard let exchange = CurlExchange.at(place), let address else { return CURL_SOCKET_BAD }
            return exchange.open(address)
        }
        _ = curl_set_watcher(handle) { place, _, _, _, _ in CurlExchange.at(place)?.look() ?? 1 }
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_XFERINFODATA] {
            _ = curl_set_object(handle, option, place)
        }
        _ = curl_set_number(handle, CURLOPT_NOPROGRESS, 0)
    }

    private static func at(_ place: UnsafeMutableRawPointer?) -> CurlExchange? {
        place.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// How many bytes were taken; another number ends the call.
    private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard count <= limit - body.count else {
            refusal = .broken(Rule("HTP-24", "the body is too long"))
            return 0
        }
        body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    /// Takes a line of the head, which the library has found; of several heads the last one counts.
    private func takeLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        headCount += count
        guard headCount <= HTTP1.Limits().head else {
            refusal = .broken(Rule("HTP-24", "the head is too long"))
            return 0
        }
        var line = [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
        while let last = line.last, last == 0x0a || last == 0x0d { line.removeLast() }
        if line.starts(with: "HTTP/".utf8) {
            fields = HTTP.Fields()
            return count
        }
        if line.isEmpty { return count }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = try? HTTP.Field.Name(parsing: Array(line[..<colon])),
            let field = try? HTTP.Field(name, line[(colon + 1)...]), (try? fields.append(field)) != nil
        else {
            refusal = .broken(Rule("HTP-10", "the answer has a field that is none"))
            return 0
        }
        return count
    }

    /// Opens a socket for an address that may be asked (NET-5).
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        // The name is the last member, and longer than its type where it says so.
        let name = UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.size - MemoryLayout<sockaddr>.size)
        let length = Int(address.pointee.addrlen)
        var octets: [UInt8] = []
        if address.pointee.family == AF_INET, length >= MemoryLayout<sockaddr_in>.size {
            octets = withUnsafeBytes(of: name.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        } else if address.pointee.family == AF_INET6, length >= MemoryLayout<sockaddr_in6>.size {
            octets = withUnsafeBytes(of: name.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        }
        guard destinations.permits(octets: octets) else {
            refusal = .notPermitted
            return CURL_SOCKET_BAD
        }
        let number = socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        if number >= 0 {
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            // Another address may have been refused before this one.
            refusal = nil
        }
        return number
    }

    /// 0 as long as somebody waits for the answer.
    private func look() -> Int32 {
        if isWaitedFor() { return 0 }
        refusal = .cancelled
        return 1
    }
}
#endif
