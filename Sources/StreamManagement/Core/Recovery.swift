// Which stanza may have ended an earlier process (rule R40). Until each suspected stanza is handled, the core stores
// the handled count at once. Otherwise the next process would blame a stanza that was handled. Core+Acknowledging.swift
// stores.

enum Recovery: Equatable {
    /// No stanza that an earlier process received is unhandled.
    case none
    /// The first stanza has not arrived. The number of times that earlier processes began to handle it and did not
    /// finish.
    case awaitingFirst(attempts: Int)
    /// The first stanza has arrived, and more that an earlier process had received follow.
    case comingAgain
    /// They have all arrived; this is the last of them.
    case handling(through: UInt64)

    /// How often earlier processes began to handle the next stanza to arrive and did not finish; `nil` if that is not
    /// the first stanza.
    var storedAttempts: Int? {
        if case .awaitingFirst(let attempts) = self { attempts } else { nil }
    }

    var storesHandledAtOnce: Bool { self != .none }

    /// Whether this stanza may have ended an earlier process.
    func suspects(_ number: IncomingNumber) -> Bool {
        switch self {
        case .none: false
        case .awaitingFirst, .comingAgain: true
        case .handling(let last): number.rawValue <= last
        }
    }

    mutating func firstHasCome(_ number: IncomingNumber) {
        guard case .awaitingFirst(let attempts) = self else { return }
        // If no process has ended with it, it is the only stanza with a stored attempt.
        self = attempts > 0 ? .comingAgain : .handling(through: number.rawValue)
    }

    /// Records that the first stanza was beyond a limit and is handled: the next one is the first.
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
