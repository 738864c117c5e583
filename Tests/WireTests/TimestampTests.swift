import TestSupport
import Testing
import Wire

@Suite("Points in time")
struct TimestampTests {
    @Test(
        "RFC 8259 §6: numbers are read exactly", .proves("RFC8259-6"), .proves("threat-15"),
        arguments: [
            ("0", 0, 0, "0"), ("-0", 0, 0, "0"), ("1700000000", 1_700_000_000, 0, "1700000000"),
            ("1700000000.25", 1_700_000_000, 250_000_000, "1700000000.25"), ("1.7e9", 1_700_000_000, 0, "1700000000"),
            ("17E+8", 1_700_000_000, 0, "1700000000"), ("1700000000000e-3", 1_700_000_000, 0, "1700000000"),
            ("0.000000001", 0, 1, "0.000000001"), ("1e-9", 0, 1, "0.000000001"), ("12.5e-1", 1, 250_000_000, "1.25"),
            ("-1.25", -2, 750_000_000, "-1.25"), ("-0.5", -1, 500_000_000, "-0.5"),
            ("0.10000000000000", 0, 100_000_000, "0.1"),
            ("9223372036854775807", .max, 0, "9223372036854775807"),
            ("-9223372036854775808", .min, 0, "-9223372036854775808"),
            ("9223372036854775807.999999999", .max, 999_999_999, "9223372036854775807.999999999"),
            ("0e999999999999999999999", 0, 0, "0"), ("0e-999999999999999999999", 0, 0, "0"), ("0.000e400", 0, 0, "0"),
            ("0.00000000017e10", 1, 700_000_000, "1.7"), ("100e-2", 1, 0, "1"),
        ] as [(String, Int64, UInt32, String)])
    func numbers(text: String, seconds: Int64, nanoseconds: UInt32, written: String) throws {
        let point = try Timestamp(parsing: text)
        #expect((point.seconds, point.nanoseconds) == (seconds, nanoseconds))
        #expect(point.number == written)
        #expect(try Timestamp(parsing: point.number) == point)
    }

    @Test(
        "RFC 8259 §6: one fault each", .proves("RFC8259-6"), .proves("threat-15"),
        arguments: [
            ("", .malformed(.time, offset: 0)), ("-", .malformed(.time, offset: 1)),
            ("+1", .malformed(.time, offset: 0)),
            ("01", .malformed(.time, offset: 1)),
            ("-01", .malformed(.time, offset: 2)), (".5", .malformed(.time, offset: 0)),
            ("1.", .malformed(.time, offset: 2)),
            ("1.e3", .malformed(.time, offset: 2)),
            ("1e", .malformed(.time, offset: 2)), ("1e+", .malformed(.time, offset: 3)),
            ("1e5.0", .malformed(.time, offset: 3)),
            ("0x10", .malformed(.time, offset: 1)),
            ("1 ", .malformed(.time, offset: 1)), (" 1", .malformed(.time, offset: 0)),
            ("NaN", .malformed(.time, offset: 0)),
            ("Infinity", .malformed(.time, offset: 0)),
            ("1_000", .malformed(.time, offset: 1)), ("1e5e5", .malformed(.time, offset: 3)),
            ("9223372036854775808", .outOfRange),
            ("-9223372036854775809", .outOfRange), ("-9223372036854775808.1", .outOfRange),
            ("18446744073709551616", .outOfRange),
            ("1e400", .outOfRange), ("1e19", .outOfRange), ("1e99999999999999999999999", .outOfRange),
            ("1e-10", .tooFine(offset: 0)),
            ("0.1234567891", .tooFine(offset: 11)), ("1e-99999999999999999999999", .tooFine(offset: 0)),
            ("1700000000.0000000001", .tooFine(offset: 20)),
        ] as [(String, SyntaxError)])
    func numberFaults(text: String, expected: SyntaxError) {
        #expect(rejection { () throws(SyntaxError) in try Timestamp(parsing: text) } == expected)
    }

    @Test("a number of many digits costs no more than reading them", .proves("threat-14"))
    func longNumbers() throws {
        let zeros = String(repeating: "0", count: 100_000)
        #expect(try Timestamp(parsing: "1." + zeros) == Timestamp(seconds: 1))
        #expect(try Timestamp(parsing: "1" + zeros + "e-100000") == Timestamp(seconds: 1))
        #expect(try Timestamp(parsing: "1e" + zeros + "1") == Timestamp(seconds: 10))
        #expect(rejection { () throws(SyntaxError) in try Timestamp(parsing: "1" + zeros) } == .outOfRange)
    }

