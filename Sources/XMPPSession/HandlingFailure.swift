// Whose fault it is when handling fails.

import Handlers
import Persistence
import StreamManagement

/// What to do when a stanza, or the end of a request, could not be handled.
enum HandlingFailure {
    /// Nothing: it will come again, here or elsewhere.
    case comesAgain
    /// Try again soon, as often as need be: that is nobody's fault here.
    case isTemporary
    case failed

    /// Of what a handler has thrown. Whatever that is, it says nothing of the session.
    init(handler error: any Error) {
        switch error {
        case is CancellationError where Task.isCancelled: self = .comesAgain
        case is RequestIsEnding, is RequestHasEnded, RequestError.disconnected, RequestError.suspended:
            self = .isTemporary
        default: self = .failed
        }
    }

    /// Of what settling has thrown.
    init(settling error: any Error) {
        switch error {
        // Of somebody else's doing: the next attempt finds how it came out.
        case let error as EffectsError where error.underlying is RequestIsEnding: self = .isTemporary
        case let error as EffectsError where error.underlying is RequestHasEnded: self = .isTemporary
        case is EffectsError: self = .failed
        case StreamManagementError.notAStanza, StreamManagementError.queueFull: self = .failed
        // The session was laid aside, lost to another process, or closed.
        case is StorageError, StreamManagementError.comesAgain, StreamManagementError.ended: self = .comesAgain
        case is CancellationError where Task.isCancelled: self = .comesAgain
        // The database could not do it. If that has ended the session's hold of it, the next attempt is told so.
        default: self = .isTemporary
        }
    }

    /// Errors of applications may hold what nobody should read in a log.
    static func loggable(_ error: any Error) -> String {
        switch error {
        case let error as HandlerError: error.description
        case let error as EffectsError: "\(type(of: error.underlying))"
        default: "\(type(of: error))"
        }
    }
}
