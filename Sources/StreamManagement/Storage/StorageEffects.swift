// What an application stores because of a stanza, so that it is stored together with that the stanza was handled.

/// Changes of the application's own that a storage makes in one step with changes of a session
/// (``SessionStore/write(with:_:)``, ``StreamSession/settle(_:with:sending:withdrawing:)``).
///
/// A storage knows its own effects and refuses those of others.
public protocol StorageEffects: Sendable {}

/// An effect could not be made for a reason of its own: the storage is sound, and nothing was changed.
public struct EffectsError: Error {
    /// What the effect has thrown.
    public let underlying: any Error

    public init(_ underlying: any Error) {
        self.underlying = underlying
    }
}

extension SessionStore {
    /// - Throws: `StorageError.takesNoEffects`.
    public func write(with effects: any StorageEffects, _ changes: () throws -> [StorageChange]) throws {
        throw StorageError.takesNoEffects
    }
}
