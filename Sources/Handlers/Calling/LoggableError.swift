// Which errors a log may quote above the debug level.

/// An error whose text holds no values of the app and no content of a stanza.
package protocol LoggableError: Error {
    /// The text for the log.
    var logText: String { get }
}
