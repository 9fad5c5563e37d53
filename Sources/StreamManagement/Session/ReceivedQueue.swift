// The stanzas that the application has not taken.

import XMLTree

/// Received stanzas in order, and their weight in memory.
struct ReceivedQueue {
    private var stanzas: [(stanza: ReceivedStanza, weight: Int)] = []
    private(set) var weight = 0

    var count: Int { stanzas.count }
    var isEmpty: Bool { stanzas.isEmpty }

    /// Inserts a stanza after those that were received before it. A stanza whose handling failed comes before later
    /// stanzas, so that an app that handles one at a time keeps their order.
    mutating func insert(_ stanza: ReceivedStanza) {
        var position = stanzas.endIndex
        if let number = stanza.number {
            while position > 0, let other = stanzas[position - 1].stanza.number, other > number { position -= 1 }
        }
        insert(stanza, at: position)
    }

    mutating func insertFirst(_ stanza: ReceivedStanza) { insert(stanza, at: 0) }

    private mutating func insert(_ stanza: ReceivedStanza, at position: Int) {
        let added = stanza.element.weight
        stanzas.insert((stanza, added), at: position)
        weight += added
    }

    mutating func removeFirst() -> ReceivedStanza {
        let first = stanzas.removeFirst()
        weight -= first.weight
        return first.stanza
    }

    mutating func removeAll(where isRemoved: (ReceivedStanza) -> Bool) {
        stanzas.removeAll { isRemoved($0.stanza) }
        weight = stanzas.reduce(0) { $0 + $1.weight }
    }
}
