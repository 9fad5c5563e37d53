// A storage in which the effects of stanzas and their handled marks commit in one transaction.

public import Foundation

/// A storage that can commit changes of the app together with changes of a session.
public protocol TransactionalStorage: StreamManagementStorage {
    /// A session's store.
    associatedtype Store: TransactionalStore

    /// Returns the store that this process opened last for an account, or `nil` if none is left.
    func openStore(of account: String) -> Store?
}

/// A store that can commit changes of the app together with changes of its session.
public protocol TransactionalStore: SessionStore {
    /// The changes of the app because of one stanza.
    associatedtype Effects: Sendable

    /// Commits effects and changes in one transaction, each of the effects in a savepoint of its own.
    ///
    /// The first effects that fail end the batch: the transaction rolls them back, does not make those after them, and
    /// commits the ones before. So a failure harms no other effects, and the handled count has no gap.
    ///
    /// - Parameters:
    ///   - effects: The effects of a batch, in order.
    ///   - changes: Returns the changes of the session. The store calls it once, with the number of effects that it has
    ///     made; if it has made none, it does not call it.
    /// - Returns: Why the effects after the committed ones failed; `nil` if the store has committed all.
    /// - Throws: The errors of `write`; `StorageError.takesNoEffects` for effects of another storage. The transaction
    ///   has then changed nothing.
    func write(with effects: [Effects], _ changes: (_ count: Int) throws -> [StorageChange]) throws -> EffectsError?
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
