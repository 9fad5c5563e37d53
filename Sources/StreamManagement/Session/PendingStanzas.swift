// The application's names for received stanzas that it marks as handled later.

/// The names of unhandled stanzas: at most one for each.
struct PendingStanzas {
    private var numbers: [StanzaID: [IncomingNumber]] = [:]
    private var names: [IncomingNumber: StanzaID] = [:]
    /// Stanzas up to this one are handled or gone.
    private var last = IncomingNumber(rawValue: 0)

    var count: Int { names.count }

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
