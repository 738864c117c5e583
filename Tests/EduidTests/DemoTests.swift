import TestSupport
import Testing
import Wire

@testable import eduid

@Suite("Command line: demo")
struct DemoTests {
    private static let told = World().run(["demo", "--seed", "7"])

    @Test("The story ends well, shows every interaction in its order, and says how to see it again")
    func story() throws {
        let answer = Self.told
        #expect(answer.status == 0)
        #expect(answer.complaint.isEmpty)
        var rest = Substring(answer.text)
        for number in [
            "(0)", "(1)", "(2, 2a, 3)", "(7)", "(3b)", "(4, 5)", "(8)", "(4, 5, 6)", "(8)", "(7)", "(9)", "Attack",
            "(10)", "Every token",
        ] {
            let place = try #require(rest.firstRange(of: "\n" + number), "\(number) is missing")
            rest = rest[place.upperBound...]
        }
        #expect(rest.hasSuffix("eduid demo --seed 7\n"))
        #expect(!answer.text.contains("\u{1b}"), "colours where there is no terminal")
        #expect(!answer.text.contains("correct horse"), "the password is shown")
    }

    @Test("The same seed tells the same story byte for byte, another one another")
    func determinism() {
        #expect(World().run(["demo", "--seed", "7"]).output == Self.told.output)
        #expect(World().run(["demo", "--seed", "8"]).output != Self.told.output)
    }

    @Test(
        "As data it has the same scenes, three refused attacks, and no token that is alive",
        arguments: [["--json"], ["--output", "json"]])
    func data(words: [String]) throws {
        let answer = World().run(["demo", "--seed", "7"] + words)
        #expect(answer.status == 0)
        let report = try JSON(parsing: answer.output, limits: JSON.Limits(size: 1 << 20, depth: 16))
        #expect(report["seed"] == "7")
        let numbers =
            report["scenes"]?.array?.compactMap { $0["interaction"]?.string }.flatMap {
                $0.split(separator: ", ").map { String($0) }
            } ?? []
        #expect(Set(numbers) == ["0", "1", "2", "2a", "3", "3b", "4", "5", "6", "7", "8", "9", "10"])
        for scene in report["scenes"]?.array ?? [] { #expect(scene["fulfils"]?.array?.isEmpty == false) }
        let attacks = report["attacks"]?.array ?? []
        #expect(attacks.count == 3)
        for attack in attacks { #expect(attack["answer"]?[0] == "401") }
        let tokens = report["tokens"]?.array ?? []
        #expect(tokens.count == 21)
        for token in tokens {
            #expect(token["verdict"]?.string.map { $0.hasPrefix("revoked") || $0.hasPrefix("consumed") } == true)
        }
    }

    @Test("It stops between the interactions when it is asked to, and has colours where they are wanted")
    func forPeople() {
        let world = World()
        world.hasColours = true
        let answer = world.run(["demo", "--seed", "7", "--step"])
        #expect(answer.status == 0)
        #expect(answer.text.contains("[Return]"))
        #expect(answer.text.contains("\u{1b}[1m(1)"))
        #expect(world.pauses == 20)
    }

    @Test("The story of a person with devices ends well, scene by scene, and is the same for the same seed")
    func person() throws {
        let words = ["demo", "--story", "person", "--seed", "7"]
        let answer = World().run(words)
        #expect(answer.status == 0 && answer.complaint.isEmpty)
        var rest = Substring(answer.text)
        for scene in [
            "A lost answer", "Ada chooses", "An app ended", "A flight without network", "A second person on the tablet",
            "A device stolen", "A service left",
        ] {
            let place = try #require(rest.firstRange(of: scene), "\(scene) is missing")
            rest = rest[place.upperBound...]
        }
        #expect(rest.hasSuffix("eduid demo --story person --seed 7\n"))
        #expect(!answer.text.contains("correct horse") && !answer.text.contains("staple battery"))
        #expect(!answer.text.contains("314159"), "the one-time code is shown")
        #expect(answer.text.contains("step = otp") && answer.text.contains("otp = (not shown)"))
        #expect(World().run(words).output == answer.output)
        let report = try JSON(
            parsing: World().run(words + ["--json"]).output, limits: JSON.Limits(size: 1 << 20, depth: 16))
        for scene in report["scenes"]?.array ?? [] { #expect(scene["fulfils"]?.array?.isEmpty == false) }
        #expect(report["scenes"]?.array?.count == 11)
        #expect(World().run(["demo", "--story", "other"]).status == 64)
    }

    @Test("The story of a member of two universities ends well, and shows no secrets", .proves("AFF-2"))
    func member() throws {
        let words = ["demo", "--story", "member", "--seed", "7"]
        let answer = World().run(words)
        #expect(answer.status == 0 && answer.complaint.isEmpty, "\(answer.complaint)")
        var rest = Substring(answer.text)
        for scene in ["Mia signs in", "Each university learns", "Ada, who belongs", "Mia leaves Alpha", "She stays"] {
            let place = try #require(rest.firstRange(of: scene), "\(scene) is missing")
            rest = rest[place.upperBound...]
        }
        #expect(rest.hasSuffix("eduid demo --story member --seed 7\n"))
        #expect(!answer.text.contains("horse staple") && !answer.text.contains("271828"))
        #expect(answer.text.contains("Alpha knows her as staff@alpha.example.ch\n"))
        #expect(answer.text.contains("Beta knows her as student@beta.example.ch\n"))
        #expect(World().run(words).output == answer.output)
    }
}