    @Test("order and equality", .proves("threat-16"))
    func order() {
        let points = [
            Timestamp.distantPast, Timestamp(seconds: -1), Timestamp(seconds: -1, nanoseconds: 1), .epoch,
            Timestamp(seconds: 0, nanoseconds: 1),
            Timestamp(seconds: 1), .distantFuture,
        ]
        #expect(points.shuffled().sorted() == points)
        #expect(Timestamp(seconds: 5, nanoseconds: 2_500_000_000) == Timestamp(seconds: 7, nanoseconds: 500_000_000))
        #expect(Timestamp(seconds: .max, nanoseconds: 4_000_000_000) == .distantFuture)
    }

    @Test("sums are exact and saturate", .proves("threat-15"))
    func sums() {
        let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 250_000_000)
        #expect(now + .seconds(300) == Timestamp(seconds: 1_700_000_300, nanoseconds: 250_000_000))
        #expect(now - .milliseconds(500) == Timestamp(seconds: 1_699_999_999, nanoseconds: 750_000_000))
        #expect(Timestamp.epoch + Duration(secondsComponent: 0, attosecondsComponent: 1) == .epoch)
        #expect(
            Timestamp.epoch - Duration(secondsComponent: 0, attosecondsComponent: 1)
                == Timestamp(seconds: -1, nanoseconds: 999_999_999))
        #expect(now - Timestamp(seconds: 1_699_999_999) == .milliseconds(1_250))
        let forever = Duration(secondsComponent: .max, attosecondsComponent: 0)
        #expect(now + forever == .distantFuture)
        #expect(Timestamp(seconds: -5) - forever - .seconds(10) == .distantPast)
        #expect(Timestamp.distantFuture + .nanoseconds(1) == .distantFuture)
        #expect(Timestamp.distantPast - .nanoseconds(1) == .distantPast)
        #expect(Timestamp.distantPast + (forever + forever + .seconds(1)) == Timestamp(seconds: .max))
        let beyond = forever + forever + forever + forever
        #expect(Timestamp.distantPast + beyond == .distantFuture)
        #expect(Timestamp.distantFuture - beyond == .distantPast)
        #expect(Timestamp.distantFuture - Timestamp.distantPast > forever)
    }

    @Test("what is added and taken away again changes nothing", .proves("threat-15"))
    func inverse() {
        let seed: UInt64 = 45
        var generator = SeededGenerator(seed: seed)
        for round in 0..<2_000 {
            let point = Timestamp(
                seconds: Int64(truncatingIfNeeded: generator.next()) / 4,
                nanoseconds: UInt32(generator.below(1_000_000_000)))
            let other = Timestamp(
                seconds: Int64(truncatingIfNeeded: generator.next()) / 4,
                nanoseconds: UInt32(generator.below(1_000_000_000)))
            #expect(other + (point - other) == point, "seed \(seed), round \(round)")
            #expect((point < other) == (point - other < .zero), "seed \(seed), round \(round)")
        }
    }
}

