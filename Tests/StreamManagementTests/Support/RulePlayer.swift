// Plays the steps of Tests/StreamRules on a core. README.md of that folder documents the steps.

import Foundation
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree

/// A core, and the storage that keeps its changes for the next process.
final class RulePlayer {
    private var core = TestCore()
    private var stored: StoredSession?
    private var delivered: [UInt64: ReceivedStanza] = [:]
    /// The refusal of the last event.
    private(set) var lastError: StreamManagementError?
    /// The kinds of actions of the last event.
    private(set) var lastKinds: [String] = []

    var state: String { core.state.text }

    /// Plays a line, and shortens long texts.
    func play(_ line: String) throws -> [String] {
        try Transcript.play(line, play(step:)).map { $0.replacing(/(x{20,})/) { "{\($0.1.count)}" } }
    }

    private func perform(_ event: TestCore.Core.Event) -> [String] {
        do throws(StreamManagementError) {
            let actions = try core.attempt(event)
            for action in actions {
                if case .store(let change, _) = action { stored = StoredSession.applying(change, to: stored) }
                if case .deliver(let stanza) = action, let number = stanza.number {
                    delivered[number.rawValue] = stanza
                }
            }
            (lastError, lastKinds) = (nil, actions.map(\.kind))
            return actions.map(\.text)
        } catch {
            (lastError, lastKinds) = (error, [])
            return ["error: \(error)"]
        }
    }

    private func receive(_ xml: String) -> [String] { perform(.received(element(xml))) }

    /// Loses the connection, asks for a resumption on the next one, and gets an answer.
    private func answer(_ xml: String) -> [String] {
        if case .suspended = core.state {} else { _ = perform(.transportLost) }
        let refusal = perform(.resume)
        return refusal.first?.hasPrefix("error: ") == true ? refusal : receive(xml)
    }

