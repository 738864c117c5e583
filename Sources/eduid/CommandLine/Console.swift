import FederationTesting
import VectorCatalogue
import Wire

/// Everything of the world that a command meets: its streams, the files, the clock and chance.
///
/// Tests hand in another world.
struct Console {
    /// How a file that is written is protected.
    enum Protection {
        /// Everybody may read it.
        case shared
        /// Its owner alone may read it.
        case secret
    }

    /// How a line looks where colours are wanted.
    enum Style: String {
        case plain = ""
        case good = "32"
        case bad = "31"
        case strong = "1"
    }

    /// The bytes of a file, or of standard input for `-`, if they are no more than the limit.
    let load: (_ path: String, _ limit: Int) throws(Failure) -> [UInt8]
    /// Makes a file, or replaces it where that is allowed.
    let store: (_ bytes: [UInt8], _ path: String, _ protection: Protection, _ replaces: Bool) throws(Failure) -> Void
    /// Appends to standard output and says whether that can go on.
    let output: ([UInt8]) -> Bool
    /// Appends to standard error.
    let errors: ([UInt8]) -> Void
    let now: Timestamp
    var entropy: any RandomNumberGenerator
    /// Whether standard output, and standard error, show colours.
    let colours: (output: Bool, errors: Bool)
    /// Starts another program by a line of the shell.
    var start: (_ line: String) throws(Failure) -> Peer = { _ throws(Failure) in
        throw .refused("no other program can be started here")
    }
    /// Lets the program meet other processes at local sockets, and keep a state of its own.
    var meet: () throws(Failure) -> Void = { () throws(Failure) in
        throw .refused("no other process can be met here")
    }
    /// Makes all conformance vectors, which takes a while.
    var catalogue: () throws(Failure) -> Catalogue = { () throws(Failure) in
        throw .refused("no vectors can be made here")
    }
    /// Waits until the person wants to go on.
    var pause: () -> Void = {}
    /// Sets up a federation to simulate; histories take long.
    var simulation: (FederationSimulation.Size) throws(Failure) -> FederationSimulation = { _ throws(Failure) in
        throw .refused("no federation is simulated here")
    }
    /// Whether something could not be written to standard output.
    private(set) var isBroken = false
}

extension Console {
    /// The bytes of a file, or of standard input for `-`: a key, a token or a document, which the libraries bound more
    /// tightly still.
    func read(_ path: String, limit: Int = 4 << 20) throws(Failure) -> [UInt8] { try load(path, limit) }

    /// What a file is called in messages.
    static func name(of path: String) -> String { path.spells("-") ? "standard input" : "'\(path)'" }
}

// MARK: - Saying

extension Console {
    /// Writes bytes as they are: documents, keys and tokens.
    mutating func write(_ bytes: [UInt8]) {
        if !isBroken, !output(bytes) { isBroken = true }
    }

    /// Writes text of the program's own as it is.
    mutating func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes a line for people, in which nothing from outside can steer the terminal.
    mutating func say(_ line: String = "", as style: Style = .plain) {
        write(Self.styled(line, style, colours.output) + "\n")
    }

    /// Writes JSON for programs, on one line, in ASCII where other characters could steer a terminal.
    mutating func report(_ object: JSON.Object) {
        say(JSON.object(object).encodedString())
    }

    /// Writes a line to standard error.
    func complain(_ line: String, as style: Style = .plain) {
        errors(Array((Self.styled(line, style, colours.errors) + "\n").utf8))
    }

    private static func styled(_ line: String, _ style: Style, _ isColoured: Bool) -> String {
        let text = harmless(line)
        guard isColoured, style != .plain, !text.isEmpty else { return text }
        return "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m"
    }

    /// The text with control and direction characters written as JSON escapes, which leaves JSON the same JSON.
    ///
    /// Tokens and documents come from strangers: an escape sequence in one could forge the lines around it.
    static func harmless(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0a: output.append(scalar)
            case 0..<0x20, 0x7f..<0xa0, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                output.append(
                    contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
            default: output.append(scalar)
            }
        }
        return String(output)
    }
}

extension JSON {
    /// The value on several lines, for people.
    var legible: String {
        let text = encodedString(.indented)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
