// Which stanza ended an earlier process (rule R40). Until each that may have been it is handled, the handled count is
// stored at once: otherwise the next process takes one that was handled for the reason. Core+Acknowledging.swift
// stores.

enum Recovery: Equatable {
    /// Nothing that an earlier process had received is unhandled.
    case none
    /// The first stanza has not come. Earlier processes have begun in vain to handle it so often.
    case awaitingFirst(attempts: Int)
    /// The first one has come, and others come that an earlier process had received.
    case comingAgain
    /// They have come; this is the last of them.
    case handling(through: UInt64)

    /// How often earlier processes have begun in vain to handle the stanza that comes next; `nil` if it is not the
    /// first.
    var storedAttempts: Int? {
        if case .awaitingFirst(let attempts) = self { attempts } else { nil }
    }

    var storesHandledAtOnce: Bool { self != .none }

    /// Whether a stanza may have ended an earlier process.
    func suspects(_ number: IncomingNumber) -> Bool {
        switch self {
        case .none: false
        case .awaitingFirst, .comingAgain: true
        case .handling(let last): number.rawValue <= last
        }
    }

    mutating func firstHasCome(_ number: IncomingNumber) {
        guard case .awaitingFirst(let attempts) = self else { return }
        // If no process has ended with it, this is the only one that an attempt is stored of.
        self = attempts > 0 ? .comingAgain : .handling(through: number.rawValue)
    }

    /// The first stanza was beyond a limit, and is handled: the next one is the first.
    mutating func firstWasRejected() {
        if case .awaitingFirst = self { self = .awaitingFirst(attempts: 0) }
    }

    /// Records the last stanza that the server delivers again. Stanzas after it arrive for the first time.
    mutating func haveCome(through last: UInt64, handled: UInt64) {
        guard self == .comingAgain else { return }
        self = .handling(through: last)
        wereHandled(through: handled)
    }

    mutating func wereHandled(through total: UInt64) {
        if case .handling(let last) = self, total >= last { self = .none }
    }
}
