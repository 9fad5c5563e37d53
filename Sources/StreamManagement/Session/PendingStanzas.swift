// What the application calls the received stanzas that it will mark as handled by name.

/// The names of stanzas that are not handled yet. It holds no more of them than there are such stanzas.
struct PendingStanzas {
    private var numbers: [StanzaID: [IncomingNumber]] = [:]
    private var names: [IncomingNumber: StanzaID] = [:]
    /// Stanzas up to this one are handled or gone.
    private var last = IncomingNumber(rawValue: 0)

    var count: Int { names.count }

    /// Gives a stanza a name, another one if it has one already.
    mutating func add(_ number: IncomingNumber, as id: StanzaID) {
        forget(number)
        names[number] = id
        numbers[id, default: []].append(number)
    }

    /// Takes out the stanzas of that name.
    mutating func take(_ id: StanzaID) -> [IncomingNumber] {
        let taken = numbers.removeValue(forKey: id) ?? []
        for number in taken { names[number] = nil }
        return taken
    }

    /// Forgets the stanzas up to that one, which are handled or gone.
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
