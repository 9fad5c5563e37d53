// The work of a stanza, or of a request that has ended: changes, and stanzas to send after their commit.

import Foundation
public import Handlers
import Locking
public import Persistence
import StreamManagement
public import XMLTree
import XMPPCore

/// The parts of a session that its work needs.
struct WorkContext: Sendable {
    let account: JID
    let clock: any MachineClock
    let handlers: HandlerDispatcher
    let promises: PromiseCenter?
    /// The time that requests of a promise wait for their answers.
    var requestTimeout: Duration? = DurableSession.requestTimeout
    /// Commits the work of earlier stanzas.
    var flush: @Sendable () async -> Void = {}
    /// Whether work that is not committed has noted a stanza as handled; `nil` if no other work commits with this.
    var hasNoted: (@Sendable (UniqueIdentifier) async -> Bool)?
}

/// Changes and stanzas that a handler collects. They commit in one transaction with the handled mark of the stanza, and
/// the session sends the stanzas after that. If the handler throws, nothing commits.
public final class StanzaWork: Sendable {
    /// The changes of the database. A handler that has a parameter `changes: DatabaseWork` gets it, too.
    public let changes: DatabaseWork
    private let context: WorkContext
    private let outgoing = Lock<(stanzas: [Element], hasRequests: Bool, isOpen: Bool)>(([], false, true))
    /// The answers that `isRepetition` gave.
    private let repetitions = Lock<[UniqueIdentifier: Bool]>([:])
    private let unroutedStanza = Lock<UnroutedStanza?>(nil)
    /// The session was closed: nothing is sent.
    private let isLast: Bool
    /// It is the greeting of a session, whose stanzas go before all that waited.
    let isGreeting: Bool

    init(_ changes: DatabaseWork, in context: WorkContext, isLast: Bool = false, isGreeting: Bool = false) {
        self.changes = changes
        self.context = context
        self.isLast = isLast
        self.isGreeting = isGreeting
    }

    /// The promises of the session, if it has some.
    var promises: PromiseCenter? { context.promises }

    var account: JID { context.account }

    /// The time that requests of a promise wait for their answers.
    var inheritedTimeout: Duration? { context.requestTimeout }

    /// The time of the session's clock.
    var date: Date { context.clock.date }

    /// The stanza of this work, if no route has taken it.
    var unrouted: UnroutedStanza? { unroutedStanza.withLock(\.self) }

    func note(_ stanza: UnroutedStanza) { unroutedStanza.withLock { $0 = stanza } }

    /// Calls handlers.
    var dispatcher: HandlerDispatcher { context.handlers }

    /// The identifiers of the stanzas that this work notes as handled.
    var notedIdentifiers: [UniqueIdentifier] { repetitions.withLock { $0.filter { !$0.value }.map(\.key) } }

    /// Sends a stanza after the changes are stored. If the session was closed, this sends nothing.
    ///
    /// - Throws: `StreamManagementError.notAStanza`; `StanzaDatabaseError.recordTooLarge` for a stanza that cannot be
    ///   stored; `XMLParseError` for one that could not be read back, such as one that is too deep;
    ///   `StanzaDatabaseError.closed` if the changes are stored already.
    public func send(_ stanza: Element) throws {
        try stanza.checkIsStanza()
        try stanza.checkCanBeStored()
        // The other work of an ended request must not fail because of this.
        if isLast { return }
        try append(stanza, isRequest: false)
    }

    /// Appends a stanza that can be stored.
    private func append(_ stanza: Element, isRequest: Bool) throws {
        try outgoing.withLock { outgoing in
            if !outgoing.isOpen { throw StanzaDatabaseError.closed }
            outgoing.stanzas.append(stanza)
            outgoing.hasRequests = outgoing.hasRequests || isRequest
        }
    }

    /// Sends a request after the changes are stored. See `DurableSession.request(_:handler:timeout:)`.
    ///
    /// - Throws: `StreamManagementError.ended` if the session was closed; the errors of that method.
    @discardableResult
    public func request(_ iq: Element, handler: Handler, timeout: Duration?) async throws -> String {
        try await request(iq, handler: handler, kind: .iq, timeout: timeout)
    }

    /// Sends a request after the changes are stored. It waits as long as the promise that
    /// `DurableSession.promise(_:key:timeout:retention:asking:)` creates. Without such a promise, or if that one has no
    /// timeout, it waits for `DurableSession.requestTimeout`.
    ///
    /// - Throws: The errors of `request(_:handler:timeout:)`.
    @discardableResult
    public func request(_ iq: Element, handler: Handler) async throws -> String {
        try await request(iq, handler: handler, timeout: inheritedTimeout)
    }

