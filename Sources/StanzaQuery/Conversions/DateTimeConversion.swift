// XEP-0082 DateTime, and the legacy format of XEP-0091, as a point in time (4.4). A pure function over bytes.

/// Reads points in time.
enum DateTimeConversion {
    /// Seconds since 1970-01-01T00:00:00Z; `nil` when the text is not a valid DateTime.
    static func secondsSince1970(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var reader = DateTimeReader(text)
        return text.count == legacyLength ? reader.legacy() : reader.dateTime()
    }

    /// `CCYYMMDDThh:mm:ss`; a DateTime of XEP-0082 is longer.
    private static let legacyLength = 17
}

/// Takes the parts of a date from the front of a text.
private struct DateTimeReader {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// `CCYY-MM-DDThh:mm:ss[.s+](Z|±hh:mm)`
    mutating func dateTime() -> Double? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2), skip("T"), let seconds = timeOfDay(),
            let days = Self.days(year: year, month: month, day: day),
            let fraction = fraction(), let offset = offset(), position == text.count
        else { return nil }
        return Double(days * 86_400 + seconds - offset) + fraction
    }

    /// `CCYYMMDDThh:mm:ss`, in UTC.
    mutating func legacy() -> Double? {
        guard let year = number(digits: 4), let month = number(digits: 2), let day = number(digits: 2), skip("T"),
            let seconds = timeOfDay(), let days = Self.days(year: year, month: month, day: day),
            position == text.count
        else { return nil }
        return Double(days * 86_400 + seconds)
    }

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

    /// Days since 1970-01-01 in the proleptic Gregorian calendar; `nil` if the day does not exist.
    private static func days(year: Int, month: Int, day: Int) -> Int? {
        guard year >= 1, (1...12).contains(month) else { return nil }
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        func length(_ month: Int) -> Int {
            switch month {
            case 2: isLeapYear ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }
        let daysBefore = (1..<month).reduce(0) { $0 + length($1) }
        guard (1...length(month)).contains(day) else { return nil }
        let years = year - 1
        // 719,162 is the number of days from 0001-01-01 to 1970-01-01.
        return years * 365 + years / 4 - years / 100 + years / 400 + daysBefore + day - 1 - 719_162
    }
}
