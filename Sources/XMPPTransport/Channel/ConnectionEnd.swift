// The reason for the end of a connection. It does not use NIO: InboundBytes.swift finds the causes.

import Foundation

/// Remembers the cause of a connection's end. The first cause counts, because it causes all later errors.
struct ConnectionEnd: Equatable {
    enum Cause: Equatable {
        /// The other side, or a device on the path, has ended the connection.
        case remote
        /// The system has reported an error, with this number.
        case system(Int32)
        /// The bytes are invalid: they break the rules of TLS, for instance.
        case invalid
        /// This side has ended the connection. All operations throw this error.
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

    /// The error of an end below TLS, which TLS reports as an incomplete handshake only; `nil` if the bytes broke the
    /// rules of TLS, or the connection works.
    var errorBelowTLS: XMPPConnectionError? { cause == .invalid ? nil : error }
}
