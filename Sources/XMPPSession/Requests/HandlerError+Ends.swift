// Errors of handlers that have ended, and of handlers that this program does not know.

import Handlers

extension HandlerError {
    /// Whether the error reports a handler that has ended, or is gone.
    var isOfAnEndedHandler: Bool {
        switch kind {
        case .alreadyCalled, .alreadyInvalidated, .notStored: true
        default: false
        }
    }

    /// Whether the error reports a handler, or a bound value, that this program cannot load.
    var isOfAnUnknownHandler: Bool {
        switch kind {
        case .unknownHandler, .unknownVersion, .unknownType, .migrationFailed: true
        default: false
        }
    }
}
