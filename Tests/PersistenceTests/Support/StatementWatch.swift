// Sees the statements that a database runs.

import Locking
import Persistence

final class StatementWatch: Sendable {
    private let state = Lock<(statements: [String], next: (@Sendable () -> Void)?)>(([], nil))

    /// Does something before the next statement.
    func next(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.next = body } }

    /// How many statements contained these words.
    func count(_ words: String) -> Int { state.withLock { $0.statements.count { $0.contains(words) } } }

    func pass(_ moment: StanzaDatabase.StatementMoment) {
        guard case .before(let sql) = moment else { return }
        let body = state.withLock { state in
            state.statements.append(sql)
            return state.next.take()
        }
        body?()
    }
}
