// How a process performs the actions of its core.

import SessionCore

extension SimulatedProcess {
    func perform(_ action: Core.Action) throws {
        switch action {
        case .lookUp(let number, let stanzas): operations.append(.lookUp(number, stanzas))
        case .handle(let attempt, let number, let match): try begin(attempt, number, match)
        case .invalidate(let attempt, let ending): try begin(attempt, ending)
        case .greet(let attempt, let isNew): try greet(attempt, isNew: isNew)
        case .endGreeting:
            // The database refuses what a former owner writes.
            if makes(.holdsForEver) || !isOwner { break }
            // A greeting that fails too often is given up.
            if failedGreetings >= SessionSetup.attempts { server.isGreeted = true }
            database.endGreeting()
            if isOnline { outbox += database.sendWaiting() }
        case .cancel(let attempt):
            works[attempt] = nil
            for index in handlers.indices where handlers[index].attempt == attempt {
                handlers[index].isCancelled = true
                if let stanza = handlers[index].stanza { ledger.blame(stanza.id) }
                if handlers[index].isGreeting { failedGreetings += 1 }
            }
        case .noteSlowness: break
        case .allowRead(let attempt): try allowRead(attempt)
        case .commit(let number, let entries):
            try checkGreetings(entries)
            if makes(.acknowledgesBeforeCommit) { try acknowledge(entries.compactMap(\.stanza)) }
            if makes(.sendsBeforeCommit) { sendEarly(entries) }
            operations.append(.commit(number, entries))
        case .commitWithRoom(let number, let entries):
            try checkGreetings(entries)
            for case .transaction(let number)? in entries.map(\.work) where canceled.contains(number) {
                throw Violation("a canceled transaction waits for no room", "\(number)")
            }
            operations.append(.commitWithRoom(number, entries))
        case .withdraw(let transaction, let number):
            if !makes(.waitsAfterCancellation) { try withdraw(transaction, from: number) }
        case .acknowledge(let stanzas): try acknowledge(stanzas)
        case .send(let works): if !makes(.forgetsToSend) { try send(works) }
        case .countFailure(let stanza): operations.append(.countFailure(stanza))
        case .deadLetter(let number):
            if let delivery = deliveries.removeValue(forKey: number) { try deadLetter(delivery) }
        case .putBack(let stanzas): try putBack(stanzas)
        case .finish(let number, let result): try finish(number, result)
        case .readRequests(let number, let serial): operations.append(.readRequests(number, after: serial))
        case .claim(let call): operations.append(.claim(for: call))
        case .runStream:
            wantsConnection = true
            let stanzas = kept
            kept = []
            for stanza in stanzas { try give(stanza, session: nil, position: 0) }
        case .sweep(let number, let losesUnresumable, let timedOut):
            operations.append(.sweep(number, losesUnresumable: losesUnresumable, timedOut: timedOut))
        case .connect(let isWanted): try connect(isWanted)
        case .suspendStream: operations.append(.suspendStream)
        case .closeStream: operations.append(.closeStream)
        case .hurry: break
        // The process notices it.
        case .failStream: link?.isCut = true
        case .forgetSession: operations.append(.forgetSession)
        case .answer(let call, let answer): try take(answer, to: call)
        case .setAlarm(let time): setAlarm(time)
        }
    }

    // MARK: Handlers

    private func checkNoHandlerRuns() throws(Violation) {
        // After the close, the core no longer waits for some handlers.
        if !isClosed, handlers.contains(where: { !$0.isCancelled && !$0.isGreeting }) {
            throw Violation("one handler runs at a time")
        }
    }

    private func begin(_ attempt: Core.Attempt, _ number: Core.StanzaNumber, _ match: Core.Match?) throws(Violation) {
        try checkNoHandlerRuns()
        guard let delivery = deliveries[number] else { throw Violation("a handled stanza was received", "\(number)") }
        if delivery.stanza.isAnswer, match == nil { throw Violation("an answer without a request calls no handler") }
        let request = match.flatMap { database.requests[$0.serial] }
        if let request { try checkIsNotEndedHere(request) }
        handlers.append(
            Handler(attempt: attempt, stanza: delivery.stanza, match: match, promise: request?.id))
    }

    private func greet(_ attempt: Core.Attempt, isNew: Bool) throws(Violation) {
        if handlers.contains(where: { $0.isGreeting && !$0.isCancelled }) {
            throw Violation("one greeting runs at a time")
        }
        lastGreeting = attempt
        if !isNew, database.session?.isGreeted == true { return results.append(.wasGreeted(attempt)) }
        handlers.append(Handler(attempt: attempt, stanza: nil, match: nil, promise: nil, isGreeting: true))
    }

