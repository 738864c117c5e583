import Federation
import Foundation
import Hosting
import Wire

/// The back office of a party at work, as commands of administrators reach it: over the socket in the party's folder,
/// which only its owner can use.
struct Office {
    private let path: String
    private let network: Network

    init(of configuration: Configuration) throws(Failure) {
        guard case .path(let path) = configuration.listening.operating else {
            throw .refused("'admin' in '\(configuration.folder)' has to be the path of a socket")
        }
        var policy = Network.Policy()
        policy.door = path
        policy.time = .seconds(60)
        policy.responseLimit = 64 << 20
        (self.path, network) = (path, Network(policy: policy))
    }

    /// The office of the party in the folder that a command line names.
    init(_ invocation: Invocation, _ console: Console) throws(Failure) {
        try console.meet()
        try self.init(of: try Configuration(in: try invocation.required(Running.folder), from: console))
    }

    /// Whether the party is at work.
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
        let asked = request
        let answer: Result<HTTP.Response, NetworkFailure>? = Waiting.value { [network] in
            do throws(NetworkFailure) {
                return .success(try await network.answer(to: asked))
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
