// The storage of the session's stream: the database, which many streams share.

import Locking
import Persistence
import StreamManagement
import XMPPCore

/// The database as the storage of one stream. It remembers the stream's last owner token.
final class NotingStorage: TransactionalStorage {
    private let database: StanzaDatabase
    private let last = Lock<Int64?>(nil)

    init(_ database: StanzaDatabase) {
        self.database = database
    }

    /// The last owner token; `nil` if the stream has never owned the session.
    var lastOwner: Int64? { last.withLock(\.self) }

    func open(_ account: JID, takingOver: Bool) throws -> any SessionStore {
        let session = try database.openSession(account, takingOver: takingOver)
        last.withLock { $0 = session.token }
        return session
    }

    func openStore(of account: JID) -> DatabaseSession? { database.openStore(of: account) }
}
