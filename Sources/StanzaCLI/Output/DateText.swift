// Points in time of results.

import Foundation
import TextValues

extension Date {
    /// The DateTime of XEP-0082 in UTC, with milliseconds if it has any: `2002-09-10T23:08:25Z`. A query gives no date
    /// outside of the years 0001 to 9999 (4.4). Any other is the number of seconds since 1970.
    var dateTimeText: String {
        guard let text = DateTimeText.text(secondsSince1970: timeIntervalSince1970) else { return "\(unixSeconds)" }
        return text.hasSuffix(".000Z") ? text.dropLast(5) + "Z" : text
    }

    /// Seconds since 1970, as close as a date keeps them.
    var unixSeconds: Double { (timeIntervalSince1970 * 1e6).rounded() / 1e6 }
}
