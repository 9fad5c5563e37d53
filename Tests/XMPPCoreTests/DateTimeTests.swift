// Dates as text (XEP-0082). DateTimeTextTests has the limits and the random times.

import Foundation
import Testing
import XMPPCore

@Suite struct DateTimeTests {
    /// Seconds and milliseconds of the example of XEP-0082 §3.2, a time before 1970, and one before the Gregorian
    /// reform.
    @Test(arguments: [
        (1_031_699_305.0, "2002-09-10T23:08:25.000Z"), (-1.5, "1969-12-31T23:59:58.500Z"),
        (1_674_036_251.123, "2023-01-18T10:04:11.123Z"), (-14_826_672_000, "1500-03-01T00:00:00.000Z"),
    ])
    func texts(seconds: Double, text: String) throws {
        #expect(try Date(timeIntervalSince1970: seconds).xmppDateTime == text)
    }

    @Test func datesWithoutText() throws {
        for date in [.distantPast, Date(timeIntervalSince1970: 253_402_300_800), Date(timeIntervalSince1970: .nan)] {
            #expect(throws: DateTimeError.self) { try date.xmppDateTime }
        }
        let error = #expect(throws: DateTimeError.self) {
            try Date(timeIntervalSince1970: 253_402_300_800).xmppDateTime
        }
        #expect(error?.secondsSince1970 == 253_402_300_800)
        #expect(
            error?.localizedDescription
                == "the date 253402300800.0 s after 1970 has no text: use the years 0001 to 9999")
    }
}
