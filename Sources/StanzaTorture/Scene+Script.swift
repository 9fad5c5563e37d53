// The steps of a scene: actions of the server, and waits with their verdicts. Scene.swift reads the connections.

import StreamReference

extension Scene {
    /// The time without an element after which a client is at rest.
    private static var quiet: Duration { .milliseconds(300) }
    /// A client that has a resource for so long has enabled stream management by then.
    private static var enabling: Duration { .seconds(5) }
    /// A client that handles stanzas later acknowledges the rest at the next request.
    private static var requestInterval: Duration { .seconds(1) }

    /// The state of a wait.
    private enum Progress {
        case done
        case waits(expected: String, found: String = "")
        case passes(Verdict)
    }

    /// Does all steps that can be done now.
    mutating func advance() throws(Violation) {
        while verdict == nil {
            guard step < scenario.steps.count else {
                let began = stepBegan ?? now
                stepBegan = began
                // No echo comes twice after this. A client that is never at rest has a step's time for it.
                if now - max(lastElementAt, began) >= Self.quiet || now - began > patience { verdict = .passed }
                return
            }
            let current = scenario.steps[step]
            if stepBegan == nil {
                stepBegan = now
                try perform(current)
            }
            switch try progress(of: current) {
            case .done:
                step += 1
                stepBegan = nil
            case .passes(let verdict): self.verdict = verdict
            case .waits(let expected, let found):
                // A program needs time to start.
                let limit = connectionCount == 0 ? max(patience, .seconds(30)) : patience
                guard now - (stepBegan ?? now) > limit else { return }
                fail(
                    expected: "\(expected), within \(limit.components.seconds) seconds",
                    found: found.isEmpty ? "nothing of it; the transcript shows the last elements" : found)
            }
        }
    }

    // MARK: Actions

    private mutating func perform(_ step: Step) throws(Violation) {
        switch step {
        case .set(let change):
            change(&server.setup)
            server.setup.location = server.setup.location?.replacing("SECONDPORT", with: "\(secondPort)")
        case .twist(let point, let twist, let times): twists.append((point, twist, times))
        case .offersManagement(let offers): offer.managesStreams = offers
        case .answersRequests(let answers): answersRequests = answers
        case .trickles(let trickles): queue.trickles = trickles
        case .refusesConnections(let refuses): refusesConnections = refuses
        case .ping(let count): for _ in 0..<count { server.deliver(try record.ping()) }
        case .pingText(let text): server.deliver(try record.ping(text))
        case .ask(let count): server.deliver(record.ask(count))
        case .deliver(let xml): server.deliver(record.other(xml))
        case .write(let text):
            hangUpsBefore = hangUps
            server.active?.link.write(text)
        case .request(let count): for _ in 0..<count { server.request() }
        case .acknowledge:
            server.handle(.max)
            server.acknowledge()
        case .acknowledged:
            lastAnswerAt = nil
            request()
        case .cut(let asReset):
            markCut()
            server.active?.link.cut(asReset: asReset)
            for connection in connections.values where connection.link.isCut && connection.link.isOpenAtServer {
                server.notices(connection)
            }
        case .leave:
            markCut()
            server.active?.link.isUnnoticed = true
            server.active?.link.cut(asReset: false)
        case .cutAfter(let count):
            markCut()
            server.active?.link.cutAfter = count
        case .hear(let count): server.active?.link.heard = count
        case .mute: server.active?.link.isMute = true
        case .complain(let condition):
            markCut()
            if let active = server.active {
                server.close(active, condition: condition)
                server.notices(active)
            }
        case .restart:
            markCut()
            try server.restart()
        case .forget(let keepsTombstones):
            for session in server.sessions where session.connection == nil {
                if keepsTombstones { record.settle(session.received) }
            }
            try server.expireAll(keepsTombstones: keepsTombstones)
        case .pause, .online, .resumed, .anew, .echoed, .sent, .hangsUp, .comesToSecondPort, .connects, .requests,
            .answered, .unanswered, .unnamed:
            break
        }
    }

    private mutating func request() {
        requestedAt = now
        server.request()
    }

    private mutating func markCut() {
        lastSession = server.activeSession?.id ?? lastSession
        lastConnection = connections.keys.max() ?? -1
        hangUpsBefore = hangUps
    }

