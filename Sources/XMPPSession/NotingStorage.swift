// What the session's stream stores in: the database, which many streams share.

import Persistence
import StreamManagement
import Synchronization

/// The database, for one stream: it knows who of the owners that the database has had the stream was last.
final class NotingStorage: TransactionalStorage {
    private let database: StanzaDatabase
    private let last = Mutex<Int64?>(nil)
    private let uncleanEnd = Mutex(false)

    init(_ database: StanzaDatabase) {
        self.database = database
    }

    /// `nil` if it has never owned the session.
    var lastOwner: Int64? { last.withLock(\.self) }

    /// Whether an owner before has not given the session up, since the last call.
    func takeUncleanEnd() -> Bool {
        uncleanEnd.withLock { uncleanEnd in
            defer { uncleanEnd = false }
            return uncleanEnd
        }
    }

    func open(_ account: String, takingOver: Bool) throws -> any SessionStore {
        let session = try database.openSession(account, takingOver: takingOver)
        last.withLock { $0 = session.token }
        if session.followsUncleanEnd { uncleanEnd.withLock { $0 = true } }
        return session
    }

    func openStore(of account: String) -> DatabaseSession? { database.openStore(of: account) }
}
