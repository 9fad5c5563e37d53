// Errors of handlers that have ended, and of handlers that this program does not know.

import Handlers

extension HandlerError {
    /// Whether it says that a handler has ended, or is gone.
    var isOfAnEndedHandler: Bool {
        switch kind {
        case .alreadyCalled, .alreadyInvalidated, .notStored: true
        default: false
        }
    }

    /// Whether it says that this program does not know a handler, or what is bound to it.
    var isOfAnUnknownHandler: Bool {
        switch kind {
        case .unknownHandler, .unknownVersion, .unknownType, .migrationFailed: true
        default: false
        }
    }
}
