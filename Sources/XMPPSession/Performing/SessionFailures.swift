// The core's view of errors: the handler, the stanza or the database is at fault.

import Handlers
import Persistence
import SessionCore
import StreamManagement

/// Other work has ended the request, or has taken the held stanza, or no route takes it. The next attempt finds the
/// outcome.
struct OutcomeIsOpen: Error {}

extension DurableSessionCore.DatabaseFailure {
    /// The failure of an access to the database or to the stream that stores there.
    init(_ error: any Error) {
        switch error {
        case let error as EffectsError: self.init(error.underlying)
        case StanzaDatabaseError.frozen, is CancellationError: self = .busy
        case _ where error.isTemporaryStorageError: self = .busy
        case StreamManagementError.comesAgain: self = .staleStanza
        // The session is closed, or another process owns it.
        case StorageError.takenOver, StorageError.inUse, StreamManagementError.ended: self = .notOwner
        default: self = .broken
        }
    }
}

extension DurableSessionCore.Failure {
    /// The failure of a handler.
    ///
    /// - Parameters:
    ///   - error: The error that the handler threw.
    ///   - lookUp: The error of the database, if the handler's work could not read there.
    ///   - isInputHeldUp: Whether unhandled stanzas hold up the stream.
    ///   - isClosed: Whether the session is closed.
    init(_ error: any Error, lookUp: (any Error)?, isInputHeldUp: Bool, isClosed: Bool) {
        if let lookUp {
            self = .database(DurableSessionCore.DatabaseFailure(lookUp))
            return
        }
        switch error {
        case RequestError.timedOut: self = .unanswered(isInputHeldUp: isInputHeldUp)
        // Another session may throw it.
        case RequestError.disconnected, RequestError.suspended, is OutcomeIsOpen: self = .interrupted
        case StreamManagementError.ended where isClosed: self = .hopeless
        default: self = .failed
        }
    }
}

extension DurableSessionCore.EntryResult {
    /// The result of an entry whose changes have failed.
    init(failure error: any Error) { self = error is OutcomeIsOpen ? .interrupted : .failed }
}

extension HandlerError {
    /// Whether the error reports a handler, or a bound value, that this program cannot load.
    var isOfAnUnknownHandler: Bool {
        switch kind {
        case .unknownHandler, .unknownVersion, .unknownType, .migrationFailed: true
        default: false
        }
    }
}
