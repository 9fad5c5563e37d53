// Dates and times (XML Schema part 2): the form of each of the eight types, and their order.

/// A point in time, or in the year, month or day, of one of the datatypes of dates and times.
///
/// A missing zone counts as UTC, which also decides the order that the standard leaves undefined.
struct TimePoint: Comparable {
    /// Seconds on a time line that all values of one datatype share.
    private let seconds: Int
    /// The digits of the fraction of a second, without trailing zeros.
    private let fraction: String

    static func < (one: TimePoint, other: TimePoint) -> Bool {
        (one.seconds, one.fraction) < (other.seconds, other.fraction)
    }

    /// The seconds since 1970, for a date and time.
    var secondsSince1970: Double {
        Double(seconds - Self.days((1970, 1, 1)) * 86_400) + (Double("0.\(fraction)") ?? 0)
    }

    /// The parts of a datatype.
    enum Shape {
        case dateTime, date, time, yearMonth, year, monthDay, day, month
    }

    /// The maximum number of digits in a year: a limit of this module, far beyond real dates.
    static let maximumYearDigits = 9

    /// `nil` for text that is not of that datatype.
    init?(_ text: Substring, _ shape: Shape) {
        var scanner = TextScanner(text)
        guard let date = Self.date(&scanner, shape) else { return nil }
        var time = (seconds: 0, fraction: "")
        if shape == .dateTime || shape == .time {
            if shape == .dateTime, !scanner.take("T") { return nil }
            guard let read = Self.time(&scanner) else { return nil }
            time = read
        }
        guard let offset = Self.zone(&scanner), scanner.isAtEnd else { return nil }
        seconds = Self.days(date) * 86_400 + time.seconds - offset
        fraction = time.fraction
    }

    private typealias Date = (year: Int, month: Int, day: Int)

    /// Reads the parts of a date. Missing parts default to those of January 1, 2000, in a leap year.
    private static func date(_ scanner: inout TextScanner, _ shape: Shape) -> Date? {
        var date = Date(year: 2000, month: 1, day: 1)
        switch shape {
        case .time: return date
        case .dateTime, .date, .yearMonth, .year:
            guard let year = year(&scanner) else { return nil }
            date.year = year
            if shape == .year { return date }
            if !scanner.take("-") { return nil }
        case .monthDay, .month:
            guard scanner.take("-"), scanner.take("-") else { return nil }
        case .day:
            guard scanner.take("-"), scanner.take("-"), scanner.take("-") else { return nil }
        }
        if shape != .day {
            guard let month = scanner.number(digits: 2, 1...12) else { return nil }
            date.month = month
            if shape == .yearMonth || shape == .month { return date }
            if !scanner.take("-") { return nil }
        }
        guard let day = scanner.number(digits: 2, 1...length(ofMonth: date.month, year: date.year)) else { return nil }
        date.day = day
        return date
    }

    /// Reads a year: four digits, or more without leading zeros; never the year 0.
    private static func year(_ scanner: inout TextScanner) -> Int? {
        let isNegative = scanner.take("-")
        guard let digits = scanner.digits(), (4...maximumYearDigits).contains(digits.utf8.count),
            digits.utf8.count == 4 || digits.first != "0", let year = Int(digits), year > 0
        else { return nil }
        return isNegative ? -year : year
    }

    /// Reads a time. The midnight at the end of a day is `24:00:00`, and equals the start of the next day.
    private static func time(_ scanner: inout TextScanner) -> (seconds: Int, fraction: String)? {
        guard let hour = scanner.number(digits: 2, 0...24), scanner.take(":"),
            let minute = scanner.number(digits: 2, 0...59), scanner.take(":"),
            let second = scanner.number(digits: 2, 0...59)
        else { return nil }
        var fraction = ""
        if scanner.take(".") {
            guard let digits = scanner.digits() else { return nil }
            fraction = String(digits.reversed().drop { $0 == "0" }.reversed())
        }
        if hour == 24, minute > 0 || second > 0 || !fraction.isEmpty { return nil }
        return (hour * 3600 + minute * 60 + second, fraction)
    }

    /// Reads a zone as seconds east of UTC: 0 if it is missing, `nil` if it is invalid.
    private static func zone(_ scanner: inout TextScanner) -> Int? {
        if scanner.isAtEnd || scanner.take("Z") { return 0 }
        let isWest = scanner.take("-")
        guard isWest || scanner.take("+"), let hour = scanner.number(digits: 2, 0...14), scanner.take(":"),
            let minute = scanner.number(digits: 2, 0...(hour == 14 ? 0 : 59))
        else { return nil }
        return (hour * 3600 + minute * 60) * (isWest ? -1 : 1)
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether a year is a leap year. The year before 1 is -1, because year 0 does not exist.
    private static func isLeap(_ year: Int) -> Bool {
        let year = year < 0 ? year + 1 : year
        return year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    /// Days since a fixed day in the past, in the proleptic Gregorian calendar.
    private static func days(_ date: Date) -> Int {
        // Count years from March, so that the leap day is the last day of a year.
        let year = (date.year < 0 ? date.year + 1 : date.year) - (date.month < 3 ? 1 : 0)
        let month = (date.month + 9) % 12
        let centuries = year >= 0 ? year / 100 : (year - 99) / 100
        let fours = year >= 0 ? year / 4 : (year - 3) / 4
        let leaps = fours - centuries + (centuries >= 0 ? centuries / 4 : (centuries - 3) / 4)
        return year * 365 + leaps + (month * 153 + 2) / 5 + date.day
    }
}
