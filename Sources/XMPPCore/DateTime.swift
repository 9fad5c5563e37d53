// Writes points in time as text (XEP-0082). StanzaQuery and DataForms have their own readers.

public import Foundation

extension Date {
    /// The DateTime of XEP-0082 in UTC, with milliseconds: `2002-09-10T23:08:25.000Z`.
    public var xmppDateTime: String { formatted(ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
