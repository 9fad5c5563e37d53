// Writes points in time as text (XEP-0082). StanzaQuery and DataForms have their own readers.

public import Foundation
import TextValues

extension Date {
    /// The DateTime of XEP-0082 in UTC, rounded to the nearest millisecond: `2002-09-10T23:08:25.000Z`.
    ///
    /// Dates are those of the proleptic Gregorian calendar (XEP-0082 §3.2, XML Schema part 2).
    ///
    /// - Throws: `DateTimeError` for a date outside of the years 0001 to 9999, such as `Date.distantPast`.
    public var xmppDateTime: String {
        get throws(DateTimeError) {
            guard let text = DateTimeText.text(secondsSince1970: timeIntervalSince1970) else {
                throw DateTimeError(secondsSince1970: timeIntervalSince1970)
            }
            return text
        }
    }
}

/// The error for a date that has no text in XMPP, whose years have four digits.
public struct DateTimeError: Error, Sendable, Hashable {
    /// The date, in seconds since 1970.
    public let secondsSince1970: Double

    init(secondsSince1970: Double) {
        self.secondsSince1970 = secondsSince1970
    }
}

extension DateTimeError: CustomStringConvertible, LocalizedError {
    public var description: String {
        "the date \(secondsSince1970) s after 1970 has no text: use the years 0001 to 9999"
    }

    public var errorDescription: String? { description }
}
