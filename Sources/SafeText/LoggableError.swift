// Errors in logs, which people outside of a session may read.

/// An error with a text for logs: without content of stanzas, values of the app, accounts and paths, which may contain
/// the names of users.
package protocol LoggableError: Error {
    /// The text for logs.
    var logText: String { get }
}

extension Error {
    /// The text for logs. Of an error that is not loggable, only the type is safe.
    package var loggable: String { (self as? any LoggableError)?.logText ?? "\(type(of: self))" }
}
