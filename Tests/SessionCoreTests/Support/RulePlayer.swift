// Plays the steps of Tests/SessionRules on a core. README.md of that folder documents the steps.

import Foundation
import SessionCore
import TestSupport
import Testing

/// A core, and the numbers of its jobs that later steps name.
final class RulePlayer {
    private var core = TestCore()
    private var kept: [String: Int64] = [:]

    /// Plays a step, and returns its actions.
    func play(step: String) throws -> [String] {
        let words = step.split(separator: " ").map(String.init)
        let name = words[0]
        if name == "core" || name == "running" {
            let limits = try Self.limits(words)
            core = name == "core" ? TestCore(limits) : TestCore.running(limits)
            return []
        }
        if name == "show" { return [shown] }
        if name == "keep" {
            let numbers = [
                "attempt": core.attempt.rawValue, "greeting": core.greeting.rawValue, "sweep": core.sweep.rawValue,
                "waiting": core.waiting.rawValue,
            ]
            guard let number = numbers[words[2]] else { throw Transcript.Mistake("unknown number: \(step)") }
            kept[words[1]] = number
            return []
        }
        return try events(words).flatMap { event in try event().map(Self.text) }
    }

    /// The events of a step, each of which may name a number that the one before it has made.
    private func events(_ words: [String]) throws -> [() throws -> [Core.Action]] {
        let core = core
        let numbers = words.dropFirst().compactMap { Int64($0) }
        let number = numbers.first ?? 0
        let call = Core.Call(rawValue: number)
        let isWithin = words.contains("within")
        let reference = words.last.flatMap { $0.hasPrefix("@") ? kept[String($0.dropFirst())] : nil }
        if let word = words.last, word.hasPrefix("@"), reference == nil {
            throw Transcript.Mistake("\(word) is not kept")
        }
        let last = words.contains("greeting") ? core.greeting : core.attempt
        let attempt = Core.Attempt(rawValue: reference ?? last.rawValue)
        let time = Duration.seconds(words.dropFirst().compactMap { Double($0) }.last ?? 0)
        let collected = Core.Collected(
            size: Self.value("size", of: words) ?? 0, hasRequests: words.contains("requests"))
        func one(_ event: @escaping @autoclosure () throws -> Core.Event) -> [() throws -> [Core.Action]] {
            [{ core.handle(try event()) }]
        }
        switch words[0] {
        case "run": return one(.run(call))
        case "suspend":
            let end = Self.value("end", of: words).map { core.uptime + .seconds($0) }
            return one(.suspend(call, deadline: core.uptime + time, end: end, isWithin: isWithin))
        case "close": return one(.close(call, isWithin: isWithin))
        case "collect": return numbers.flatMap { one(.transactionCollected(.init(rawValue: $0), collected)) }
        case "cancel": return one(.transactionCanceled(.init(rawValue: number)))
        case "readWanted": return one(.readWanted(core.attempt))
        case "receive", "handled":
            return numbers.flatMap { number in
                one(
                    .received(
                        Core.Stanza(
                            number: .init(rawValue: number), isAnswer: words.contains("answer"),
                            isCounted: !words.contains("uncounted"), isSuspect: words.contains("suspect"))))
            } + (words[0] == "handled" ? one(.returned(core.attempt, collected)) : [])
        case "changed": return one(.requestsChanged)
        case "streamBegan": return one(.streamBegan)
        case "sessionBegan": return one(.sessionBegan(isNew: words.contains("new")))
        case "gone": return one(.streamIsGone(canResume: words.contains("resumable")))
        case "streamEnded": return one(.streamEnded)
        case "wait": return [{ core.wait(time) }]
        case "clock":
            return [
                {
                    core.offset = time / .seconds(1)
                    return []
                }
            ]
        case "claimed":
            let handlerTime = Self.value("handlerTime", of: words).map { Duration.seconds($0) }
            return one(.claimed(for: call, attempts: Self.value("attempts", of: words), handlerTime: handlerTime))
        case "notClaimed": return one(.notClaimed(for: call))
        case "swept":
            let sweep = Core.AccessNumber(rawValue: reference ?? core.sweep.rawValue)
            return one(.swept(sweep, words[1] == "true"))
        case "streamSuspended": return one(.streamSuspended)
        case "streamClosed": return one(.streamClosed)
        case "forgotten": return one(.sessionForgotten(try Self.requests(words.dropFirst())))
        case "notForgotten": return one(.sessionNotForgotten)
        case "leave":
            return one(.close(call, isWithin: false)) + one(.streamClosed)
                + one(.sessionForgotten(try Self.requests(words.dropFirst(2))))
        case "matched":
            let matches = words.dropFirst().map { Int64($0).map { match(.init(rawValue: $0)) } }
            return one(.found(core.lookUp, matches))
        case "notMatched": return one(.notFound(core.lookUp, try Self.databaseFailure(words[1])))
        case "returned": return one(.returned(attempt, collected))
        case "threw": return one(.threw(attempt, try Self.failure(words[1])))
        case "wasGreeted": return one(.wasGreeted(core.greeting))
        case "committed":
            let results = try Self.results(words, for: core.entries)
            return one(.committed(core.commit, results))
        case "committed-without-room": return one(.committed(core.commit, core.entries.map { _ in .noRoom }))
        case "room":
            let results = try Self.results(words, for: core.waitingEntries)
            return one(.committed(.init(rawValue: reference ?? core.waiting.rawValue), results))
        case "notCommitted": return one(.notCommitted(core.commit, try Self.databaseFailure(words[1])))
        case "withdrawn": return one(.withdrawn(.init(rawValue: number)))
        case "counted":
            let verdicts: [Core.Verdict] = [.again, .deadLettered, .comesAgain]
            let verdict = try #require(verdicts.first { "\($0)" == words[2] })
            return one(.failureCounted(.init(rawValue: number), verdict))
        case "read": return one(.requestsRead(core.read, try Self.requests(words.dropFirst())))
        case "reread":
            return one(.requestsChanged) + one(.requestsRead(core.read, try Self.requests(words.dropFirst())))
        default: throw Transcript.Mistake("unknown step: \(words)")
        }
    }

