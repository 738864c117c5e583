internal import JOSE
public import Wire

/// How and when somebody was last asked for proof, as tokens and assertions tell it (RFC 9068 §2.2.1, RFC 9470 §6).
public struct Authentication: Hashable, Sendable {
    /// What proofs amount to, in the words of whoever asked for them (`acr`): compared by its bytes, because the words
    /// of two have no order.
    public typealias ContextClass = Identifier<ContextClassKind>
    /// Names a context class.
    public enum ContextClassKind: IdentifierKind {}

    /// What the proofs amount to (`acr`), where that has a name.
    public var contextClass: ContextClass?
    /// What the proofs were (`amr`, RFC 8176), each once, in the order in which they came.
    public private(set) var methods: [String]
    /// When the last of them was given (`auth_time`), where that is told.
    public var time: Timestamp?

    /// A sign-in by these methods.
    public init(by methods: [String], as contextClass: ContextClass? = nil, at time: Timestamp? = nil) {
        (self.contextClass, self.time) = (contextClass, time)
        self.methods = []
        for method in methods where !contains(method) { self.methods.append(method) }
    }

    /// The same, and what was proved beside.
    package func adding(_ more: [String]) -> Authentication {
        Authentication(by: methods + more, as: contextClass, at: time)
    }

    /// Whether one of the methods is this one.
    public func contains(_ method: String) -> Bool { methods.contains { $0.utf8.elementsEqual(method.utf8) } }
}

extension Authentication {
    /// More methods than anybody shows are not looked at.
    package static let methodLimit = 32

    /// The names of the claims.
    package static let names: [JSON.Name] = ["acr", "amr", "auth_time"]

    /// The claims that tell it; none where nothing is known.
    package var claims: JSON.Object {
        var claims = JSON.Object()
        claims["acr"] = contextClass.map { .string($0.text) }
        if !methods.isEmpty { claims["amr"] = .array(methods.map { .string($0) }) }
        claims["auth_time"] = time.map { .number(JSON.Number($0.seconds)) }
        return claims
    }

    /// Reads the claims: what is not of its form counts as not told, which serves for less.
    package init(told claims: JSON.Object) {
        self.init(
            by: (claims["amr"]?.array ?? []).prefix(Self.methodLimit).compactMap { $0.string },
            as: claims["acr"]?.string.flatMap { try? ContextClass(parsing: $0) },
            at: claims["auth_time"]?.number?.integer(as: Int64.self).map { Timestamp(seconds: $0) })
    }
}

// MARK: - What is demanded

/// What somebody needs of a sign-in (RFC 9470 §3): one of some context classes, or a recent proof, or both.
public struct AuthenticationDemand: Hashable, Sendable {
    /// The classes of which one is needed, by preference (`acr_values`); any will do where there are none.
    public let contextClasses: [Authentication.ContextClass]
    /// How many seconds ago the last proof may have been given at most (`max_age`).
    public let maximumAge: Int64?

    /// Demands nothing.
    public static let none = AuthenticationDemand(unchecked: [], nil)

    /// How many classes a demand has at most.
    public static let limit = 16

    /// Demands one of some classes, each of visible characters that can stand in a list and between quotes, and a proof
    /// that is not older than so many seconds.
    public init(
        _ contextClasses: [Authentication.ContextClass], maximumAge: Int64? = nil
    ) throws(ParameterRejection) {
        guard contextClasses.count <= Self.limit else {
            throw .identifier(
                Self.classes, .tooLong(.identifier, length: contextClasses.count, limit: Self.limit))
        }
        for name in contextClasses {
            let offset = name.text.utf8.enumerated().first { $0.element == 0x20 || !OAuth2Error.isAllowed($0.element) }
            if let offset { throw .identifier(Self.classes, .foreignCharacter(.identifier, offset: offset.offset)) }
        }
        if let maximumAge, maximumAge < 0 { throw .number(Self.age) }
        self.init(unchecked: contextClasses, maximumAge)
    }

    private init(unchecked contextClasses: [Authentication.ContextClass], _ maximumAge: Int64?) {
        (self.contextClasses, self.maximumAge) = (contextClasses, maximumAge)
    }

    /// Whether nothing is demanded.
    public var isEmpty: Bool { contextClasses.isEmpty && maximumAge == nil }

    /// Whether a sign-in is enough now.
    ///
    /// - Parameter leeway: how far the clock of whoever noted the time may be behind.
    public func isMet(by authentication: Authentication, at now: Timestamp, leeway: Duration = .zero) -> Bool {
        guard contextClasses.isEmpty || authentication.contextClass.map({ contextClasses.contains($0) }) == true
        else { return false }
        return isRecent(authentication, at: now, leeway: leeway)
    }

    /// Whether the last proof is recent enough, whatever it was.
    package func isRecent(_ authentication: Authentication, at now: Timestamp, leeway: Duration = .zero) -> Bool {
        guard let maximumAge else { return true }
        guard let time = authentication.time else { return false }
        return now - time <= .seconds(maximumAge) + leeway
    }
}

extension AuthenticationDemand {
    static let classes = "acr_values"
    static let age = "max_age"

    /// The parameters of a request, or of a challenge.
    package var parameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if let text { parameters.append((Self.classes, text)) }
        if let maximumAge { parameters.append((Self.age, "\(maximumAge)")) }
        return parameters
    }

    /// The classes with spaces between them; `nil` for none.
    package var text: String? {
        contextClasses.isEmpty ? nil : contextClasses.map { $0.text }.joined(separator: " ")
    }

    /// Writes the members of an error, or of a record.
    package func write(to object: inout JSON.ObjectWriter) {
        object.member("acr_values", ifPresent: text)
        object.member("max_age", ifPresent: maximumAge)
    }

    /// What is kept of it.
    package var members: JSON.Object {
        var members = JSON.Object()
        if !contextClasses.isEmpty { members["acr_values"] = .array(contextClasses.map { .string($0.text) }) }
        members["max_age"] = maximumAge.map { .number(JSON.Number($0)) }
        return members
    }

    /// Reads what was kept; `nil` where something was demanded and cannot be read, which must not pass for nothing.
    package init?(keptIn members: JSON.Object) {
        let names = members["acr_values"].map { $0.array ?? [.null] } ?? []
        let classes = names.compactMap { $0.string.flatMap { try? Authentication.ContextClass(parsing: $0) } }
        let age = members["max_age"]?.number?.integer(as: Int64.self)
        guard classes.count == names.count, (age == nil) == (members["max_age"] == nil) else { return nil }
        do throws(ParameterRejection) { try self.init(classes, maximumAge: age) } catch { return nil }
    }

    /// Reads a list of classes and an age; nothing is demanded where there is neither.
    package init(_ text: String?, _ maximumAge: Int64?) throws(ParameterRejection) {
        var classes: [Authentication.ContextClass] = []
        for word in (text ?? "").split(separator: " ") {
            guard classes.count <= Self.limit else { break }
            classes.append(
                try wrapping(
                    { (error) in ParameterRejection.identifier(Self.classes, error) },
                    try Authentication.ContextClass(parsing: String(word))))
        }
        try self.init(classes, maximumAge: maximumAge)
    }
}

extension HTTP.Authentication {
    /// What a challenge demands; `nil` if that cannot be read.
    var demand: AuthenticationDemand? {
        let text = self[AuthenticationDemand.age]
        let age = text.flatMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64($0) : nil }
        guard (age == nil) == (text == nil) else { return nil }
        return try? AuthenticationDemand(self[AuthenticationDemand.classes], age)
    }
}