@Suite("RFC 9110 §5.6.7: HTTP dates")
struct HTTPDateTests {
    @Test("the three forms, against Python's", .proves("RFC9110-5.6.7"))
    func forms() throws {
        for row in try Table("http/dates.tsv").texts {
            let point = try Timestamp(parsing: row[0])
            #expect(try point.httpDate() == row[1])
            for text in row[1...] { #expect(try Timestamp(httpDate: text, at: point) == point, "\(text)") }
        }
    }

    @Test("RFC 3339 spelling", .proves("RFC3339-5.6"))
    func description() {
        #expect(Timestamp(seconds: 1_700_000_000, nanoseconds: 250_000_000).description == "2023-11-14T22:13:20.25Z")
        #expect(Timestamp(seconds: -62_167_219_200).description == "0000-01-01T00:00:00Z")
        #expect(Timestamp(seconds: -62_167_219_201).description == "-0001-12-31T23:59:59Z")
        #expect(Timestamp(seconds: 253_402_300_800).description == "+10000-01-01T00:00:00Z")
        #expect(Timestamp(seconds: -1, nanoseconds: 999_999_999).description == "1969-12-31T23:59:59.999999999Z")
        #expect(Timestamp.distantFuture.description == "+292277026596-12-04T15:30:07.999999999Z")
        #expect(Timestamp.distantPast.description == "-292277022657-01-27T08:29:52Z")
    }

    @Test("two digits mean the year that is not more than fifty years ahead", .proves("RFC9110-5.6.7"))
    func twoDigits() throws {
        let noon = Timestamp(seconds: 1_767_268_800)  // 2026-01-01T12:00:00Z
        #expect(
            try Timestamp(httpDate: "Wednesday, 01-Jan-76 00:00:00 GMT", at: noon).description == "2076-01-01T00:00:00Z"
        )
        #expect(
            try Timestamp(httpDate: "Friday, 02-Jan-76 00:00:00 GMT", at: noon).description == "1976-01-02T00:00:00Z")
        #expect(
            try Timestamp(httpDate: "Sunday, 06-Nov-94 08:49:37 GMT", at: noon).description == "1994-11-06T08:49:37Z")
    }

    @Test("a leap second is the first second of the next day", .proves("RFC9110-5.6.7"))
    func leapSecond() throws {
        let point = try Timestamp(httpDate: "Sat, 31 Dec 2016 23:59:60 GMT", at: .epoch)
        #expect(try point.httpDate() == "Sun, 01 Jan 2017 00:00:00 GMT")
    }

    @Test(
        "one fault each", .proves("RFC9110-5.6.7"),
        arguments: [
            ("", .malformed(.time, offset: 0)), ("Sun, 06 Nov 1994 08:49:37 UTC", .malformed(.time, offset: 25)),
            ("Sun, 06 Nov 1994 08:49:37", .malformed(.time, offset: 25)),
            ("Sun, 06 Nov 1994 08:49:37 GMT ", .malformed(.time, offset: 29)),
            ("sun, 06 Nov 1994 08:49:37 GMT", .malformed(.time, offset: 0)),
            ("Sun, 6 Nov 1994 08:49:37 GMT", .malformed(.time, offset: 6)),
            ("Sun, 06 nov 1994 08:49:37 GMT", .malformed(.time, offset: 8)),
            ("Sun, 06 Nov 94 08:49:37 GMT", .malformed(.time, offset: 14)),
            ("Sun,06 Nov 1994 08:49:37 GMT", .malformed(.time, offset: 3)),
            ("Sun, 06 Nov 1994 8:49:37 GMT", .malformed(.time, offset: 18)),
            ("Sun, 06 Nov 1994 08:49 GMT", .malformed(.time, offset: 22)),
            ("Sun Nov 6 08:49:37 1994", .malformed(.time, offset: 9)),
            ("Sun Nov 06 08:49:37 94", .malformed(.time, offset: 22)),
            ("Sunday, 06 Nov 94 08:49:37 GMT", .malformed(.time, offset: 10)),
            ("Sun, 31 Nov 1994 08:49:37 GMT", .noSuchDate),
            ("Sun, 00 Nov 1994 08:49:37 GMT", .noSuchDate), ("Wed, 29 Feb 1995 08:49:37 GMT", .noSuchDate),
            ("Sun, 06 Nov 1994 24:00:00 GMT", .noSuchDate),
            ("Sun, 06 Nov 1994 08:60:00 GMT", .noSuchDate), ("Sun, 06 Nov 1994 08:49:60 GMT", .noSuchDate),
            ("Mon, 06 Nov 1994 08:49:37 GMT", .wrongWeekday),
            ("Monday, 06-Nov-94 08:49:37 GMT", .wrongWeekday), ("Mon Nov  6 08:49:37 1994", .wrongWeekday),
        ] as [(String, SyntaxError)])
    func faults(text: String, expected: SyntaxError) {
        #expect(rejection { () throws(SyntaxError) in try Timestamp(httpDate: text, at: .epoch) } == expected)
    }

    @Test("every proper prefix is refused, at any time", .proves("RFC9110-5.6.7"))
    func prefixes() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            for length in 0..<text.utf8.count {
                for now in [Timestamp.epoch, .distantPast, .distantFuture] {
                    #expect((try? Timestamp(httpDate: String(text.prefix(length)), at: now)) == nil)
                }
            }
        }
    }

    @Test("no year beyond four digits is written, and none is read that overflows", .proves("threat-15"))
    func range() {
        #expect(
            rejection { () throws(SyntaxError) in try Timestamp(seconds: 253_402_300_800).httpDate() }
                == .yearOutOfRange)
        #expect(rejection { () throws(SyntaxError) in try Timestamp.distantPast.httpDate() } == .yearOutOfRange)
        for weekday in ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] {
            for now in [Timestamp.distantFuture, .distantPast] {
                for year in 10...99 { _ = try? Timestamp(httpDate: "\(weekday), 01-Dec-\(year) 08:49:37 GMT", at: now) }
            }
        }
    }

    @Test("mutated dates never trap, and what is read names itself", .proves("threat-15"))
    func mutated() {
        let seed: UInt64 = 46
        var generator = SeededGenerator(seed: seed)
        let forms = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"].map
        { Array($0.utf8) }
        for round in 0..<10_000 {
            let text = generator.mutated(generator.pick(forms), with: "0123456789 :,-GMTSunovDecJaFb")
            guard let point = try? Timestamp(httpDate: text.span, at: .epoch) else { continue }
            let written = try? point.httpDate()
            #expect(written != nil, "seed \(seed), round \(round)")
            #expect(
                written.flatMap { try? Timestamp(httpDate: $0, at: .epoch) } == point, "seed \(seed), round \(round)")
        }
    }
}
