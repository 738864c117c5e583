extension Timestamp {
    /// The point as RFC 3339 writes it in UTC; years beyond four digits are written with their sign, as ISO 8601
    /// extends it.
    public var description: String {
        let moment = Moment(self)
        let sign = moment.year < 0 ? "-" : moment.year > 9_999 ? "+" : ""
        return sign + padded(moment.year.magnitude, to: 4) + "-" + padded(moment.month) + "-" + padded(moment.day)
            + "T" + moment.time + Self.fraction(nanoseconds) + "Z"
    }

    /// The second as an HTTP field writes it (IMF-fixdate, RFC 9110 §5.6.7); a fraction is dropped.
    package func httpDate() throws(SyntaxError) -> String {
        let moment = Moment(self)
        guard 0...9_999 ~= moment.year else { throw .yearOutOfRange }
        return Moment.shortWeekdays[moment.weekday] + ", " + padded(moment.day) + " " + Moment.months[moment.month - 1]
            + " " + padded(moment.year, to: 4) + " " + moment.time + " GMT"
    }

    /// Reads an HTTP date in any of its three forms (RFC 9110 §5.6.7).
    ///
    /// The form of RFC 850 names two digits of the year only: it is the year that lies less than fifty years after now,
    /// and not a hundred years before that.
    package init(httpDate text: String, at now: Timestamp) throws(SyntaxError) {
        self = try withBytes(of: text.utf8) { bytes throws(SyntaxError) in try Timestamp(httpDate: bytes, at: now) }
    }

    /// Reads an HTTP date in any of its three forms from bytes.
    package init(httpDate bytes: Span<UInt8>, at now: Timestamp) throws(SyntaxError) {
        var at = 0
        let name = try HTTPDateText.name(among: Moment.weekdays + Moment.shortWeekdays, in: bytes, at: &at)
        let layout =
            name < 7
            ? HTTPDateText.rfc850
            : at < bytes.count && bytes[at] == UInt8(ascii: ",") ? HTTPDateText.fixed : HTTPDateText.asctime
        var (year, month, day, second) = (0 as Int64, 0, 0, 0)
        for part in layout {
            switch part {
            case "day": day = try HTTPDateText.digits(2, in: bytes, at: &at)
            case "padded day":
                let isShort = at < bytes.count && bytes[at] == UInt8(ascii: " ")
                if isShort { at += 1 }
                day = try HTTPDateText.digits(isShort ? 1 : 2, in: bytes, at: &at)
            case "month": month = try HTTPDateText.name(among: Moment.months, in: bytes, at: &at) + 1
            case "year": year = Int64(try HTTPDateText.digits(4, in: bytes, at: &at))
            case "short year":
                let digits = try HTTPDateText.digits(2, in: bytes, at: &at)
                year = Moment.year(endingIn: digits, month: month, day: day, at: now)
            case "time": second = try HTTPDateText.time(in: bytes, at: &at)
            default: try HTTPDateText.skip(part, in: bytes, at: &at)
            }
        }
        guard at == bytes.count else { throw .malformed(.time, offset: at) }
        guard day >= 1, day <= Moment.dayCount(ofMonth: month, year: year) else { throw .noSuchDate }
        let days = Moment.days(year: year, month: month, day: day)
        guard Moment.weekday(ofDay: days) == name % 7 else { throw .wrongWeekday }
        let (midnight, isTooFar) = days.multipliedReportingOverflow(by: 86_400)
        let (seconds, carry) = midnight.addingReportingOverflow(Int64(second))
        guard !isTooFar, !carry else { throw .outOfRange }
        self.init(seconds: seconds)
    }
}

