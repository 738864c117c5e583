/// A run of tokens that the libraries may not contain.
struct Forbidden {
    /// The name under which an exception can be granted.
    var rule: String
    var tokens: [String]

    init(_ rule: String, _ tokens: String...) {
        self.rule = rule
        self.tokens = tokens
    }

    /// `print(` for the tokens `print` and `(`.
    var spelling: String { tokens.joined() }

    /// Time and chance are arguments; nothing is read from or written to the surroundings; nothing waits; nothing traps
    /// on input; no hash is broken.
    static let inLibraries: [Forbidden] = [
        Forbidden("clock", "Date", "("), Forbidden("clock", "ContinuousClock"), Forbidden("clock", "SuspendingClock"),
        Forbidden("clock", "DispatchTime"), Forbidden("clock", "clock_gettime"), Forbidden("clock", "gettimeofday"),
        Forbidden("chance", "SystemRandomNumberGenerator"), Forbidden("chance", "arc4random_buf"),
        Forbidden("chance", "getrandom"),
        Forbidden("chance", "getentropy"),
        Forbidden("output", "print", "("), Forbidden("output", "debugPrint", "("), Forbidden("output", "dump", "("),
        Forbidden("output", "fputs"), Forbidden("output", "FileHandle"),
        Forbidden("surroundings", "getenv"), Forbidden("surroundings", "CommandLine"),
        Forbidden("surroundings", "ProcessInfo"),
        Forbidden("surroundings", "FileManager"), Forbidden("surroundings", "fopen"),
        Forbidden("surroundings", "readLine", "("),
        Forbidden("trap", "fatalError", "("), Forbidden("trap", "try", "!"), Forbidden("trap", "as", "!"),
        Forbidden("trap", "abort", "("), Forbidden("trap", "exit", "("),
        Forbidden("task", "Task", "{"), Forbidden("task", "Task", "."), Forbidden("task", "Task", "("),
        Forbidden("task", "Task", "<"),
        Forbidden("task", "TaskLocal"), Forbidden("task", "withTaskGroup"), Forbidden("task", "MainActor"),
        Forbidden("task", "globalActor"), Forbidden("task", "DispatchQueue"), Forbidden("task", "Thread", "("),
        Forbidden("async", "async"), Forbidden("async", "await"),
        Forbidden("lock", "Mutex"), Forbidden("lock", "NSLock"), Forbidden("lock", "Atomic"),
        Forbidden("lock", "DispatchSemaphore"),
        Forbidden("bits", "unsafeBitCast"), Forbidden("bits", "unsafeDowncast"),
        Forbidden("sendable", "@", "unchecked"), Forbidden("sendable", "nonisolated", "(", "unsafe"),
        Forbidden("embeddable", "Mirror", "(", "reflecting"), Forbidden("embeddable", "Codable"),
        Forbidden("embeddable", "Encodable"),
        Forbidden("embeddable", "Decodable"), Forbidden("embeddable", "KeyPath"),
        Forbidden("embeddable", "WritableKeyPath"),
        Forbidden("embeddable", "\\"), Forbidden("embeddable", "weak"), Forbidden("embeddable", "rethrows"),
        Forbidden("broken hash", "SHA1"),
        Forbidden("deployable", "InlineArray"), Forbidden("deployable", "utf8Span"),
    ]
}

/// A place where one rule of purity does not hold, and why.
struct PurityException {
    /// A folder or file below `Sources`.
    var place: String
    var rule: String
    var reason: String

    func covers(_ file: SourceFile) -> Bool {
        file.path == "Sources/" + place || file.path.hasPrefix("Sources/" + place + "/")
    }