    // MARK: Waits

    private mutating func progress(of step: Step) throws(Violation) -> Progress {
        let waited = now - (stepBegan ?? now)
        switch step {
        case .online: return online(after: -1)
        case .resumed:
            if let active = server.active, active.link.number > lastConnection, active.session?.id != lastSession {
                throw Violation("the client resumes its session", "it has bound another resource")
            }
            if case .waits(let expected, let found) = online(after: lastConnection) {
                return .waits(expected: expected, found: found)
            }
            return .done
        case .anew:
            if case .waits(let expected, let found) = online(after: lastConnection) {
                return .waits(expected: expected, found: found)
            }
            if server.activeSession?.id != lastSession || lastSession == nil { return .done }
            return .waits(expected: "another session")
        case .echoed:
            guard let missing = record.missingEcho else { return .done }
            return .waits(expected: "the echo of '\(missing)'")
        case .sent:
            let missing = record.missingNumbers
            if missing.isEmpty { return .done }
            return .waits(
                expected: "the numbers up to \(record.highestNumber), once each and in order",
                found: "missing: \(missing.prefix(20).map(String.init).joined(separator: " "))")
        case .acknowledged:
            guard let session = server.activeSession else { return .waits(expected: "an acknowledgement") }
            let expected = session.counter(session.sent.count)
            if lastAnswerAt != nil, session.acknowledged == session.sent.count { return .done }
            if now - requestedAt >= Self.requestInterval { request() }
            return .waits(
                expected: "<a h='\(expected)'/>, the number of all stanzas that the server has sent",
                found: lastAnswerAt == nil ? "no <a/>" : "<a h='\(session.counter(session.acknowledged))'/>")
        case .hangsUp: return hangUps > hangUpsBefore ? .done : .waits(expected: "the end of the client's stream")
        case .comesToSecondPort:
            return secondPortCount > 0 ? .done : .waits(expected: "a connection to the second port")
        case .connects(let most, let time, _):
            let number = connections.keys.count { $0 > lastConnection }
            if number > most {
                throw Violation("a client waits between its attempts (RFC 6120 §3.3)", "\(number) connections")
            }
            return waited >= time && connectionCount > 0 ? .done : .waits(expected: "a connection")
        case .requests(let most):
            if requestCount > most { throw Violation("requests are bounded", "\(requestCount) requests") }
            return .done
        case .answered(let id, let type):
            if record.types[id] == type { return .done }
            return .waits(expected: "an answer of type '\(type)' to '\(id)'", found: record.types[id] ?? "no answer")
        case .unnamed:
            if let stamp = record.stampWithSender { throw Violation("the stamp names no sender", stamp) }
            return .done
        case .unanswered(let id):
            if let type = record.types[id] { throw Violation("the client does not answer it", "type '\(type)'") }
            return .done
        case .pause(let time): return waited >= time ? .done : .waits(expected: "the end of the pause")
        case .set, .twist, .offersManagement, .answersRequests, .trickles, .refusesConnections, .ping, .pingText, .ask,
            .deliver, .write, .request, .acknowledge, .cut, .leave, .cutAfter, .hear, .mute, .complain, .restart,
            .forget:
            return .done
        }
    }

    /// Whether the client has a resource on a newer connection, with the features that the scenario needs.
    private func online(after number: Int) -> Progress {
        guard let active = server.active, active.link.number > number, !active.link.isCut else {
            return .waits(expected: "a client with a resource", found: connectionCount == 0 ? "no connection" : "")
        }
        if scenario.need == .sasl2, !usesSASL2 { return .passes(.notApplicable("it does not use SASL2")) }
        if scenario.need != .login, offer.managesStreams, active.session == nil, server.setup.isResumable {
            if number < 0, now - boundAt > Self.enabling {
                return .passes(.notApplicable("it does not enable stream management"))
            }
            return .waits(expected: "<enable/>")
        }
        if scenario.need != .login, scenario.need != .acknowledgements, !asksForResumption {
            return .passes(.notApplicable("it does not ask for resumption"))
        }
        return now - lastElementAt >= Self.quiet ? .done : .waits(expected: "a client that is at rest")
    }
}