    private func play(step: String) throws -> [String] {
        let parts = step.split(separator: " ", maxSplits: 1)
        let name = String(parts[0])
        let rest = (parts.count > 1 ? String(parts[1]) : "").replacing(/\{(\d+)\}/) {
            String(repeating: "x", count: Int($0.1) ?? 0)
        }
        let words = rest.split(separator: " ").map(String.init)
        let numbers = words.compactMap { UInt64($0) }
        let balcony = "juliet@example.org/balcony"
        switch name {
        case "core", "enabled":
            stored = nil
            try begin(words)
            guard name == "enabled" else { return [] }
            return perform(.enable(resumption: true, maximum: nil, address: balcony))
                + receive("<sm:enabled id='s1' resume='true' max='600'/>")
        case "session": try prepare(words)
        case "pending", "undecided", "held": try prepare(name, words)
        case "restart":
            let session = stored
            try begin(words)
            if let session { return perform(.restore(session)) }
        case "configure":
            for word in words { try set(word, &core.configuration) }
        case "limit": core.setLimit(Int(rest))
        case "uptime": core.setUptime(.seconds(Double(rest) ?? 0))
        case "date": core.setDate(TestCore.start + (Double(rest) ?? 0))
        case "wait": core.wait(.seconds(Double(rest) ?? 0))
        case "begin":
            return perform(.enable(resumption: true, maximum: nil, address: balcony))
                + receive("<sm:enabled id='\(rest)' resume='true'/>")
        case "enable":
            let maximum = words.first { $0.hasPrefix("max=") }.map { Duration.seconds(Double($0.dropFirst(4)) ?? 0) }
            let address = rest == "address" ? balcony : nil
            return perform(
                .enable(resumption: !words.contains("unresumable"), maximum: maximum, address: address))
        case "bound": return perform(.bound(address: rest == "address" ? balcony : nil))
        case "restore": return perform(.restore(StoredSession(address: "juliet@example.org")))
        case "resume": return perform(.resume)
        case "answer": return answer(rest)
        case "resumed": return answer("<sm:resumed previd='s1' h='\(rest)'/>")
        case "send":
            let id = rest.wholeMatch(of: /as (\w+) (.*)/)
            return perform(.send(element(id.map { String($0.2) } ?? rest), id: id.map { StanzaID(String($0.1)) }))
        case "greet": return perform(.greet(element(rest), id: nil))
        case "greeted": return perform(.greeted)
        case "release": return perform(.release(Set(numbers.map(OutgoingNumber.init(rawValue:)))))
        case "identify":
            return perform(.identify(OutgoingNumber(rawValue: numbers[0]), as: StanzaID(words[1])))
        case "withdraw": return perform(.withdraw(OutgoingNumber(rawValue: numbers[0])))
        case "revoke": return core.revoke(Set(numbers.map(OutgoingNumber.init(rawValue:))))
        case "request": return perform(.requestAcknowledgement)
        case "silent": return perform(.signOfLifeIsDue)
        case "room": return perform(.awaitRoom(places: Int(numbers[0])))
        case "acknowledge": return perform(.sendAcknowledgement)
        case "handled": return numbers.flatMap { perform(.markHandled(IncomingNumber(rawValue: $0))) }
        case "fail":
            let stanza = ReceivedStanza(number: IncomingNumber(rawValue: numbers[0]), element: element("<message/>"))
            return perform(.handlingFailed(delivered[numbers[0]] ?? stanza))
        case "decide": return perform(.decide(resend: Set(numbers.map(OutgoingNumber.init(rawValue:)))))
        case "written": return perform(.written(through: OutgoingNumber(rawValue: numbers[0])))
        case "receive": return receive(rest)
        case "reject":
            guard let limited = rest.wholeMatch(of: /attributes=(\d+) (.*)/) else {
                return perform(.rejected(rejected(rest)))
            }
            return perform(
                .rejected(rejected(String(limited.2), limits: ParserLimits(attributes: Int(limited.1) ?? 0))))
        case "bounce":
            let sender = words.count > 2 ? words[2] : nil
            return receive(StreamManagementTests.bounce(of: words[1], from: sender, name: words[0]))
        case "lost": return perform(.transportLost)
        case "reset": return perform(.connectionReset)
        case "closed": return perform(.peerClosed)
        case "close": return perform(.close)
        case "timer":
            let timer = TestCore.Core.Timer.allCases.first { "\($0)" == rest }
            return try perform(.deadline(#require(timer, "\(rest)")))
        case "show": return shown()
        case "stored": return Self.shown(stored)
        default: throw Transcript.Mistake("unknown step: \(step)")
        }
        return []
    }

    // MARK: Set-up

    private func begin(_ words: [String]) throws {
        var configuration = words.contains("defaults") ? StreamManagementConfiguration() : .quiet
        var limit: Int?
        var heldName: String?
        for word in words where !["defaults", "greets"].contains(word) {
            if word.hasPrefix("limit=") {
                limit = Int(word.dropFirst(6))
            } else if word.hasPrefix("holds=") {
                heldName = String(word.dropFirst(6))
            } else {
                try set(word, &configuration)
            }
        }
        core = TestCore(configuration, limit: limit, awaitsGreetings: words.contains("greets"))
        if let heldName { core.hold { $0.name == heldName } }
    }

    private func set(_ word: String, _ configuration: inout StreamManagementConfiguration) throws {
        let parts = word.split(separator: "=").map(String.init)
        let count = Int(parts[1]) ?? 0
        let time = Duration.seconds(Double(parts[1]) ?? 0)
        switch parts[0] {
        case "acks": configuration.acknowledgements.count = count
        case "acksAfter": configuration.acknowledgements.interval = time
        case "answerDelay": configuration.answerDelay = time
        case "attempts": configuration.maximumHandlingAttempts = count
        case "bytes": configuration.maximumUnacknowledgedBytes = count
        case "enables": configuration.enablesAutomatically = parts[1] == "true"
        case "losses": configuration.maximumLosses = count
        case "negotiation": configuration.negotiationTimeout = time
        case "places": configuration.maximumUnacknowledged = count
        case "policy":
            let policies: [FailurePolicy] = [.resendAll, .resendMessages, .resendNone, .ask]
            configuration.failurePolicy = try #require(policies.first { "\($0)" == parts[1] })
        case "refresh": configuration.disconnectRefreshInterval = time
        case "requests": configuration.acknowledgementRequests.count = count
        case "requestsAfter": configuration.acknowledgementRequests.interval = time
        case "timeout": configuration.acknowledgementTimeout = time
        case "unhandled": configuration.maximumUnhandled = count
        case "unhandledBytes": configuration.maximumUnhandledBytes = count
        default: throw Transcript.Mistake("unknown setting: \(word)")
        }
    }

    /// Stores a session, which `restart` takes up.
    private func prepare(_ words: [String]) throws {
        var session = StoredSession()
        for word in words {
            let parts = word.split(separator: "=").map(String.init)
            let counter = StanzaCounter(rawValue: UInt32(parts[1]) ?? 0)
            switch parts[0] {
            case "id": session.resumption = ResumptionID(parts[1]).map { Resumption(id: $0) }
            case "max": session.resumption = session.resumption.map { Resumption(id: $0.id, maximum: UInt32(parts[1])) }
            case "handled": session.handledByClient = counter
            case "server": session.handledByServer = counter
            case "attempts": session.handlingAttempts = Int(parts[1]) ?? 0
            case "last":
                let dates: [String: Date] = ["past": .distantPast, "future": .distantFuture]
                session.lastDisconnect = dates[parts[1]] ?? Double(parts[1]).map { TestCore.start + $0 }
            default: throw Transcript.Mistake("unknown part of a session: \(word)")
            }
        }
        stored = session
    }

    /// Adds a stanza to the stored session.
    private func prepare(_ list: String, _ words: [String]) throws {
        func number(_ key: String) -> Int? {
            words.first { $0.hasPrefix("\(key)=") }.flatMap { Int($0.dropFirst(key.count + 1)) }
        }
        let name = words.first { $0.hasPrefix("id=") }.map { String($0.dropFirst(3)) }
        let id = name ?? "m\(words[0])"
        let stanza = OutgoingStanza(
            number: OutgoingNumber(rawValue: try #require(UInt64(words[0]))), id: name.map(StanzaID.init(rawValue:)),
            element: element(number("bytes").map { message(id, bytes: $0) } ?? "<message id='\(id)'/>"),
            firstSent: TestCore.start, isSent: words.contains("sent"), losses: number("losses") ?? 0)
        _ = try #require(stored, "'session' comes first")
        switch list {
        case "pending": stored?.pending.append(stanza)
        case "held": stored?.held.append(stanza)
        default: stored?.undecided.append(stanza)
        }
    }

    // MARK: Results

    private func shown() -> [String] {
        var state = core.state.text
        if let resumption = core.resumption {
            state += " as \(resumption.id.rawValue)"
            if let location = resumption.location { state += " at \(location.host) \(location.port ?? 0)" }
            if let expiry = core.probableExpiry {
                state += ", expires \((expiry.timeIntervalSince(TestCore.start)))"
            }
        }
        if core.canResume { state += ", can resume" }
        if core.didResume { state += ", resumed" }
        if !core.hasRoom { state += ", full" }
        if !core.wantsInput { state += ", reads nothing" }
        return ["\(state), handled \(core.handled), acknowledged \(core.acknowledged)"]
            + Self.shown("unacknowledged", core.unacknowledged) + Self.shown("held", core.held)
            + Self.shown("undecided", core.undecided)
    }

    private static func shown(_ name: String, _ stanzas: [OutgoingStanza]) -> [String] {
        let texts = stanzas.map { stanza in
            "\(stanza.text) \(stanza.id?.rawValue ?? "-")" + (stanza.losses > 0 ? " losses=\(stanza.losses)" : "")
        }
        return texts.isEmpty ? [] : ["\(name): \(texts.joined(separator: ", "))"]
    }

    private static func shown(_ session: StoredSession?) -> [String] {
        guard let session else { return [] }
        var counts = "attempts \(session.handlingAttempts), unanswered \(session.unansweredResumptions)"
        if let last = session.lastDisconnect { counts += ", last \(last.timeIntervalSince(TestCore.start))" }
        return [session.text, counts]
            + shown("pending", session.pending) + shown("held", session.held) + shown("undecided", session.undecided)
    }
}
