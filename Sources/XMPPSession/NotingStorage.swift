// What the session's stream stores in: the database, which many streams share.

import Persistence
import StreamManagement
import Synchronization

/// The database, for one stream: it knows who of the owners that the database has had the stream was last.
final class NotingStorage: TransactionalStorage {
    private let database: StanzaDatabase
    private let last = Mutex<Int64?>(nil)

    init(_ database: StanzaDatabase) {
        self.database = database
    }

    /// `nil` if it has never owned the session.
    var lastOwner: Int64? { last.withLock(\.self) }

    func open(_ account: String, takingOver: Bool) throws -> any SessionStore {
        let session = try database.openSession(account, takingOver: takingOver)
        last.withLock { $0 = session.token }
        return session
    }

    func openStore(of account: String) -> DatabaseSession? { database.openStore(of: account) }
}
