// The contract between stream management and its storage.
//
// MemoryStorage.swift keeps sessions in memory. CommitQueue.swift gathers the changes of a write. StorageChange.swift
// defines each change. Session/AppCommit.swift has transactions with changes of the app.

public import Foundation
public import XMLTree
public import XMPPCore

/// Keeps sessions, one for each account.
///
/// A storage serves one stream or several. It throws when a stream opens it beyond that: two streams never share a
/// session.
public protocol StreamManagementStorage: Sendable {
    /// Claims the session of an account for a stream.
    ///
    /// - Parameters:
    ///   - account: the account. Its bare address is the key; a resource does not matter.
    ///   - takingOver: whether to take the session from another stream or process that owns it. The next call of that
    ///     owner fails with `StorageError.takenOver` (M36).
    /// - Throws: `StorageError.inUse` if the session has an owner and is not taken over; `.servesOneStream` if the
    ///   storage has no room for another account; the errors of the storage.
    func open(_ account: JID, takingOver: Bool) throws -> any SessionStore
}

/// One account's stored session, owned by one stream.
///
/// A session makes one call at a time, but for `checkCanStore`, which may come during a write. Each call may block
/// until the data is safe.
public protocol SessionStore: AnyObject, Sendable {
    /// Returns the stored session; `nil` if none is stored.
    ///
    /// - Throws: `StorageError.takenOver` if another owner has the session; the errors of the storage.
    func load() throws -> StoredSession?

    /// Checks that the storage can store a stanza and read it back. The session calls this for each stanza to send,
    /// before it changes anything. A storage that accepts every stanza need not implement it.
    ///
    /// - Throws: the reason why it cannot.
    func checkCanStore(_ stanza: Element) throws

    /// Makes all of the changes in order, or none of them. They are durable when this returns. A process that is killed
    /// at any point must find the state before a call or the state after it.
    ///
    /// Before each connection, the session writes even if it has no changes, to learn whether it still has its owner.
    ///
    /// - Throws: `StorageError.takenOver` if another owner has the session, even without changes. A
    ///   ``TemporaryStorageError`` if a later call may succeed; the session continues then (D51). Any other error ends
    ///   the stream.
    func write(_ changes: [StorageChange]) throws

    /// Releases the session for other owners. It stays stored.
    func close()
}

extension SessionStore {
    public func checkCanStore(_ stanza: Element) {}
}

extension StreamManagementStorage {
    /// Claims the session of an account that has no owner.
    ///
    /// - Throws: `StorageError.inUse` if it has one, and the other errors of `open(_:takingOver:)`.
    public func open(_ account: JID) throws -> any SessionStore { try open(account, takingOver: false) }
}

/// Why a storage refuses a call.
public enum StorageError: Error, Hashable, Sendable {
    /// Another stream, or another process, owns the account's session.
    case inUse(account: JID)
    /// The storage serves one stream only, and has one already.
    case servesOneStream(account: JID)
    /// Another stream or process has taken the session over, or the store was closed.
    case takenOver(account: JID)
    /// The storage does not keep the session, or the effects belong to another storage.
    case takesNoEffects
}

/// An error of a storage that may be over soon, such as a full disk or a lock of another process.
///
/// A session keeps its storage and its state after such an error, and tries again. An error of another type is
/// permanent.
public protocol TemporaryStorageError: Error {
    /// Whether a later call may succeed. The failed call has changed nothing.
    var isTemporary: Bool { get }
}

extension Error {
    /// Whether the storage that threw the error may work again soon.
    package var isTemporaryStorageError: Bool { (self as? any TemporaryStorageError)?.isTemporary ?? false }
}

extension StorageError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .inUse(let account): "the session of \(account) is in use: close its stream first, or take it over"
        case .servesOneStream(let account):
            "the storage serves one stream already: give the stream of \(account) a storage of its own"
        case .takenOver(let account): "the session of \(account) has another owner now: close this stream"
        case .takesNoEffects: "the storage cannot make these effects: use the storage that they belong to"
        }
    }
}
