// Dates and times (XML Schema part 2): the form of each of the eight types, and their order.

import TextValues

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
        Double(seconds) + (Double("0.\(fraction)") ?? 0)
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
        seconds = date.daysSince1970 * 86_400 + time.seconds - offset
        fraction = time.fraction
    }

    /// Reads the parts of a date. Missing parts default to those of January 1, 2000, in a leap year.
    private static func date(_ scanner: inout TextScanner, _ shape: Shape) -> CivilDay? {
        var (year, month) = (2000, 1)
        switch shape {
        case .time: return CivilDay(year: year, month: month, day: 1)
        case .dateTime, .date, .yearMonth, .year:
            guard let read = Self.year(&scanner) else { return nil }
            year = read
            if shape == .year { return CivilDay(year: year, month: month, day: 1) }
            if !scanner.take("-") { return nil }
        case .monthDay, .month:
            guard scanner.take("-"), scanner.take("-") else { return nil }
        case .day:
            guard scanner.take("-"), scanner.take("-"), scanner.take("-") else { return nil }
        }
        if shape != .day {
            guard let read = scanner.number(digits: 2, 1...12) else { return nil }
            month = read
            if shape == .yearMonth || shape == .month { return CivilDay(year: year, month: month, day: 1) }
            if !scanner.take("-") { return nil }
        }
        return scanner.number(digits: 2, 1...31).flatMap { CivilDay(year: year, month: month, day: $0) }
    }

    /// Reads a year: four digits, or more without leading zeros; never the year 0. The year before 1 is -1.
    private static func year(_ scanner: inout TextScanner) -> Int? {
        let isNegative = scanner.take("-")
        guard let digits = scanner.digits(), (4...maximumYearDigits).contains(digits.utf8.count),
            digits.utf8.count == 4 || digits.first != "0", let year = Int(digits), year > 0
        else { return nil }
        return isNegative ? 1 - year : year
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
}
