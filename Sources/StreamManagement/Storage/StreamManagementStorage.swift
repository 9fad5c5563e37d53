// The contract between stream management and whatever keeps its state.
//
// In memory: MemoryStorage.swift. Holding back what may wait: CoalescingStore.swift. What each change means:
// StorageChange.swift. Transactions with changes of the app: TransactionalStorage.swift.

public import XMLTree

/// Keeps sessions, one for each account.
///
/// A storage may serve one stream or several. It says so when a stream opens it: two streams never share a session.
public protocol StreamManagementStorage: Sendable {
    /// Claims the session of an account for a stream.
    ///
    /// - Parameters:
    ///   - account: what tells accounts apart, such as the bare address.
    ///   - takingOver: whether to take the session from another stream, or another process, that has it. That one's
    ///     next call fails with `StorageError.takenOver` (M36).
    /// - Throws: `StorageError.inUse` if the session has an owner and is not taken over; `.servesOneStream` if the
    ///   storage has no room for another account; and whatever goes wrong.
    func open(_ account: String, takingOver: Bool) throws -> any SessionStore
}

/// One account's stored session, owned by one stream.
///
/// All calls come from one isolation domain, and may block until the data is safe: `StreamSession` makes them on a
/// thread of its own.
public protocol SessionStore: AnyObject, Sendable {
    /// What is stored; `nil` when nothing is.
    func load() throws -> StoredSession?

    /// Asks whether the session is still this owner's. A storage that has one owner need not implement it.
    ///
    /// - Throws: `StorageError.takenOver` if it is not, and whatever goes wrong.
    func check() throws

    /// Asks whether a stanza can be stored and read back. It is asked for each stanza that is given to be sent, before
    /// anything changes. A storage that takes every stanza need not implement it.
    ///
    /// - Throws: why it cannot.
    func checkCanStore(_ stanza: Element) throws

    /// Makes changes, in order, and all or none of them.
    ///
    /// When this returns, `immediate` changes are durable, and so are all that came before. `deferrable` ones may be
    /// held back: until the next immediate one, or `flush()`. A process that is killed at any point must find what was
    /// there before a call, or after it.
    func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws

    /// Makes everything durable that is held back: before the application is suspended, or quits.
    func flush() throws

    /// Gives the session up for other owners. It stays stored.
    func close()
}

extension SessionStore {
    public func check() throws {}

    public func checkCanStore(_ stanza: Element) throws {}
}

extension StreamManagementStorage {
    /// Claims the session of an account that nobody else has.
    public func open(_ account: String) throws -> any SessionStore { try open(account, takingOver: false) }
}

/// Why a storage refuses.
public enum StorageError: Error, Hashable, Sendable {
    /// Another stream, or another process, owns the account's session.
    case inUse(account: String)
    /// The storage serves one stream only, and does so already.
    case servesOneStream(account: String)
    /// Another stream, or another process, has taken the session over, or the store was closed.
    case takenOver(account: String)
    /// The storage does not keep the session, or the effects belong to another storage.
    case takesNoEffects
}

extension StorageError: CustomStringConvertible {
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