    // MARK: Values

    private static func value(_ key: String, of words: [String]) -> Int? {
        words.first { $0.hasPrefix("\(key)=") }.flatMap { Int($0.dropFirst(key.count + 1)) }
    }

    private static func limits(_ words: [String]) throws -> (inout Core.Limits) -> Void {
        let known = ["attempts", "batchCount", "batchSize", "handlerTime"]
        for word in words.dropFirst() where !known.contains(where: { word.hasPrefix("\($0)=") }) {
            throw Transcript.Mistake("unknown limit: \(word)")
        }
        return { limits in
            limits.attempts = Self.value("attempts", of: words) ?? limits.attempts
            limits.batchCount = Self.value("batchCount", of: words) ?? limits.batchCount
            limits.batchSize = Self.value("batchSize", of: words) ?? limits.batchSize
            limits.handlerTime = Self.value("handlerTime", of: words).map { .seconds($0) } ?? limits.handlerTime
        }
    }

    /// Requests with a deadline in seconds, or with a cause to end.
    private static func requests(_ words: ArraySlice<String>) throws -> [Core.Request] {
        try words.map { word in
            let parts = word.split(separator: "=").map(String.init)
            let serial = Core.Serial(rawValue: try #require(Int64(parts[0])))
            guard parts.count > 1 else { return request(serial) }
            if let timeout = Double(parts[1]) { return request(serial, after: timeout) }
            let causes: [Core.Outcome] = [.timedOut, .lost, .notHandled, .rejected]
            guard let cause = causes.first(where: { "\($0)" == parts[1] }) else {
                throw Transcript.Mistake("unknown cause: \(word)")
            }
            return request(serial, cause: cause)
        }
    }

    private static func databaseFailure(_ word: String) throws -> Core.DatabaseFailure {
        let failures: [Core.DatabaseFailure] = [.busy, .broken, .notOwner, .staleStanza]
        return try #require(failures.first { "\($0)" == word }, "\(word)")
    }

    private static func failure(_ word: String) throws -> Core.Failure {
        let failures: [String: Core.Failure] = [
            "failed": .failed, "interrupted": .interrupted, "hopeless": .hopeless, "busy": .database(.busy),
            "unanswered": .unanswered(isInputHeldUp: false), "heldUp": .unanswered(isInputHeldUp: true),
        ]
        return try #require(failures[word], "\(word)")
    }

    /// The results of entries; without words, all are done.
    private static func results(_ words: [String], for entries: [Core.Entry]) throws -> [Core.EntryResult] {
        let names = words.dropFirst().filter { !$0.hasPrefix("@") }
        if names == ["none"] { return [] }
        let results: [Core.EntryResult] = [.done, .ended, .failed, .interrupted, .held, .noRoom]
        if names.isEmpty { return entries.map { _ in .done } }
        return try names.map { name in try #require(results.first { "\($0)" == name }, "\(name)") }
    }

    // MARK: Texts

    private var shown: String {
        let left = core.hasRequestsLeft ? ", requests left" : ""
        let alarm = core.alarm.map { "alarm at \($0 / .seconds(1))" } ?? "no alarm"
        return "\(core.phase)\(left), \(core.jobCount) jobs, \(core.collectedCount) collected, \(alarm)"
    }

    private static func text(_ action: Core.Action) -> String {
        switch action {
        case .commit(let number, let entries): "commit \(number): \(text(entries))"
        case .commitWithRoom(let number, let entries): "commit \(number) with room: \(text(entries))"
        case .invalidate(let attempt, let ending): "invalidate \(attempt), \(text(ending))"
        case .handle(let attempt, let stanza, let match):
            "handle \(attempt), stanza \(stanza)" + (match.map { ", answers \($0.serial)" } ?? "")
        case .send(let work): "send \(work.map(text).joined(separator: ", "))"
        default: "\(action)".replacing("SessionCore.DurableSessionCore.", with: "")
        }
    }

    private static func text(_ entries: [Core.Entry]) -> String {
        let texts = entries.map { entry in
            let parts = [
                entry.work.map(text), entry.stanza.map { "stanza \($0)" }, entry.ends.map(text),
            ]
            return parts.compactMap(\.self).joined(separator: " ")
        }
        return texts.joined(separator: ", ")
    }

    private static func text(_ work: Core.Entry.Work) -> String {
        switch work {
        case .attempt(let number): "attempt \(number)"
        case .transaction(let number): "transaction \(number)"
        }
    }

    private static func text(_ ending: Core.Ending) -> String {
        "request \(ending.serial) \(ending.outcome)" + (ending.isGivenUp ? ", given up" : "")
    }
}
