// The stream of a process: connections, stanzas, and their ends.

import SessionCore

extension SimulatedProcess {
    /// Begins to connect.
    func beginToConnect() throws {
        guard wantsConnection, link == nil, !isConnecting else { return }
        isConnecting = true
        try handle(.streamIsGone(canResume: database.session != nil && world.setup.resumes))
    }

    func connect(_ isWanted: Bool) throws {
        guard isConnecting else { return }
        isConnecting = false
        guard isWanted, wantsConnection else { return }
        guard isOwner else { return try endStream() }
        let link = SessionLink()
        self.link = link
        outbox = []
        let resumed = database.session.map { world.setup.resumes && server.session?.id == $0.id } ?? false
        if resumed, let row = database.session {
            try resume(row, link)
        } else {
            begin(link)
        }
        database.outgoing.removeAll { server.received[$0.number] != nil }
        outbox = database.outgoing.filter(\.isSent) + database.sendWaiting()
        try handle(.streamBegan)
        failedGreetings = 0
        if !resumed { lastFormerGreeting = lastGreeting }
        if !resumed || !makes(.greetsNoResumedSession) { try handle(.sessionBegan(isNew: !resumed)) }
        try handle(.requestsChanged)
    }

    private func resume(_ row: SimulatedDatabase.SessionRow, _ link: SessionLink) throws(Violation) {
        try server.resume(link, handled: row.handled)
        cursor = row.handled
        if let storedAttempts, storedAttempts > 0 { suspectsEnd = server.session?.sent.count ?? 0 }
    }

    private func begin(_ link: SessionLink) {
        let id = server.begin(link)
        for delivery in deliveries.values { ledger.exempt(delivery.stanza.id) }
        // The server acknowledged nothing of the old session: the process sends everything again.
        for index in database.outgoing.indices where server.received[database.outgoing[index].number] == nil {
            database.outgoing[index].isSent = false
        }
        database.begin(world.setup.resumes ? id : nil)
        if makes(.sendsBeforeGreeting) { database.holds = false }
        delivered = 0
        cursor = 0
        suspectsEnd = 0
        storedAttempts = nil
        handled = []
        acknowledged = []
    }

    /// The stream begins no other connection.
    private func endStream() throws {
        link = nil
        wantsConnection = false
        try handle(.streamEnded)
    }

    /// The process notices that the connection is gone, or that another process has the session.
    func notice() throws {
        if let link, link.isCut {
            self.link = nil
            outbox = []
            try handle(.streamLost)
        }
        if wantsConnection, link == nil, !isConnecting, !isOwner { try endStream() }
    }

    // MARK: Stanzas

    private var wantsInput: Bool { deliveries.count + kept.count < world.setup.maximumUnhandled }

    /// Whether a stanza is on its way.
    var hasStanzas: Bool { link != nil && wantsInput && cursor < server.session?.sent.count ?? 0 }

    /// Delivers the server's next stanza.
    func deliver() throws {
        guard let link, !link.isCut, server.link === link, wantsInput, let session = server.session,
            cursor < session.sent.count
        else { return }
        let position = cursor
        let stanza = session.sent[position]
        cursor += 1
        if case .rejected = stanza.kind, makes(.endsAtRejectedStanzas) { return link.isCut = true }
        guard world.setup.resumes else {
            try server.acknowledgeUncounted(cursor)
            if case .rejected(let answer) = stanza.kind { return try report(stanza, answer) }
            return try give(stanza, session: nil, position: 0)
        }
        // The server delivered it before the resumption.
        guard position >= delivered else { return }
        delivered = position + 1
        if case .rejected(let answer) = stanza.kind {
            guard isOwner else { return try endStream() }
            if storedAttempts != nil { storedAttempts = 0 }
            try report(stanza, answer)
            if makes(.countsNoRejectedStanzas) { return }
            handled.insert(position)
            acknowledged.insert(position)
            return advance(session: session.id)
        }
        if let attempts = storedAttempts {
            guard isOwner else { return try endStream() }
            storedAttempts = nil
            if attempts >= SessionSetup.attempts {
                try deadLetter(Delivery(stanza: stanza, session: session.id, position: position))
                handled.insert(position)
                acknowledged.insert(position)
                advance(session: session.id)
                return try handle(.requestsChanged)
            }
            database.session?.attempts = attempts + 1
        }
        try give(stanza, session: session.id, position: position)
    }

    /// The stream reports a stanza that the parser rejected. Its request gets no other answer.
    private func report(_ stanza: ServerStanza, _ answer: String?) throws {
        ledger.reported(stanza.id)
        guard let answer else { return }
        database.note(.rejected, of: answer)
        try handle(.requestsChanged)
    }

    func give(_ stanza: ServerStanza, session: Int?, position: Int) throws {
        let number: Core.StanzaNumber = makeNumber()
        let isSuspect = session != nil && position < suspectsEnd
        deliveries[number] = Delivery(stanza: stanza, session: session, position: position, isSuspect: isSuspect)
        try handle(
            .received(
                Core.Stanza(
                    number: number, isAnswer: stanza.isAnswer, isCounted: session != nil,
                    isSuspect: isSuspect && !makes(.batchesSuspects))))
    }

    // MARK: Sending

    func transmit() throws(Violation) {
        guard let link, !outbox.isEmpty else { return }
        let row = outbox.removeFirst()
        if link.isCut || server.link !== link { return }
        if row.number < 0 {
            if !database.said.contains(row.id) { throw Violation("a sent stanza is committed", row.id) }
            return
        }
        if row.isGreeting {
            server.isGreeted = true
        } else if !server.isGreeted {
            throw Violation("the greeting of a session goes first", row.id)
        }
        server.receive(row)
    }

    func acknowledge() throws(Violation) {
        guard let link, !link.isCut, server.link === link, let session = server.session, world.setup.resumes else {
            return
        }
        var handled = session.acknowledged
        while acknowledged.contains(handled) { handled += 1 }
        guard handled <= database.session?.handled ?? 0 else {
            throw Violation("h is not ahead of the commit", "\(handled)")
        }
        try server.acknowledge(handled)
    }

    // MARK: Endings

    func suspendStream() {
        wantsConnection = false
        isConnecting = false
        cut()
        if isOwner { database.owner = -token }
    }

    private func cut() {
        link?.isCut = true
        link = nil
        outbox = []
    }

    /// Closes the session on the server, unless another process has it.
    func closeStream() throws(Violation) {
        wantsConnection = false
        isConnecting = false
        if try claim(takingOver: false) {
            cut()
            server.forget()
            database.session = nil
            database.outgoing = []
            database.loseAll()
        }
        cut()
        kept = []
        isClosed = true
    }

    /// - Returns: The requests that are left.
    func forget() -> [Core.Request] {
        guard isOwner || database.owner == -token else { return [] }
        database.session = nil
        database.loseAll()
        database.owner = -token
        return database.ending(after: Core.Serial(rawValue: .max))
    }
}
