// What several changes come to, so that one write does for all of them. Pure: CoalescingStore.swift decides when.

/// Changes that are held back, those of the same kind made into one.
struct CoalescedChanges {
    private var ordered: [StorageChange] = []
    private var acknowledged: (counter: StanzaCounter, count: Int)?
    private var handled: StanzaCounter?
    private var lastDisconnect: StorageChange?
    /// How many changes were added.
    private(set) var count = 0

    mutating func add(_ change: StorageChange) {
        count += 1
        switch change {
        case .acknowledge(let counter, let count):
            // Removing from the front and appending at the end do not depend on each other.
            acknowledged = (counter, (acknowledged?.count ?? 0) + count)
        case .handled(let counter): handled = counter
        case .lastDisconnect: lastDisconnect = change
        case .handlingAttempts:
            // Attempts count from the last handled stanza on, so that their order matters.
            if let handled { ordered.append(.handled(handled)) }
            handled = nil
            ordered.append(change)
        case .replace, .remove:
            let total = count
            self = CoalescedChanges()
            count = total
            ordered = [change]
        case .append, .sendWaiting, .blameSent, .identify, .withdraw: ordered.append(change)
        }
    }

    /// Takes out what the changes come to.
    mutating func take() -> [StorageChange] {
        var changes = ordered
        if let acknowledged { changes.append(.acknowledge(acknowledged.counter, count: acknowledged.count)) }
        if let handled { changes.append(.handled(handled)) }
        if let lastDisconnect { changes.append(lastDisconnect) }
        self = CoalescedChanges()
        return changes
    }
}
