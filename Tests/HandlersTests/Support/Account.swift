// The objects that handlers of tests use: an account that only a call can pass, and a list of calls.

import Foundation
import Handlers
import Locking

/// An account, which is not storable, like a connection.
actor Account {
    let jid: String
    private(set) var usesCarbons = false
    private(set) var warnings: [String] = []

    init(jid: String = "juliet@example.net") { self.jid = jid }

    func useCarbons() { usesCarbons = true }

    func warn(_ text: String) { warnings.append(text) }
}

/// Records the calls of handlers.
final class Calls: Sendable {
    private let texts = Lock<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }

    var all: [String] { texts.withLock { $0 } }

    var count: Int { all.count }
}