    static let granted: [PurityException] = [
        PurityException(place: "TokenTreeTesting", rule: "async", reason: "the suite runs stores of both kinds"),
        PurityException(
            place: "TokenTreeTesting/Races", rule: "task", reason: "those who write at once are tasks that run at once"),
        PurityException(
            place: "TokenTreeTesting", rule: "embeddable",
            reason: "the suite tests stores where they are developed, not where they run"),
        PurityException(
            place: "TokenTree", rule: "async", reason: "the store protocol has a twin for databases that answer later"),
        PurityException(
            place: "TokenTree/Memory/MemoryStore.swift", rule: "sendable",
            reason: "the contents are shared only while nobody writes, and copied before the first change"),
        PurityException(
            place: "NAIL", rule: "async", reason: "the NAIL interface is asynchronous by its definition (NAI-1)"),
        PurityException(
            place: "NAIL/Framework/ThirdPartyApp.swift", rule: "task",
            reason: "a renewal goes on when its caller is cancelled, because the answer holds the only refresh token"),
        PurityException(
            place: "Federation/App/AuthorizingApp.swift", rule: "async", reason: "the app waits for the network"),
        PurityException(
            place: "Federation/App/Management.swift", rule: "async", reason: "the app's calls wait for the network"),
        PurityException(
            place: "Federation/App/AuthorizingApp.swift", rule: "task",
            reason: "interactions are carried out one after the other, and go on when their caller is cancelled"),
        PurityException(
            place: "Federation/Hosting", rule: "async", reason: "hosts wait for stores, directories and networks"),
        PurityException(
            place: "Federation/Hosting", rule: "lock", reason: "a host is shared by all requests that it answers"),
        PurityException(
            place: "Federation/Hosting/PartyHost.swift", rule: "chance",
            reason: "a host draws from the system's generator, which the party's kernel takes as an argument"),
        PurityException(
            place: "Federation/Exchange/Driver.swift", rule: "async",
            reason: "the loop around an exchange has a twin for stores that answer later"),
        PurityException(
            place: "Federation/Service/Access.swift", rule: "async",
            reason: "the check of access has a twin for stores that answer later"),
        PurityException(
            place: "Federation/EduID/EduIDService.swift", rule: "async",
            reason: "the directory of users is asked by hosts that wait"),
        PurityException(
            place: "Federation/Authority/HolderKeys.swift", rule: "lock",
            reason: "keys that were prepared serve every later request of their holder, and no answer depends on it"),
        PurityException(
            place: "FederationTesting", rule: "embeddable",
            reason: "parties are simulated where they are developed, not where they run"),
        PurityException(
            place: "VectorCatalogue", rule: "embeddable",
            reason: "vectors are made and compared where implementations are developed, not where they run"),
        PurityException(
            place: "VectorCatalogue/Reference/StoreKinds.swift", rule: "lock",
            reason: "a seal draws its salt from a closure that anybody may call, and a vector gives the salt"),
        PurityException(place: "NAIL", rule: "lock", reason: "the NAIL interface is one shared object (NAI-1)"),
        PurityException(
            place: "Wire/Text/Sextets.swift", rule: "bits",
            reason: "vectors of one width are seen as narrower and wider lanes"),
        PurityException(
            place: "PureCrypto/Authentication/SecretStorage.swift", rule: "sendable",
            reason: "the storage is written only when it is made and when nobody holds it any more"),
        PurityException(
            place: "Wire/JSON/Tape.swift", rule: "sendable",
            reason: "nobody writes into the tape after the scanner has returned it"),
    ]
}

/// Every use of what the libraries may not use, with the rule it breaks; exceptions are not yet considered.
func impurities(in tokens: [Token]) -> [(rule: String, spelling: String, line: Int)] {
    var starts: [String: [Forbidden]] = [:]
    for forbidden in Forbidden.inLibraries { starts[forbidden.tokens[0], default: []].append(forbidden) }
    var found: [(rule: String, spelling: String, line: Int)] = []
    func next(_ index: Int) -> Token? { index + 1 < tokens.count ? tokens[index + 1] : nil }

    for (index, token) in tokens.enumerated() where token.kind == .word || token.kind == .symbol {
        for forbidden in starts[token.text] ?? []
        where tokens[index...].prefix(forbidden.tokens.count).map(\.text) == forbidden.tokens {
            found.append((forbidden.rule, forbidden.spelling, token.line))
        }
        switch token.text {
        case "actor" where next(index)?.kind == .word:
            found.append(("task", "actor", token.line))
        case "any" where next(index)?.kind == .word:
            found.append(("embeddable", "any", token.line))
        case "throws" where next(index)?.text != "(":
            found.append(("embeddable", "throws without a type", token.line))
        case "random", "shuffle", "shuffled", "randomElement":
            guard index > 0, tokens[index - 1].text == ".", next(index)?.text == "(",
                !names("using", inCallAt: index + 1, of: tokens)
            else { break }
            found.append(("chance", ".\(token.text)() without a generator", token.line))
        default:
            break
        }
    }
    return found
}

/// Whether the argument list that opens at an index has an argument of this label.
private func names(_ label: String, inCallAt opening: Int, of tokens: [Token]) -> Bool {
    var depth = 0
    for index in opening..<tokens.count {
        if ["(", "[", "{"].contains(tokens[index].text) { depth += 1 }
        if [")", "]", "}"].contains(tokens[index].text) { depth -= 1 }
        if depth == 0 { return false }
        if depth == 1, tokens[index].text == label, index + 1 < tokens.count, tokens[index + 1].text == ":" {
            return true
        }
    }
    return false
}

/// Uses of clocks, entropy, output, surroundings, concurrency, traps and reflection in a library.
func purityViolations(in file: SourceFile, exceptions: [PurityException] = PurityException.granted) -> [Violation] {
    guard House.libraries[file.module] != nil else { return [] }
    return impurities(in: file.tokens).filter { found in
        !exceptions.contains { $0.rule == found.rule && $0.covers(file) }
    }.map { Violation(path: file.path, line: $0.line, rule: "\($0.rule): \($0.spelling)") }
}

/// Unsafe memory outside the two modules that may use it.
func unsafeViolations(in file: SourceFile) -> [Violation] {
    guard House.libraries[file.module] != nil, !["PureCrypto", "Wire"].contains(file.module) else { return [] }
    let others: Set<String> = [
        "Unmanaged", "OpaquePointer", "ManagedBuffer", "withContiguousStorageIfAvailable",
        "withContiguousMutableStorageIfAvailable",
    ]
    return file.tokens.filter { token in
        token.kind == .word
            && (token.text.contains("Unsafe") || token.text.hasPrefix("unsafe") || others.contains(token.text))
    }.map { Violation(path: file.path, line: $0.line, rule: "unsafe memory outside PureCrypto and Wire: \($0.text)") }
}

/// A Swift file that the rules cannot follow.
func readingViolations(in file: SourceFile) -> [Violation] {
    guard case .failure(let fault) = file.reading else { return [] }
    return [Violation(path: file.path, line: 1, rule: "cannot be read: \(fault)")]
}
