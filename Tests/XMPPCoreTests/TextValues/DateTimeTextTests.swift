// Points in time as text, and the calendar of their dates.

import TestSupport
import Testing
import TextValues

@Suite struct DateTimeTextTests {
    private static let milliseconds = -62_135_596_800_000...253_402_300_799_999

    private func reading(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { DateTimeText.secondsSince1970($0) }
    }

    @Test(arguments: [
        (1_031_699_305.0, "2002-09-10T23:08:25.000Z"), (0, "1970-01-01T00:00:00.000Z"),
        (-1.5, "1969-12-31T23:59:58.500Z"), (1_709_210_096.25, "2024-02-29T12:34:56.250Z"),
        (1_674_036_251.123, "2023-01-18T10:04:11.123Z"), (-14_826_672_000, "1500-03-01T00:00:00.000Z"),
        (-62_135_596_800, "0001-01-01T00:00:00.000Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
        (0.0006, "1970-01-01T00:00:00.001Z"), (-0.0006, "1969-12-31T23:59:59.999Z"),
        (253_402_300_799.9999, "9999-12-31T23:59:59.999Z"), (1_700_000_000.9999, "2023-11-14T22:13:21.000Z"),
    ])
    func writing(seconds: Double, text: String) {
        #expect(DateTimeText.text(secondsSince1970: seconds) == text)
    }

    @Test(arguments: [
        -62_135_596_800.001, -62_135_596_801, 253_402_300_800, 1e300, -1e300, .infinity, -.infinity, .nan,
    ])
    func yearsWithoutFourDigits(seconds: Double) {
        #expect(DateTimeText.text(secondsSince1970: seconds) == nil)
    }

    /// The point decides, not the written year: 4.4 has the cases of all conversions.
    @Test func pointsOutOfRange() {
        #expect(reading("0001-01-01T00:00:00+00:01") == nil)
        #expect(reading("0001-01-01T00:00:00-00:01") == -62_135_596_740)
        #expect(reading("0000-12-31T23:59:00-00:01") == nil)
        #expect(reading("9999-12-31T23:59:59-00:01") == nil)
        #expect(reading("9999-12-31T23:59:59.999999999Z").map { $0 < 253_402_300_800 } == true)
    }

    /// Each text is read as the number from which it was written, and written again the same.
    @Test func roundTrips() {
        var random = SeededGenerator(salt: 0x7157)
        for _ in 0..<SeededGenerator.cases(default: 20_000) {
            let milliseconds = random.number(Self.milliseconds)
            let text = DateTimeText.text(secondsSince1970: Double(milliseconds) / 1000) ?? ""
            let read = reading(text) ?? .nan
            #expect(Int((read * 1000).rounded()) == milliseconds, "\(milliseconds), seed \(SeededGenerator.seed)")
            #expect(DateTimeText.text(secondsSince1970: read) == text, "\(text), seed \(SeededGenerator.seed)")
        }
    }

    /// All milliseconds of a second, in some years.
    @Test func everyMillisecond() {
        var random = SeededGenerator(salt: 0x7158)
        for _ in 0..<10 {
            let second = random.number(-62_135_596_800...253_402_300_799)
            for millisecond in 0..<1000 {
                let text = DateTimeText.text(secondsSince1970: Double(second) + Double(millisecond) / 1000) ?? ""
                #expect(text.hasSuffix(".\(String(millisecond + 1000).dropFirst())Z"), "second \(second)")
            }
        }
    }

    /// Each day of a thousand years follows the one before, on both sides of year 1.
    @Test func calendar() {
        var previous = CivilDay(daysSince1970: -1_000_001)
        for number in -1_000_000...(-630_000) {
            let day = CivilDay(daysSince1970: number)
            let isNextDay = (day.year, day.month, day.day) == (previous.year, previous.month, previous.day + 1)
            let isNextMonth =
                day.day == 1 && (day.month == previous.month + 1 || day.month == 1 && day.year == previous.year + 1)
            let isLast = CivilDay(year: previous.year, month: previous.month, day: previous.day + 1) == nil
            let isSame =
                day.daysSince1970 == number && CivilDay(year: day.year, month: day.month, day: day.day) == day
            if !isSame || !(isLast ? isNextMonth : isNextDay) { Issue.record("\(previous), \(day)") }
            previous = day
        }
        #expect(CivilDay(year: 1970, month: 1, day: 1)?.daysSince1970 == 0)
        #expect(CivilDay(year: 1582, month: 10, day: 10)?.daysSince1970 == -12_219_724_800 / 86_400)
    }

    @Test(arguments: [
        (1900, 2, 29), (1500, 2, 29), (2003, 2, 29), (2004, 2, 30), (2004, 4, 31), (2004, 13, 1), (2004, 0, 1),
    ])
    func daysThatDoNotExist(year: Int, month: Int, day: Int) {
        #expect(CivilDay(year: year, month: month, day: day) == nil)
        #expect(CivilDay(year: year, month: month, day: 0) == nil)
    }
}