    func request(_ iq: Element, handler: Handler, kind: RequestKind, timeout: Duration?) async throws -> String {
        // The app has invalidated it.
        try handler.checkNotEnded()
        return try request(iq, kind: kind, handler: dispatcher.ownedData(of: handler), timeout: timeout)
    }

    func request(_ iq: Element, kind: RequestKind, handler: Data, timeout: Duration?) throws -> String {
        if isLast { throw StreamManagementError.ended }
        let (iq, id) = try Requests.identified(iq)
        try iq.checkCanBeStored()
        let request = StoredRequest(
            id: id, recipient: iq["to"], kind: kind.rawValue, handler: handler,
            deadline: timeout.map { context.clock.date.addingTimeInterval($0 / .seconds(1)) },
            timeout: timeout.map { $0 / .seconds(1) })
        let account = context.account
        try changes.add { transaction in
            if try !transaction.requests.add(request, of: account) { throw RequestError.duplicateID(id) }
        }
        try append(iq, isRequest: true)
        return id
    }

    /// Whether any process has handled a stanza before, by its XEP-0359 identifier. If none has, this work
    /// notes the identifier with its other changes.
    ///
    /// Without resumption, a server delivers every unacknowledged stanza again.
    ///
    /// ```swift
    /// try await session.on("/{jabber:client}message/body") { stanza, work in
    ///     if stanza["type"] == "error" { return }
    ///     if try await work.isRepetition(stanza) { return }
    ///     try work.changes.add { transaction in
    ///         try transaction.db.execute(sql: "INSERT INTO inbox VALUES (?)", arguments: [stanza["id"]])
    ///     }
    /// }
    /// ```
    ///
    /// The identifier is the `stanza-id` of the account or of the group chat, or else the sender's `origin-id`. The
    /// database keeps `PersistenceLimits.handledStanzas` identifiers, for `PersistenceLimits.handledStanzaAge` seconds.
    ///
    /// - Returns: `false` for a stanza without an identifier.
    /// - Throws: A `StanzaDatabaseError`; `CancellationError`.
    public func isRepetition(_ stanza: Element) async throws -> Bool {
        let account = context.account
        guard let identifier = UniqueIdentifier(of: stanza, account: account) else { return false }
        // Several routes may ask about one stanza.
        if let known = repetitions.withLock({ $0[identifier] }) { return known }
        // A stanza before this one may not have committed yet.
        if let hasNoted = context.hasNoted, await hasNoted(identifier) {
            repetitions.withLock { $0[identifier] = true }
            return true
        }
        let isRepetition = try await changes.lookUp { database in
            try await database.read {
                try $0.sessions.hasHandled(identifier.id, from: identifier.sender, of: account)
            }
        }
        repetitions.withLock { $0[identifier] = isRepetition }
        if isRepetition { return true }
        let date = context.clock.date
        try changes.add { transaction in
            try transaction.sessions.noteHandled(identifier.id, from: identifier.sender, of: account, at: date)
        }
        return false
    }

    /// Holds a stanza until a route takes it.
    ///
    /// - Returns: `false` if the account has no room for it, or if it does not fit into a row.
    func hold(_ stanza: Element) async throws -> Bool {
        let (account, date) = (context.account, context.clock.date)
        // Stanzas of the same batch may exceed the bound.
        let hasRoom = try await changes.lookUp { database in
            try await database.read { try $0.sessions.hasRoomToHold(stanza, of: account) }
        }
        if hasRoom { try changes.add { try $0.sessions.hold(stanza, of: account, at: date) } }
        return hasRoom
    }

    /// Commits the work of earlier stanzas, so that this work can read it.
    func flush() async { await context.flush() }

    /// Whether the work sends requests.
    var hasRequests: Bool { outgoing.withLock(\.hasRequests) }

    /// The stanzas to send. None can be added afterwards.
    func takeStanzas() -> [Element] {
        outgoing.withLock { outgoing in
            outgoing.isOpen = false
            return outgoing.stanzas
        }
    }

    /// The arguments that every handler may declare, besides those of the session: `stanza` and `iq`, the stanza or its
    /// payload; `changes`, the changes; `work`, this work.
    func arguments(for stanza: Element?) -> HandlerArguments {
        var own: HandlerArguments = ["changes": changes, "work": self]
        if let stanza {
            own["stanza"] = stanza
            own["iq"] = stanza
        }
        return own
    }
}
