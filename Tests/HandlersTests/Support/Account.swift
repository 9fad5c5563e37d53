// What handlers of tests work on: an account that only a call can give, and a list of what was called.

import Foundation
import Handlers
import Synchronization

/// Not storable, like a connection.
actor Account {
    let jid: String
    private(set) var usesCarbons = false
    private(set) var warnings: [String] = []

    init(jid: String = "juliet@example.net") { self.jid = jid }

    func useCarbons() { usesCarbons = true }

    func warn(_ text: String) { warnings.append(text) }
}

/// Remembers what handlers were called with.
final class Calls: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }

    var all: [String] { texts.withLock { $0 } }

    var count: Int { all.count }
}
