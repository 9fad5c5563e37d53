// Points in time as text: the DateTime of XEP-0082, and the legacy format of XEP-0091, which is only read.

/// Reads and writes points in time of the years 0001 to 9999 in UTC.
package enum DateTimeText {
    /// The seconds since 1970-01-01T00:00:00Z in which years have four digits.
    private static let seconds = -62_135_596_800..<253_402_300_800

    /// The point in time in UTC, rounded to the nearest millisecond: `2002-09-10T23:08:25.000Z`.
    ///
    /// `nil` outside of the years 0001 to 9999. The last millisecond is also that of the microseconds after it.
    package static func text(secondsSince1970 time: Double) -> String? {
        guard time >= Double(seconds.lowerBound), time < Double(seconds.upperBound) else { return nil }
        let milliseconds = min(Int((time * 1000).rounded()), seconds.upperBound * 1000 - 1)
        let (second, fraction) = milliseconds.flooredQuotientAndRemainder(by: 1000)
        let (days, secondOfDay) = second.flooredQuotientAndRemainder(by: 86_400)
        let date = CivilDay(daysSince1970: days)
        let parts: [(separator: String, number: Int, digits: Int)] = [
            ("", date.year, 4), ("-", date.month, 2), ("-", date.day, 2), ("T", secondOfDay / 3600, 2),
            (":", secondOfDay / 60 % 60, 2), (":", secondOfDay % 60, 2), (".", fraction, 3),
        ]
        return parts.map { $0.separator + $0.number.padded($0.digits) }.joined() + "Z"
    }

    /// Seconds since 1970-01-01T00:00:00Z; `nil` when the text is not a valid DateTime, or out of range in UTC.
    package static func secondsSince1970(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var reader = DateTimeReader(text)
        let time = text.count == legacyLength ? reader.legacy() : reader.dateTime()
        guard let time, seconds.contains(time.seconds) else { return nil }
        // A long fraction of the last second is rounded down.
        return min(Double(time.seconds) + time.fraction, Double(seconds.upperBound).nextDown)
    }

    /// `CCYYMMDDThh:mm:ss`; a DateTime of XEP-0082 is longer.
    private static let legacyLength = 17
}

extension Int {
    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

/// Takes the parts of a date from the front of a text.
private struct DateTimeReader {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// `CCYY-MM-DDThh:mm:ss[.s+](Z|±hh:mm)`
    mutating func dateTime() -> (seconds: Int, fraction: Double)? {
        guard let year = year(), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2), skip("T"), let seconds = timeOfDay(),
            let date = CivilDay(year: year, month: month, day: day),
            let fraction = fraction(), let offset = offset(), position == text.count
        else { return nil }
        return (date.daysSince1970 * 86_400 + seconds - offset, fraction)
    }

    /// `CCYYMMDDThh:mm:ss`, in UTC.
    mutating func legacy() -> (seconds: Int, fraction: Double)? {
        guard let year = year(), let month = number(digits: 2), let day = number(digits: 2), skip("T"),
            let seconds = timeOfDay(), let date = CivilDay(year: year, month: month, day: day), position == text.count
        else { return nil }
        return (date.daysSince1970 * 86_400 + seconds, 0)
    }

    /// Year 0000 does not exist (XML Schema part 2, `dateTime`).
    private mutating func year() -> Int? { number(digits: 4).flatMap { $0 > 0 ? $0 : nil } }

    private mutating func timeOfDay() -> Int? {
        guard let hours = number(digits: 2), hours <= 23, skip(":"), let minutes = number(digits: 2), minutes <= 59,
            skip(":"), let seconds = number(digits: 2), seconds <= 59
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    /// The fraction of a second; zero if the text has none, `nil` if it is empty.
    private mutating func fraction() -> Double? {
        guard skip(".") else { return 0 }
        let start = position
        var value = 0.0
        var scale = 0.1
        while position < text.count, text[position].isDigit {
            value += Double(text[position] - UInt8(ascii: "0")) * scale
            scale /= 10
            position += 1
        }
        return position > start ? value : nil
    }

    /// Seconds east of UTC.
    private mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let sign: Int
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), minutes <= 59,
            hours * 60 + minutes <= 14 * 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func number(digits: Int) -> Int? {
        guard position + digits <= text.count else { return nil }
        var value = 0
        for byte in text[position..<position + digits] {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += digits
        return value
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}
