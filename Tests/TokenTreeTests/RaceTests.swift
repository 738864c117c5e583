import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("STO: the laws of two who write at once")
struct RaceTests {
    private func report(_ violations: [Violation]) -> Comment {
        Comment(rawValue: violations.map(\.description).joined(separator: "\n"))
    }

    @Test(.proves("STO-7"), .proves("STO-9")) func oneWriterAfterTheOtherKeepsEveryLaw() async {
        let violations = await Conformance.violations(connecting: {
            let store = Distant(store: DurableTree())
            return (store, store)
        })
        #expect(violations.isEmpty, report(violations))
    }

    private func broken(_ defect: MeetingStore.Defect, except: Set<Conformance.Category> = []) async -> [Violation] {
        await Conformance.violations(
            connecting: {
                let store = MeetingStore(defect)
                return (store, store)
            }, rounds: 16, except: except.union([.bytes]))
    }

    @Test(.proves("STO-7"), arguments: [MeetingStore.Defect.readsFirst, .checksAndActs])
    func whoWritesLaterThanHeLookedIsCaught(_ defect: MeetingStore.Defect) async {
        let found = Set(await broken(defect).map(\.law))
        let expected: Set = [
            "of two who redeem an assertion at once, one does",
            "of many who renew a generation at once, one does, generation by generation",
            "what was seen by two at once passes once",
            "of two who issue the same name at once, one does",
            "of two who register the same instance at once, one does",
            "of two who replace the same instance at once, one does",
            "who is barred and replaced at once is either one or the other",
            "of two hosts that take the same message at once, one does",
            "of two who replace what the issuer keeps at once, neither undoes the other",
            "what many change of one record at once is all there",
            "of the uses of many at once none is lost, and the latest counts",
        ]
        #expect(found.isSuperset(of: expected), "\(expected.subtracting(found))")
    }

    @Test(.proves("STO-7")) func whoComparesWhatIsWrittenAloneIsCaught() async {
        let violations = await broken(.skews)
        let found = Set(violations.map(\.law))
        let expected: Set = [
            "of two who each end what the other one builds on, one does",
            "of two who register the same instance at once, one does",
            "of two who lock each other's users out, one gives his own nothing more",
        ]
        #expect(found.isSuperset(of: expected), "\(expected.subtracting(found))")
        // What two write to the same record is refused to one of them.
        #expect(!found.contains("of two who redeem an assertion at once, one does"), report(violations))
        #expect(!found.contains("of the uses of many at once none is lost, and the latest counts"), report(violations))
    }

    @Test(.proves("STO-7")) func whoLooksForTheDeadAndThenRemovesThemIsCaught() async {
        let found = Set(await broken(.looksAndPurges).map(\.law))
        let expected: Set = [
            "what a message on its way is about is not removed meanwhile",
            "what somebody builds on is not removed meanwhile",
            "who is barred is not forgotten meanwhile",
        ]
        #expect(found == expected)
        #expect(await broken(.looksAndPurges, except: [.purge]).isEmpty)
    }

    @Test(.proves("STO-9")) func whoAnswersKeyByKeyIsCaught() async {
        #expect(await broken(.readsInParts).map(\.law).contains("what is looked up together comes from one state"))
    }

    @Test(arguments: MeetingStore.Defect.allCases)
    func whoeverComesAloneIsServedWell(_ defect: MeetingStore.Defect) async {
        #expect(await broken(defect, except: [.races]).isEmpty)
    }

    @Test(.proves("STO-4")) func whatIsUncertainMayHaveHappenedOrNot() async {
        var round = 0
        let violations = await Conformance.violations(
            connecting: {
                round += 1
                let store = UncertainStore(isUncertain: round % 2 == 0)
                return (store, store)
            }, except: [.bytes])
        #expect(violations.isEmpty, report(violations))
        let found = await Conformance.violations(
            connecting: {
                let store = UncertainStore(isUncertain: true)
                return (store, store)
            }, rounds: 2, except: [.bytes])
        #expect(found.map(\.evidence).contains("the store failed in every round"))
    }
}

@Suite("STO: the laws of names and values")
struct ByteTests {
    private static let lookalikes: Set = [
        "records whose names look alike are different records",
        "lists and their pages tell names that look alike apart",
        "holders whose names look alike are different holders",
        "people whose names look alike are different people, also when one is forgotten",
        "a lock shuts out nobody whose name only looks alike",
        "uses of services whose names look alike are different uses",
        "messages whose names look alike are different messages",
        "texts come back byte for byte, and as long as they were",
    ]

    @Test(.proves("STO-8"), arguments: AlteringStore.Defect.allCases)
    func whoKeepsSomethingElseIsCaught(_ defect: AlteringStore.Defect) {
        let expected: Set =
            switch defect {
            case .foldsCase, .composes, .trims, .cuts: Self.lookalikes
            case .rounds:
                [
                    "times come back to the nanosecond, before 1970 and at the ends of the range",
                    "what happens at a nanosecond happens then, not before or after",
                ]
            case .counts: ["what an issuer keeps, and what is to be said, come back as they were written"]
            }
        #expect(Set(Conformance.violations(making: { AlteringStore(defect) }).map(\.law)) == expected)
        #expect(Conformance.violations(making: { AlteringStore(defect) }, except: [.bytes]).isEmpty)
    }
}

@Suite("STO: what a store does not promise")
struct CategoryTests {
    private func violations(of make: () -> PlainStore, except categories: Set<Conformance.Category>) -> [Violation] {
        Conformance.violations(
            making: make,
            restarting: { store in
                store.restart()
                return store
            }, except: categories)
    }

    @Test func whatIsNotPromisedIsNotAskedFor() {
        #expect(violations(of: { ForgetsRevocations() }, except: [.durability]).isEmpty)
        #expect(violations(of: { ForgetsWhatWasSeen() }, except: [.replays]).isEmpty)
        #expect(violations(of: { ForgetsMessages() }, except: [.messages]).isEmpty)
        #expect(violations(of: { PurgesTooEarly() }, except: [.purge]).isEmpty)
    }

    @Test func whatIsPromisedIsAskedForStill() {
        let categories = Set(Conformance.Category.allCases)
        #expect(!violations(of: { ForgetsRevocations() }, except: categories.subtracting([.durability])).isEmpty)
        #expect(!violations(of: { ForgetsWhatWasSeen() }, except: [.messages, .lists, .locks]).isEmpty)
        #expect(!violations(of: { ForgetsMessages() }, except: [.replays, .purge, .uses, .bytes]).isEmpty)
        #expect(!violations(of: { PurgesTooEarly() }, except: [.durability, .erasure, .locks]).isEmpty)
        for make in [{ CascadeStopsEarly() }, { AppliesByHalves() }, { InsertsUnderTheDead() }] as [() -> PlainStore] {
            #expect(!violations(of: make, except: categories).isEmpty)
        }
    }
}
