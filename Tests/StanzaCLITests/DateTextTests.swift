// Points in time as text.

import Foundation
import Testing

@testable import StanzaCLI

@Suite("Dates as text")
struct DateTextTests {
    @Test(
        "are those of XEP-0082",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_031_699_305, "2002-09-10T23:08:25Z"), (-1, "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (0.5, "1970-01-01T00:00:00.500Z"),
            (-0.25, "1969-12-31T23:59:59.750Z"),
            (1_700_000_000.123456, "2023-11-14T22:13:20.123Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_800, "253402300800.0"),
        ])
    func examples(seconds: Double, text: String) {
        #expect(Date(timeIntervalSince1970: seconds).dateTimeText == text)
    }
}
