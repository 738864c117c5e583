import Federation
import Foundation
import Hosting
import Wire

/// The back office of a party, as commands of administrators reach it: over the socket in the party's folder, which
/// only its owner can use; or in this process, where the party answers by CGI and none is at work.
struct Office {
    private let answer: (HTTP.Request) throws(Failure) -> HTTP.Response

    /// An office that is asked in any way.
    init(answering answer: @escaping (HTTP.Request) throws(Failure) -> HTTP.Response) { self.answer = answer }

    init(of configuration: Configuration) throws(Failure) {
        guard !configuration.listening.isByCGI else {
            answer = { (request) throws(Failure) in try Self.answer(to: request, in: configuration) }
            return
        }
        guard case .path(let path) = configuration.listening.operating else {
            throw .refused("'admin' in '\(configuration.folder)' has to be the path of a socket")
        }
        var policy = Network.Policy()
        policy.door = path
        policy.time = .seconds(60)
        policy.responseLimit = 64 << 20
        let network = Network(policy: policy)
        answer = { (request) throws(Failure) in try Self.answer(to: request, over: network, at: path) }
    }

    /// The office of the party in the folder that a command line names.
    init(_ invocation: Invocation, _ console: Console) throws(Failure) {
        try console.meet()
        try self.init(of: try Configuration(in: try invocation.required(Running.folder), from: console))
    }

    /// Whether it can be asked.
    var isOpen: Bool { (try? ask(.get, ["health"])) != nil }

    /// Asks for something, and has the answer of a party that did it.
    @discardableResult
    func ask(
        _ method: HTTP.Request.Method, _ place: [String], _ details: [HTTP.Form.Pair] = []
    ) throws(Failure) -> HTTP.Response {
        let response = try send(method, place, details)
        guard !response.status.isSuccess else { return response }
        let told = try? JSON(parsing: response.body)
        let reason = told?["error_description"]?.string ?? told?["reason"]?.string
        switch response.status {
        case .notFound: throw .refused("there is nothing of this name")
        case .serviceUnavailable: throw .refused(reason ?? "the party's store does not answer; see what it writes")
        default: throw .refused(reason ?? "the party answered \(response.status)")
        }
    }

    private func send(
        _ method: HTTP.Request.Method, _ place: [String], _ details: [HTTP.Form.Pair]
    ) throws(Failure) -> HTTP.Response {
        let form = HTTP.Form(details).text
        let isPosted = method == .post
        let text =
            "http://localhost/" + place.map { PercentEncoding.encode($0) }.joined(separator: "/")
            + (isPosted || form.isEmpty ? "" : "?" + form)
        let url = try Failure.refusing("the name", try WebURL(parsing: text))
        var request = HTTP.Request(method, .absolute(url))
        if isPosted {
            request.body = Array(form.utf8)
            try? request.fields.append(.contentType, "application/x-www-form-urlencoded")
        }
        return try answer(request)
    }
}

// MARK: - Ways in

extension Office {
    private static func answer(
        to request: HTTP.Request, over network: Network, at path: String
    ) throws(Failure) -> HTTP.Response {
        let answer: Result<HTTP.Response, NetworkFailure>? = Waiting.value {
            do throws(NetworkFailure) {
                return .success(try await network.answer(to: request))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success(let response)?: return response
        case .failure(let failure)?:
            throw .refused("the party is not at work, or not yours ('\(path)'): \(failure)")
        case nil: throw .refused("the party did not answer")
        }
    }

    /// Opens the party for one request, as its owner alone can: what others made in its folder, the processes of the
    /// web server could not use.
    private static func answer(
        to request: HTTP.Request, in configuration: Configuration
    ) throws(Failure) -> HTTP.Response {
        var status = stat()
        guard stat(configuration.folder, &status) == 0, status.st_uid == geteuid() else {
            throw .refused("'\(configuration.folder)' is another user's, who alone can do this")
        }
        let lines = Lines(upTo: .notice)
        let books = try Books(of: configuration) { lines.write($0, as: $1) }
        let party = try OpenParty(configuration, lasting: false, keeping: books, .system())
        let answer = Waiting.value {
            var request = request
            // As it comes over a socket.
            if case .absolute(let url) = request.target { request.target = .origin(path: url.path, query: url.query) }
            let answer = await party.operate(request)
            await party.close()
            return answer
        }
        guard let answer else { throw .refused("the party did not answer") }
        return answer
    }
}

// MARK: - Lists

extension Office {
    /// All of a list, which comes in parts.
    func list(_ place: [String], _ details: [HTTP.Form.Pair] = []) throws(Failure) -> [JSON.Object] {
        var entries: [JSON.Object] = []
        var last: String?
        repeat {
            let whole = details + [HTTP.Form.Pair("limit", "1000")] + (last.map { [HTTP.Form.Pair("after", $0)] } ?? [])
            let response = try ask(.get, ["admin"] + place, whole)
            guard let array = (try? JSON(parsing: response.body))?.array else {
                throw .refused("the party's answer is no list")
            }
            entries += array.compactMap { $0.object }
            last = response.nextPlace
        } while last != nil
        return entries
    }
}

// MARK: - As lines

extension Console {
    /// Writes a list for people, an entry to a line, or for programs.
    mutating func show(_ entries: [JSON.Object], named name: JSON.Name, _ invocation: Invocation) {
        if invocation.isForPrograms {
            var report = JSON.Object()
            report[name] = .array(entries.map { .object($0) })
            return self.report(report)
        }
        for entry in entries { say(entry.line) }
        if entries.isEmpty { say("none") }
    }
}

extension JSON.Object {
    /// The members on one line: the first as it is, because it is what the entry is called, and the others by name.
    fileprivate var line: String {
        var words: [String] = []
        for member in self {
            let text = Self.text(of: member.value)
            if words.isEmpty {
                words.append(text)
            } else if case .bool(let isTrue) = member.value {
                if isTrue { words.append(member.name.text) }
            } else {
                words.append("\(member.name.text) \(text)")
            }
        }
        return words.joined(separator: "  ")
    }

    /// A value for people, to whom times are no numbers of seconds.
    private static func text(of value: JSON) -> String {
        if let seconds = value.number?.integer(as: Int64.self), (1_000_000_000...99_999_999_999).contains(seconds) {
            return Timestamp(seconds: seconds).description
        }
        return value.string ?? value.encodedString()
    }
}
