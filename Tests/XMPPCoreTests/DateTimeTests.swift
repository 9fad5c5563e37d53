// Times as text (XEP-0082).

import Foundation
import Testing
import XMPPCore

@Suite struct DateTimeTests {
    /// Seconds and milliseconds of the example of XEP-0082 §3.2, the beginning of time, and a time before it.
    @Test(arguments: [
        (1_031_699_305.0, "2002-09-10T23:08:25.000Z"), (0, "1970-01-01T00:00:00.000Z"),
        (-1.5, "1969-12-31T23:59:58.500Z"), (1_709_210_096.25, "2024-02-29T12:34:56.250Z"),
    ])
    func texts(seconds: Double, text: String) {
        #expect(Date(timeIntervalSince1970: seconds).xmppDateTime == text)
    }
}
