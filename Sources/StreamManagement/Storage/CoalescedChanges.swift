// Combines storage changes, so that one write serves many of them. CoalescingStore.swift decides when to write.

/// The held changes, with changes of the same kind combined.
struct CoalescedChanges {
    private var ordered: [StorageChange] = []
    private var acknowledged: (counter: StanzaCounter, count: Int)?
    private var handled: StanzaCounter?
    private var lastDisconnect: StorageChange?
    /// The number of added changes since the last attempt to write them.
    private(set) var count = 0

    mutating func add(_ changes: [StorageChange]) {
        for change in changes { add(change) }
    }

    private mutating func add(_ change: StorageChange) {
        count += 1
        switch change {
        case .acknowledge(let counter, let count):
            // A removal from the front and an append at the end are independent.
            acknowledged = (counter, (acknowledged?.count ?? 0) + count)
        case .handled(let counter): handled = counter
        case .lastDisconnect: lastDisconnect = change
        case .handlingAttempts:
            // Attempts count from the last handled stanza on, so their order matters.
            if let handled { ordered.append(.handled(handled)) }
            handled = nil
            ordered.append(change)
        case .begin:
            // It sets another counter, so the removals before it keep their place.
            if let acknowledged { ordered.append(.acknowledge(acknowledged.counter, count: acknowledged.count)) }
            (acknowledged, handled, lastDisconnect) = (nil, nil, nil)
            ordered.append(change)
        case .replace, .remove:
            let total = count
            self = CoalescedChanges()
            count = total
            ordered = [change]
        case .append, .hold, .release, .greeted, .sendWaiting, .blameSent, .identify, .withdraw, .unansweredResumptions:
            ordered.append(change)
        }
    }

    mutating func countAnew() { count = 0 }

    /// Removes the changes, and returns the combined ones.
    mutating func take() -> [StorageChange] {
        var changes = ordered
        if let acknowledged { changes.append(.acknowledge(acknowledged.counter, count: acknowledged.count)) }
        if let handled { changes.append(.handled(handled)) }
        if let lastDisconnect { changes.append(lastDisconnect) }
        self = CoalescedChanges()
        return changes
    }
}