private func padded(_ number: some BinaryInteger, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// The proleptic Gregorian calendar in UTC.
private struct Moment {
    let year: Int64
    let month: Int
    let day: Int
    let second: Int
    let weekday: Int

    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let shortWeekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    init(_ point: Timestamp) {
        let days = Self.floorDivided(point.seconds, by: 86_400)
        let rest = point.seconds % 86_400
        second = Int(rest < 0 ? rest + 86_400 : rest)
        weekday = Self.weekday(ofDay: days)
        // Eras of 400 years, the years of which begin in March, so that the leap day is the last of a year.
        let shifted = days + 719_468
        let era = Self.floorDivided(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// hh:mm:ss.
    var time: String {
        padded(second / 3_600) + ":" + padded(second / 60 % 60) + ":" + padded(second % 60)
    }

    /// The days from the epoch to a date whose year has four digits at most.
    static func days(year: Int64, month: Int, day: Int) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = floorDivided(marchYear, by: 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func dayCount(ofMonth month: Int, year: Int64) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counted from Sunday; the epoch was a Thursday.
    static func weekday(ofDay days: Int64) -> Int {
        let rest = (days % 7 + 4) % 7
        return Int(rest < 0 ? rest + 7 : rest)
    }

    /// The last year with these two digits in which the date is not more than fifty years after now.
    static func year(endingIn lastDigits: Int, month: Int, day: Int, at now: Timestamp) -> Int64 {
        let today = Moment(now)
        let limit = (today.year + 50, today.month, today.day)
        let year = floorDivided(today.year, by: 100) * 100 + 100 + Int64(lastDigits)
        if (year, month, day) <= limit { return year }
        return (year - 100, month, day) <= limit ? year - 100 : year - 200
    }

    private static func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }
}

/// The three forms of an HTTP date (RFC 9110 §5.6.7), and the parts that they are made of.
private enum HTTPDateText {
    /// What follows the name of the weekday, in its order: names of parts, and texts that stand there as they are.
    static let fixed = [", ", "day", " ", "month", " ", "year", " ", "time", " GMT"]
    static let rfc850 = [", ", "day", "-", "month", "-", "short year", " ", "time", " GMT"]
    static let asctime = [" ", "month", " ", "padded day", " ", "time", " ", "year"]

    static func skip(_ literal: String, in bytes: Span<UInt8>, at offset: inout Int) throws(SyntaxError) {
        guard matches(literal, in: bytes, at: offset) else { throw .malformed(.time, offset: offset) }
        offset += literal.utf8.count
    }

    static func digits(_ width: Int, in bytes: Span<UInt8>, at offset: inout Int) throws(SyntaxError) -> Int {
        var number = 0
        for _ in 0..<width {
            guard offset < bytes.count, ASCII.isDigit(bytes[offset]) else { throw .malformed(.time, offset: offset) }
            number = number * 10 + Int(bytes[offset] - UInt8(ascii: "0"))
            offset += 1
        }
        return number
    }

    /// hh:mm:ss as seconds of the day; the last second of a day may be a leap second, which is the first one of the
    /// next day.
    static func time(in bytes: Span<UInt8>, at offset: inout Int) throws(SyntaxError) -> Int {
        let hour = try digits(2, in: bytes, at: &offset)
        try skip(":", in: bytes, at: &offset)
        let minute = try digits(2, in: bytes, at: &offset)
        try skip(":", in: bytes, at: &offset)
        let second = try digits(2, in: bytes, at: &offset)
        let isLeapSecond = (hour, minute, second) == (23, 59, 60)
        guard hour < 24, minute < 60, second < 60 || isLeapSecond else { throw .noSuchDate }
        return hour * 3_600 + minute * 60 + second
    }

    /// The position of the name that stands at the offset.
    static func name(among names: [String], in bytes: Span<UInt8>, at offset: inout Int) throws(SyntaxError) -> Int {
        for (index, name) in names.enumerated() where matches(name, in: bytes, at: offset) {
            offset += name.utf8.count
            return index
        }
        throw .malformed(.time, offset: offset)
    }

    private static func matches(_ literal: String, in bytes: Span<UInt8>, at offset: Int) -> Bool {
        var index = offset
        for byte in literal.utf8 {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }
}
