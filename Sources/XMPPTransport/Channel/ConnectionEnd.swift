// The reason for the end of a connection. It does not know NIO: InboundBytes.swift finds the causes.

import Foundation

/// Remembers why a connection has ended. The first cause counts: all later errors, of pending and later operations,
/// only follow from it.
struct ConnectionEnd: Equatable {
    enum Cause: Equatable {
        /// The other side, or a device on the path, has ended the connection.
        case remote
        /// The system has reported an error, with this number.
        case system(Int32)
        /// The bytes break the rules of TLS, for instance.
        case invalid
        /// This side has ended the connection. Its users get this error.
        case local(XMPPConnectionError)
    }

    private var cause: Cause?

    mutating func note(_ cause: Cause) {
        if self.cause == nil { self.cause = cause }
    }

    /// The error that each operation throws from then on; `nil` while the connection works.
    var error: XMPPConnectionError? {
        switch cause {
        case nil: nil
        case .remote, .system(ECONNRESET), .system(EPIPE): .connectionReset
        // The system has given up, after a timeout for instance.
        case .system, .invalid: .connectionLost
        case .local(let error): error
        }
    }
}
