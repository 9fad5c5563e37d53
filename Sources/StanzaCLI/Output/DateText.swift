// Points in time as text (XEP-0082), without calendars and locales of the system.

import Foundation

extension Date {
    /// The XEP-0082 DateTime in UTC: `2002-09-10T23:08:25Z`, with up to six digits of fraction.
    var dateTimeText: String {
        let microseconds = Int((timeIntervalSince1970 * 1e6).rounded())
        let (seconds, fraction) = microseconds.flooredQuotientAndRemainder(by: 1_000_000)
        let (days, second) = seconds.flooredQuotientAndRemainder(by: 86_400)
        let (year, month, day) = Self.civil(days)
        var text = "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))T"
        text += "\((second / 3600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))"
        if fraction != 0 {
            var digits = fraction.padded(6)
            while digits.hasSuffix("0") { digits.removeLast() }
            text += "." + digits
        }
        return text + "Z"
    }

    /// Seconds since 1970, as close as a date keeps them.
    var unixSeconds: Double { (timeIntervalSince1970 * 1e6).rounded() / 1e6 }

    /// Year, month and day of a day of the proleptic Gregorian calendar, counted from 1970-01-01.
    ///
    /// Years begin in March here, so that the leap day is the last one and months follow each other by 153 days in 5.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int {
    fileprivate func flooredQuotientAndRemainder(by divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
