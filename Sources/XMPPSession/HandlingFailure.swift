// Whose fault it is when handling fails.

import Handlers
import Logging
import Persistence
import StreamManagement

/// What to do when a stanza could not be handled.
enum HandlingFailure {
    /// Nothing: it will come again, here or elsewhere.
    case comesAgain
    /// Try again soon, as often as need be: as long as this lasts, nothing could be handled, and nobody is at fault.
    case isTemporary
    /// Try again soon: something came in between. Whoever is interrupted again and again has failed.
    case isInterrupted
    /// Try again soon; if that does not help, the session ends with it.
    case isBroken(any Error)
    case failed

    /// Of what a handler has thrown. Whatever that is, it says nothing of the session.
    init(handler error: any Error) {
        switch error {
        case is CancellationError where Task.isCancelled: self = .comesAgain
        // Another session may say so, which is suspended for ever.
        case RequestError.disconnected, RequestError.suspended: self = .isInterrupted
        // The next attempt finds how it came out.
        case is RequestHasEnded, is RequestIsEnding, is HandlerIsEnding, is EarlierStanzaFailed: self = .isInterrupted
        default: self = .failed
        }
    }

    /// Of what settling has thrown.
    init(settling error: any Error) {
        switch error {
        case let error as EffectsError: self.init(effect: error.underlying)
        case StreamManagementError.notAStanza, StreamManagementError.queueFull, StreamManagementError.tooLarge:
            self = .failed
        // The application's error, which each attempt would repeat.
        case StorageError.takesNoEffects: self = .isBroken(error)
        // The session was laid aside, lost to another process, or closed.
        case is StorageError, StreamManagementError.comesAgain, StreamManagementError.ended: self = .comesAgain
        case is CancellationError where Task.isCancelled: self = .comesAgain
        // The database could not do it. If that has ended the session's hold of it, the next attempt is told so.
        case StanzaDatabaseError.busy, StanzaDatabaseError.full, StanzaDatabaseError.frozen: self = .isTemporary
        default: self = .isBroken(error)
        }
    }

    private init(effect error: any Error) {
        switch error {
        // Of somebody else's doing: the next attempt finds how it came out.
        case is RequestHasEnded, is HandlerIsShared, is HandlerIsEnding: self = .isInterrupted
        default: self = .failed
        }
    }

    /// The error that the handler, or a step of its work, threw.
    static func cause(of error: any Error) -> any Error { (error as? EffectsError)?.underlying ?? error }

    /// An error of an app may hold content of a stanza. Only the debug level logs such an error.
    static func loggable(_ error: any Error) -> String {
        switch error {
        case let error as HandlerError: error.description
        case let error as EffectsError: "\(type(of: error.underlying))"
        default: "\(type(of: error))"
        }
    }
}

/// A failed attempt at a stanza.
struct HandlingAttemptFailure: Error {
    let kind: HandlingFailure
    /// The error that the handler, or a step of its work, threw.
    let error: any Error

    /// Logs the failure: the error itself at debug level only.
    init(_ kind: HandlingFailure, _ error: any Error, _ logger: Logger) {
        let level: Logger.Level = if case .comesAgain = kind { .debug } else { .warning }
        logger.log(
            level: level, "a stanza could not be handled", metadata: ["error": "\(HandlingFailure.loggable(error))"])
        let cause = HandlingFailure.cause(of: error)
        logger.debug("the error that a handler threw", metadata: ["error": "\(cause)"])
        self.kind = kind
        self.error = cause
    }

    /// Of the commit.
    init(settling error: any Error, _ logger: Logger) {
        self.init(HandlingFailure(settling: error), error, logger)
    }
}
