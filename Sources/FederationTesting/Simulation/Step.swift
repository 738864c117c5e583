extension FederationSimulation {
    /// Something that happens to a federation; what it names by number is found by counting around, and may be busy or
    /// not there, so that any part of a history is a history.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// What happens.
        public let verb: Verb
        /// To what, in the order that the verb states.
        public let arguments: [Int]

        /// A step with its arguments.
        public init(_ verb: Verb, _ arguments: Int...) { self.init(verb, arguments: arguments) }

        /// How many services have a bit of their own in what a person grants.
        static let bitsOfServices = 60

        init(_ verb: Verb, arguments: [Int]) {
            self.verb = verb
            self.arguments = arguments
        }

        /// The verb and its arguments, as ``History/init(parsing:)`` reads them.
        public var description: String { arguments.reduce(into: verb.rawValue) { $0 += " \($1)" } }

        subscript(position: Int) -> Int {
            arguments.indices.contains(position) ? max(0, arguments[position]) : 0
        }

        /// What can happen.
        ///
        /// Phones, people, services, readers, versions, processes and messages are numbers; times are seconds. Party 0
        /// is the edu-ID service, the others are the services.
        public enum Verb: String, Sendable, Hashable, CaseIterable {
            /// A person signs in with the app: phone, person, and after how many acts he or she leaves it where it
            /// takes more than one, as with a browser; 0 for never.
            case signIn
            /// The person goes on with a sign-in that was left: phone, whether something is wrong with it (0 or 1).
            case goOn
            /// A person signs in with a wrong password: phone, person.
            case mistype
            /// The person signs out: phone.
            case signOut
            /// The app is launched: phone.
            case launch
            /// The app gets a token of a service: phone, service.
            case introduce
            /// What a service gave is ended: phone, service, or the next one that a reader got something of.
            case unlink
            /// What a reader got is ended: phone, service, or the next one that it got something of, reader.
            case endReader
            /// A service is hidden, or shown again: phone, service.
            case hide
            /// A reader asks, and the person grants some services: phone, reader, the services as 60 bits, which are
            /// counted around where there are more, whether the reader is killed meanwhile (0 or 1), and for which kind
            /// of services, where there are several.
            case ask
            /// A reader uses what it got: phone, reader, service, or the next one that it got something of.
            case use
            /// A reader renews what it got before its time: phone, reader, service.
            case renew
            /// A reader gives back what it got: phone, reader, service.
            case giveBack
            /// A reader asks more often than the edu-ID app keeps what it got: phone, reader, service.
            case insist
            /// App, extension and readers of a phone end, and start anew with what they had kept: phone.
            case kill
            /// A phone's contents are put by: phone.
            case backUp
            /// A phone gets back what was put by: phone.
            case restore
            /// The app is installed anew: phone.
            case reinstall
            /// The app gives up what it is registered as, with whoever is signed in, and begins anew: phone.
            case startOver
            /// The app is updated: phone, version.
            case upgrade
            /// An administrator shuts a version out: version.
            case block
            /// An administrator lets a version in again: version.
            case unblock
            /// An administrator rejects the instance on a phone: phone.
            case reject
            /// An administrator withdraws the key of a version: version, how many seconds ago somebody else had it.
            case discredit
            /// An administrator signs a person out everywhere: person, whether by the name that follows from an account
            /// elsewhere (0 or 1).
            case expel
            /// An administrator locks a person's account: person, whether by the name that follows from an account
            /// elsewhere (0 or 1).
            case lock
            /// An administrator unlocks a person's account: person.
            case unlock
            /// An administrator has a person forgotten: person.
            case forget
            /// A provider says that a person's sessions there have ended: person, whether only one of them has (0 or
            /// 1).
            case disavow
            /// The provider has all ended that a person was given here: person.
            case renounce
            /// A person leaves the institution by the accounts' word, or belongs to it again: person, whether it
            /// is again (0 or 1).
            case belong
            /// An administrator ends what a person was given as a member: person.
            case dismiss
            /// An administrator ends what a person was given at a service: person, service.
            case leave
            /// An administrator takes an instance from a person: phone, person.
            case remove
            /// Time passes: seconds.
            case wait
            /// A party does what timers do: party.
            case tick
            /// A party's process ends, and starts anew from what it had stored: party, process.
            case stop
            /// A party cannot be reached any more: party.
            case down
            /// A party can be reached again: party.
            case up
            /// A party signs with a new key, and publishes the former one beside it: party.
            case rotate
            /// Somebody takes the key by which the edu-ID service signs, and whatever else it holds secret.
            case burgle
            /// Who has taken that key introduces somebody to a service by it, and asks for what a reader wants:
            /// service, person, reader.
            case plunder
            /// The edu-ID service learns of the theft, signs by another key, and withdraws the one that was taken.
            case withdraw
            /// A party's clock goes wrong: party, by how many seconds, whether behind (1) or ahead (0).
            case clock
            /// A fault strikes: which, after how many opportunities.
            case fault
            /// A party's store is backed up: party.
            case archive
            /// A party's store is restored from its backup, and nobody knows what is missing in it: party.
            case revert
            /// What the federation is told of a service changes: service; whether it has left (1), says that its
            /// authorizations (2) or what readers want (3) are at another service, or where there is nothing (4), or
            /// is told the truth again (0); and which other service.
            case publish
            /// A service changes hands: other keys, and an empty store: service.
            case handOver
            /// A message that was held back arrives: which.
            case arrive
            /// Somebody who saw a message sends it again: how many messages ago.
            case replay
            /// Somebody who has a reader's token shows it without the key, or elsewhere: phone, reader, service, to
            /// which service.
            case steal
            /// Somebody who saw a message sends it to another party: how many messages ago, to which party.
            case misdeliver
            /// Somebody who saw a message that was taken sends it again, with changes that follow from a number: how
            /// many messages ago, the number.
            case garble
            /// A service asks for or ends what is another's, or speaks as somebody else would: service, what of that.
            case forge
            /// The password of whoever is signed in on a phone, or of a person, is guessed from another phone very
            /// often; then the person signs in: the other phone, person, phone.
            case flood
        }
    }

    /// What happens to a federation from its beginning, step by step.
    public struct History: Sendable, Hashable, CustomStringConvertible {
        /// The steps in order.
        public let steps: [Step]

        /// A history of steps.
        public init(_ steps: [Step]) { self.steps = steps }

        /// Reads a history as it is described, one step a line; `nil` if a line is not a step.
        public init?(parsing text: String) {
            var steps: [Step] = []
            for line in text.split(whereSeparator: { $0 == "\n" || $0 == "," }) {
                let words = line.split(separator: " ")
                guard let first = words.first, let verb = Step.Verb(rawValue: String(first)) else { return nil }
                let arguments = words.dropFirst().compactMap { Int($0) }
                guard arguments.count == words.count - 1 else { return nil }
                steps.append(Step(verb, arguments: arguments))
            }
            self.steps = steps
        }

        /// One step a line.
        public var description: String { steps.map(\.description).joined(separator: "\n") }
    }

    /// What can go wrong at a moment that nobody chooses.
    public enum Fault: Int, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// A message does not arrive.
        case lostRequest
        /// A message arrives, its answer does not.
        case lostAnswer
        /// A message arrives twice.
        case doubled
        /// A message is held back, and its sender gives up.
        case held
        /// Others are faster: the next steps happen before a decision is stored.
        case overtaken
        /// Others are faster: the next steps happen before a question to the store is answered.
        case overtakenBefore
        /// A process ends before it stores a decision.
        case stoppedBefore
        /// A process ends between storing a decision and answering.
        case stoppedAfter
        /// A store has no room.
        case full
        /// A store fails, and has stored nothing.
        case uncertainBefore
        /// A store fails, and has stored everything.
        case uncertainAfter
        /// The app, or its extension, is killed while it waits for an answer.
        case killed
        /// A service does what it is asked for, and answers something else.
        case distorted
        /// The host cannot find out whose an account is.
        case unknowing

        /// When it can strike.
        var occasion: Occasion {
            switch self {
            case .lostRequest, .lostAnswer, .doubled, .held, .distorted: .message
            case .overtakenBefore: .look
            case .overtaken, .stoppedBefore, .stoppedAfter, .full, .uncertainBefore, .uncertainAfter: .commit
            case .killed: .app
            case .unknowing: .directory
            }
        }

        /// Whether it can strike in a federation of that size: the third of three people is the first one whose account
        /// is somebody else's.
        func happens(in size: Size) -> Bool { self != .unknowing || size.people > 2 }

        /// A moment at which something can go wrong.
        enum Occasion { case message, look, commit, app, directory }

        /// Its name.
        public var description: String {
            switch self {
            case .lostRequest: "a request is lost"
            case .lostAnswer: "an answer is lost"
            case .doubled: "a message comes twice"
            case .held: "a message is held back"
            case .overtaken: "others are faster"
            case .overtakenBefore: "others are faster than a question"
            case .stoppedBefore: "a process ends before it stores"
            case .stoppedAfter: "a process ends before it answers"
            case .full: "a store is full"
            case .uncertainBefore: "a store fails and has nothing"
            case .uncertainAfter: "a store fails and has everything"
            case .killed: "an app is killed"
            case .distorted: "a service lies in its answer"
            case .unknowing: "nobody knows whose an account is"
            }
        }
    }
}
