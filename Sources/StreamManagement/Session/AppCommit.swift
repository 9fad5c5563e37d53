// Effects of the app that commit with changes of the session in one transaction.

public import Foundation
import SafeText
import XMLTree

/// Changes of the app that a storage can commit with those of a session, such as `DatabaseWork`.
public protocol StorageEffects: Sendable {
    /// Makes the effects, and then changes of the session, in one transaction. Runs on a thread that may wait.
    ///
    /// - Parameters:
    ///   - store: The session's store.
    ///   - changes: Returns the changes of the session. Called once, after the effects are made, or not at all if they
    ///     failed.
    /// - Throws: ``EffectsError`` if the effects failed; the errors of `write`; `StorageError.takesNoEffects` for
    ///   effects of another storage. The transaction has then changed nothing.
    func commit(in store: any SessionStore, _ changes: () throws -> [StorageChange]) throws
}

/// Effects that failed for a reason of their own: the storage works, and the transaction made none of their changes.
public struct EffectsError: LocalizedError, CustomStringConvertible {
    /// The error that a change threw.
    public let underlying: any Error

    public init(_ underlying: any Error) {
        self.underlying = underlying
    }

    public var description: String { "\(underlying)" }

    /// The text that the system shows for the change's error.
    public var errorDescription: String? { underlying.localizedDescription }
}

extension EffectsError: LoggableError {
    package var logText: String { underlying.loggable }
}

/// Entries that commit in one transaction. Some of them may fail by themselves.
package protocol CommitEntries: Sendable {
    /// The received stanzas of the entries.
    var stanzas: [ReceivedStanza] { get }
    /// The stanzas that each entry sends. While entries wait for room, some may leave.
    var elements: [[Element]] { get }
    /// Whether an entry is the greeting of the session: it needs no room.
    func isGreeting(_ entry: Int) -> Bool
    /// From now on, no entry leaves. Called once, before `refuse`.
    func begin()
    /// An attempt to commit has failed, and changed nothing.
    ///
    /// - Returns: Whether another attempt leaves out the entry at fault. It begins with no entry refused.
    func beginAgain() -> Bool
    /// An entry must not commit. Called before the effects are made.
    func refuse(_ entry: Int, because error: StreamManagementError)
    func isRefused(_ entry: Int) -> Bool

    // MARK: When the effects are made

    /// The stanzas that are handled now.
    var handled: [IncomingNumber] { get }
    /// Whether the stanzas of an entry are sent.
    func isSent(_ entry: Int) -> Bool
    /// Whether a waiting stanza is not to be sent any more.
    func isWithdrawn(_ stanza: Element) -> Bool
}

/// A stanza, and what its effects send.
package struct SingleStanza: CommitEntries {
    private let stanza: ReceivedStanza?
    package let elements: [[Element]]
    private let isWithdrawn: (@Sendable (Element) -> Bool)?

    package init(
        _ stanza: ReceivedStanza?, sending elements: [Element],
        withdrawing isWithdrawn: (@Sendable (Element) -> Bool)? = nil
    ) {
        self.stanza = stanza
        self.elements = [elements]
        self.isWithdrawn = isWithdrawn
    }

    package var stanzas: [ReceivedStanza] { [stanza].compactMap(\.self) }
    package var handled: [IncomingNumber] { stanzas.compactMap(\.number) }
    package func isGreeting(_ entry: Int) -> Bool { false }
    package func begin() {}
    package func beginAgain() -> Bool { false }
    package func refuse(_ entry: Int, because error: StreamManagementError) {}
    package func isRefused(_ entry: Int) -> Bool { false }
    package func isSent(_ entry: Int) -> Bool { true }
    package func isWithdrawn(_ stanza: Element) -> Bool { isWithdrawn?(stanza) ?? false }
}

/// Effects in a commit to come, and the stanzas that the core has accepted for them.
package struct AppCommit {
    let entries: any CommitEntries
    private let effects: any StorageEffects
    /// Whether the room in the queue belongs to the entries, before any other sender.
    let hasWaited: Bool
    /// The stanzas of earlier numbers can be withdrawn.
    private var first = OutgoingNumber(rawValue: 0)
    private var accepted: [(entry: Int, stanzas: [SentStanza], changes: [StorageChange])] = []
    /// Resumes the task that waits for the commit.
    private(set) var continuation: CheckedContinuation<[SentStanza], any Error>?

    /// What a transaction has stored.
    package struct Written: Sendable {
        package var handled: [IncomingNumber] = []
        /// The handled count with these stanzas.
        package var counter = StanzaCounter.zero
        /// Waiting stanzas that are not to be sent.
        package var withdrawn: [OutgoingNumber] = []
    }

    package init(effects: any StorageEffects, entries: any CommitEntries, hasWaited: Bool = false) {
        self.effects = effects
        self.entries = entries
        self.hasWaited = hasWaited
    }

    /// An attempt begins.
    ///
    /// - Parameters:
    ///   - core: The core before it accepts the stanzas.
    ///   - continuation: Resumes the task that waits for the commit.
    package mutating func begin(
        _ core: StreamManagementCore, _ continuation: CheckedContinuation<[SentStanza], any Error>? = nil
    ) {
        first = core.upcomingNumber
        accepted = []
        self.continuation = continuation
    }

    /// The core has accepted stanzas of an entry, whose changes wait for the transaction.
    package mutating func add(_ stanzas: [SentStanza], of entry: Int, changes: [StorageChange]) {
        accepted.append((entry, stanzas, changes))
    }

    /// All accepted stanzas.
    package var numbers: Set<OutgoingNumber> { Set(accepted.flatMap(\.stanzas).map(\.number)) }

    /// The stanzas of the entries that the transaction has made.
    package var sent: [SentStanza] { accepted.filter { entries.isSent($0.entry) }.flatMap(\.stanzas) }

    /// The stanzas of the others.
    package var unsent: Set<OutgoingNumber> { numbers.subtracting(sent.map(\.number)) }

    /// The transaction, which makes earlier changes, too. Those of an entry that fails are not made.
    package func writing(
        after changes: [StorageChange], _ core: StreamManagementCore
    ) -> @Sendable (any SessionStore) throws -> Written {
        let (counted, waiting, isResumable) = (core.incoming, core.waiting, core.resumption != nil)
        return { [entries, effects, accepted, first] store in
            var written = Written()
            try effects.commit(in: store) {
                var counted = counted
                written.handled = entries.handled
                var advance = 0
                for number in written.handled { advance += counted.markHandled(number) ?? 0 }
                written.counter = counted.handled
                written.withdrawn = waiting.filter { $0.number < first && entries.isWithdrawn($0.element) }
                    .map(\.number)
                var all = changes + written.withdrawn.map { .withdraw($0) }
                for entry in accepted where entries.isSent(entry.entry) { all += entry.changes }
                if isResumable, advance > 0 { all.append(.handled(written.counter)) }
                return all
            }
            return written
        }
    }
}
