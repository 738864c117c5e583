import Hosting
import JOSE
import RSD2
import Wire

extension Running {
    private static let role = Option(
        name: "role", value: "role", abstract: "What the party is.", kind: .choice(["service", "edu-id"]))
    private static let issuer = Option(
        name: "issuer", value: "url", abstract: "The URL under which the party is known, for ever.")
    private static let eduID = Option(
        name: "edu-id", value: "url", abstract: "The edu-ID service whose word about people a service takes.")
    private static let name = Option(name: "name", value: "words", abstract: "What people call a service.")
    private static let protocols = Option(
        name: "protocol", value: "name=link",
        abstract: "A protocol that a service offers, and where it lives below the service.", isRepeated: true)
    private static let listen = Option(
        name: "listen", value: "address",
        abstract: "Where it listens for the web server in front, or 'cgi', by which that starts it for each request.",
        fallback: "loopback:8080")
    private static let neighbour = Option(
        name: "print", value: "what", abstract: "Print what belongs beside the party, and make nothing.",
        kind: .choice(Neighbour.allCases.map(\.rawValue)))

    static let initialize = Command(
        name: "init", abstract: "Make the folder of a party: keys, secrets, configuration, description.",
        arguments: [folder], options: [role, issuer, eduID, name, protocols, listen, neighbour],
        discussion: """
            A service of a federation, with a protocol:

              eduid init moodle --role service --issuer https://moodle.example.edu \\
                --edu-id https://eduid.example.ch --name 'Moodle' --protocol org.moodle.mobile=api
              eduid check moodle
              eduid serve moodle

            Nobody but its owner can read keys and secrets. The configuration, 'eduid.yaml', says
            what each of its lines is for. '--print' writes to standard output what a web server,
            systemd or a container needs for the party in the folder:

              eduid init moodle --print nginx
            """
    ) { (invocation, console) throws(Failure) in
        let folder = try invocation.required(folder)
        try console.meet()
        if let word = invocation[neighbour], let neighbour = Neighbour(rawValue: word) {
            let configuration = try Configuration(in: folder, from: console)
            console.write(try neighbour.text(for: configuration, console))
            return
        }
        guard let word = invocation[role] else { throw .misuse("Missing expected option '--role <role>'") }
        guard let url = invocation[issuer] else { throw .misuse("Missing expected option '--issuer <url>'") }
        guard let base = try? WebURL(parsing: url), let known: Issuer = try? Issuer(parsing: url),
            base.query == nil, base.fragment == nil
        else { throw Invocation.invalid(url, issuer, "expected a URL such as https://moodle.example.edu") }
        guard base.scheme == .https || base.isLoopback else {
            throw Invocation.invalid(url, issuer, "others overhear 'http'; it is for localhost alone")
        }
        let place = invocation[listen] ?? ""
        let address = Address(place)
        guard address != nil || place.spells("cgi") else {
            throw Invocation.invalid(place, listen, "expected loopback:8080, 127.0.0.1:8080, unix:/path or cgi")
        }
        var founded = Founding.Role.eduID
        if word.spells("service") {
            guard let text = invocation[eduID], let trusted: Issuer = try? Issuer(parsing: text) else {
                throw .misuse("A service takes the word of an edu-ID service: '--edu-id <url>'")
            }
            founded = .service(under: trusted, offering: try offered(invocation))
        }
        let founding = Founding(
            issuer: known, role: founded, name: invocation[name] ?? base.host.text, address: address)
        try founding.make(folder, on: &console)
        console.say("'\(folder)' is made. Next: eduid check \(folder)")
    }

    private static func offered(_ invocation: Invocation) throws(Failure) -> [(name: ProtocolName, link: String)] {
        var offered: [(name: ProtocolName, link: String)] = []
        for word in invocation.all(protocols) {
            guard let sign = word.firstIndex(of: "="),
                let name = try? ProtocolName(parsing: String(word[..<sign])), !name.isOAuth2
            else { throw Invocation.invalid(word, protocols, "expected a name, '=', and a path such as 'api'") }
            offered.append((name, String(word[word.index(after: sign)...])))
        }
        return offered
    }
}
