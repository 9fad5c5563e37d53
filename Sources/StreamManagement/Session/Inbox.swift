// The received stanzas that the application has not taken, and those that it has not handled.

import XMLTree

/// The received stanzas of a session. Belongs to the session.
struct Inbox {
    /// The stanzas that the app has not taken, in order, with their weight in memory.
    private var stanzas: [(stanza: ReceivedStanza, weight: Int)] = []
    private var weight = 0
    private var pending = PendingStanzas()
    /// The stanzas that were received and not handled when the session gave up its storage. The server delivers them
    /// again, with other numbers.
    private var comingAgain: [Range<UInt64>] = []

    var count: Int { stanzas.count }
    var isEmpty: Bool { stanzas.isEmpty }

    /// Whether the session reads nothing more. `factor` multiplies the bounds.
    func isFull(_ configuration: StreamManagementConfiguration, times factor: Int) -> Bool {
        count >= configuration.maximumUnhandled.multiplied(by: factor)
            || weight >= configuration.maximumUnhandledBytes.multiplied(by: factor)
    }

    /// Inserts a stanza after those that were received before it. A stanza whose handling failed comes before later
    /// stanzas, so that an app that handles one at a time keeps their order.
    mutating func insert(_ stanza: ReceivedStanza) {
        var position = stanzas.endIndex
        if let number = stanza.number {
            while position > 0, let other = stanzas[position - 1].stanza.number, other > number { position -= 1 }
        }
        insert(stanza, at: position)
    }

    private mutating func insert(_ stanza: ReceivedStanza, at position: Int) {
        let added = stanza.element.weight
        stanzas.insert((stanza, added), at: position)
        weight += added
    }

    /// Inserts taken, unhandled stanzas in their order and before all others, except those that the server delivers
    /// again.
    mutating func putBack(_ taken: [ReceivedStanza]) {
        for stanza in taken.reversed() where !comesAgain(stanza) { insert(stanza, at: 0) }
    }

    /// Removes and returns the first stanza.
    mutating func take() -> ReceivedStanza? {
        if stanzas.isEmpty { return nil }
        let first = stanzas.removeFirst()
        weight -= first.weight
        return first.stanza
    }

    // MARK: Unhandled stanzas

    /// Gives a stanza the application's name, under which it is marked as handled.
    mutating func name(_ number: IncomingNumber, as id: StanzaID) { pending.add(number, as: id) }

    /// Removes the name, and returns its stanzas.
    mutating func takeNamed(_ id: StanzaID) -> [IncomingNumber] { pending.take(id) }

    /// Forgets the names of stanzas that are handled or gone.
    mutating func forgetNames(through number: IncomingNumber) { pending.forget(through: number) }

    /// Forgets the unhandled stanzas of a session that can be resumed: after the resumption the server delivers them
    /// again. Handled stanzas stay, since they do not come again.
    mutating func forgetUnhandled(after handled: IncomingNumber, through delivered: IncomingNumber) {
        if handled < delivered { comingAgain.append(handled.rawValue + 1..<delivered.rawValue + 1) }
        stanzas.removeAll { stanza, _ in stanza.number.map { $0 > handled } ?? false }
        weight = stanzas.reduce(0) { $0 + $1.weight }
    }

    /// Whether the server delivers a forgotten stanza again.
    func comesAgain(_ stanza: ReceivedStanza) -> Bool {
        stanza.number.map { number in comingAgain.contains { $0.contains(number.rawValue) } } ?? false
    }
}

/// The application's names of unhandled stanzas: at most one for each.
private struct PendingStanzas {
    private var numbers: [StanzaID: [IncomingNumber]] = [:]
    private var names: [IncomingNumber: StanzaID] = [:]
    /// Stanzas up to this one are handled or gone.
    private var last = IncomingNumber(rawValue: 0)

    /// Names a stanza, and replaces its earlier name.
    mutating func add(_ number: IncomingNumber, as id: StanzaID) {
        forget(number)
        names[number] = id
        numbers[id, default: []].append(number)
    }

    /// Removes and returns the stanzas of that name.
    mutating func take(_ id: StanzaID) -> [IncomingNumber] {
        let taken = numbers.removeValue(forKey: id) ?? []
        for number in taken { names[number] = nil }
        return taken
    }

    /// Forgets the stanzas up to `number`, which are handled or gone.
    mutating func forget(through number: IncomingNumber) {
        if !names.isEmpty, last < number {
            for rawValue in last.rawValue + 1...number.rawValue { forget(IncomingNumber(rawValue: rawValue)) }
        }
        last = number
    }

    private mutating func forget(_ number: IncomingNumber) {
        guard let id = names.removeValue(forKey: number) else { return }
        numbers[id]?.removeAll { $0 == number }
        if numbers[id]?.isEmpty == true { numbers[id] = nil }
    }
}
