// Whose fault it is when handling fails.

import Handlers
import Persistence
import StreamManagement

/// What to do when a stanza, or the end of a request, could not be handled.
enum HandlingFailure {
    /// Nothing: it will come again, here or elsewhere.
    case comesAgain
    /// Try again soon: that is not the stanza's fault.
    case databaseIsBusy
    case failed

    init(_ error: any Error) {
        switch error {
        case is CancellationError, StreamManagementError.comesAgain, StreamManagementError.ended, is StorageError:
            self = .comesAgain
        case StanzaDatabaseError.busy, StanzaDatabaseError.full: self = .databaseIsBusy
        case StanzaDatabaseError.frozen, StanzaDatabaseError.closed: self = .comesAgain
        default: self = .failed
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
