// The calendar of all dates in XMPP: days in the proleptic Gregorian calendar, without the system's calendars.

/// A day of the proleptic Gregorian calendar.
package struct CivilDay: Hashable, Sendable {
    /// The year before year 1 is year 0.
    package let year: Int
    package let month: Int
    package let day: Int

    /// `nil` if the day does not exist. Years have at most nine digits.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, year: year)).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter days: The number of days since 1970-01-01.
    package init(daysSince1970 days: Int) {
        let (era, dayOfEra) = (days + Self.daysTo1970).flooredQuotientAndRemainder(by: Self.daysOfEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - Self.daysBefore(yearOfEra: yearOfEra)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01.
    package var daysSince1970: Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredQuotientAndRemainder(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * Self.daysOfEra + Self.daysBefore(yearOfEra: yearOfEra) + dayOfYear - Self.daysTo1970
    }

    // Years begin in March in these numbers. The leap day is then the last one, and months follow each other by 153
    // days in 5. An era has 400 years.

    private static let daysOfEra = 146_097

    /// From 0000-03-01 to 1970-01-01.
    private static let daysTo1970 = 719_468

    private static func daysBefore(yearOfEra: Int) -> Int { yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    /// The quotient, rounded down, and the remainder, which is not negative.
    func flooredQuotientAndRemainder(by divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