    private func checkGreetings(_ entries: [Core.Entry]) throws(Violation) {
        guard let lastFormerGreeting else { return }
        for case .attempt(let attempt)? in entries.map(\.work) where attempt <= lastFormerGreeting {
            if works[attempt]?.greets == true {
                throw Violation("no greeting of an earlier session commits", "\(attempt)")
            }
        }
    }

    private func begin(_ attempt: Core.Attempt, _ ending: Core.Ending) throws(Violation) {
        try checkNoHandlerRuns()
        guard let request = database.requests[ending.serial] else { throw Violation("a request that ends was stored") }
        try checkIsNotEndedHere(request)
        if ending.outcome == .timedOut, !world.setup.setsClocks, let timeout = request.timeout,
            world.now.uptime - request.asked < .seconds(timeout)
        {
            throw Violation("no request times out before its time", request.id)
        }
        handlers.append(Handler(attempt: attempt, stanza: nil, match: nil, promise: request.id))
    }

    private func checkIsNotEndedHere(_ request: SimulatedDatabase.RequestRow) throws(Violation) {
        if world.ended[request.serial] == token, !works.values.contains(where: { $0.resolves == [request.id] }) {
            throw Violation("a request that this session has ended calls no handler", request.id)
        }
    }

    func allowRead(_ attempt: Core.Attempt) throws(Violation) {
        guard let place = handlers.firstIndex(where: { $0.attempt == attempt }) else { return }
        handlers[place].isReading = false
        // After a failure, collected changes wait.
        if !world.setup.isSteady || world.setup.kinds.contains(.failing) { return }
        if let number = works.keys.first(where: { $0 < attempt && works[$0]?.stanza != nil }) {
            throw Violation("a handler reads the changes of earlier stanzas", "\(number) is not committed")
        }
    }

    // MARK: Stanzas

    private func putBack(_ stanzas: [Core.StanzaNumber]) throws(Violation) {
        for number in stanzas {
            guard let delivery = deliveries.removeValue(forKey: number) else {
                throw Violation("a stanza that is put back was received", "\(number)")
            }
            works = works.filter { $0.value.stanza != delivery.stanza }
            if delivery.session != nil, makes(.forgetsWhatIsPutBack) {
                handled.insert(delivery.position)
                advance(session: delivery.session)
            }
            if delivery.session == nil { kept.append(delivery.stanza) }
            // A session that is gone replays nothing.
            if delivery.session != nil, delivery.session != database.session?.id { ledger.exempt(delivery.stanza.id) }
        }
    }

    private func acknowledge(_ stanzas: [Core.StanzaNumber]) throws(Violation) {
        for number in stanzas {
            guard let delivery = deliveries.removeValue(forKey: number) else { continue }
            try ledger.acknowledged(delivery.stanza.id)
            if delivery.session != nil, delivery.session == database.session?.id {
                acknowledged.insert(delivery.position)
            }
        }
    }

    func deadLetter(_ delivery: Delivery) throws(Violation) {
        try ledger.deadLettered(delivery.stanza.id)
        // The database stores the reason why the request gets no answer.
        if case .answer(let id) = delivery.stanza.kind, delivery.session != nil { database.note(.notHandled, of: id) }
    }

    // MARK: Sending

    private func send(_ sent: [Core.Entry.Work]) throws(Violation) {
        for key in sent {
            let work: SimulatedWork?
            switch key {
            case .attempt(let attempt): work = works.removeValue(forKey: attempt)
            case .transaction(let number): work = transactions[number]
            }
            if let work, isOnline { outbox += database.rows(of: work) }
        }
    }

    /// Sends like a process that does not wait for the commit.
    private func sendEarly(_ entries: [Core.Entry]) {
        for entry in entries {
            guard case .attempt(let attempt) = entry.work, let work = works[attempt], isOnline else { continue }
            for text in work.says { outbox.append(.init(number: -1, id: text, isRequest: false, isSent: true)) }
        }
    }

    // MARK: Reporting

    private func finish(_ number: Core.TransactionNumber, _ result: Core.TransactionResult) throws(Violation) {
        guard let work = transactions.removeValue(forKey: number) else {
            throw Violation("a transaction reports its result once")
        }
        canceled.remove(number)
        roomless.remove(number)
        failures[number] = nil
        let isStored = work.says.allSatisfy(database.said.contains) && work.asks.allSatisfy { world.isAsked($0.id) }
        if isStored != (result == .done) {
            throw Violation("a transaction reports its true result", "\(result)")
        }
    }

    private func take(_ answer: Core.Answer, to call: Core.Call) throws(Violation) {
        guard calls.remove(call) != nil else { throw Violation("each call is answered once") }
        if answer == .suspended, core.phase == .suspended { isSuspended = true }
    }
}
