// A storage in which the effects of stanzas and their handled marks commit in one transaction.

public import Foundation
import SafeText
public import XMPPCore

/// A storage that can commit changes of the app together with changes of a session.
public protocol TransactionalStorage: StreamManagementStorage {
    /// A session's store.
    associatedtype Store: TransactionalStore

    /// Returns the store that this process opened last for an account, or `nil` if none is left.
    func openStore(of account: JID) -> Store?
}

/// A store that can commit changes of the app together with changes of its session.
public protocol TransactionalStore: SessionStore {
    /// The changes of the app.
    associatedtype Effects: Sendable

    /// Commits effects and changes in one transaction.
    ///
    /// - Parameters:
    ///   - effects: The changes of the app.
    ///   - changes: Returns the changes of the session. The store calls it once, after it has made the effects, or not
    ///     at all if they failed.
    /// - Throws: ``EffectsError`` if the effects failed; the errors of `write`; `StorageError.takesNoEffects` for
    ///   effects of another storage. The transaction has then changed nothing.
    func write(with effects: Effects, _ changes: () throws -> [StorageChange]) throws
}

/// Effects that failed for a reason of their own: the storage works, and the transaction made none of their changes.
public struct EffectsError: LocalizedError, CustomStringConvertible {
    /// The error that a change threw.
    public let underlying: any Error

    public init(_ underlying: any Error) {
        self.underlying = underlying
    }

    public var description: String { "\(underlying)" }

    /// The text that the system shows for the change's error.
    public var errorDescription: String? { underlying.localizedDescription }
}

extension EffectsError: LoggableError {
    package var logText: String { underlying.loggable }
}
