// Every number of PlaygroundLimits: input at the limit, and input beyond it.

import Foundation
import TestSupport
import Testing

@testable import StanzaPlayground

@Suite struct LimitTests {
    @Test func theLengthOfAQuery() {
        let longest = String(repeating: "a/", count: PlaygroundLimits.queryBytes / 2 - 1) + "ab"
        #expect(longest.utf8.count == PlaygroundLimits.queryBytes)
        #expect(answer(longest, "<a/>").program != nil)
        let tooLong = answer("é" + longest, "<a/>")
        #expect(tooLong.diagnostics.map(\.kind) == ["limit"])
        #expect(tooLong.diagnostics.map(\.start) == [PlaygroundLimits.queryBytes - 1])
        #expect(tooLong.diagnostics.map(\.end) == [PlaygroundLimits.queryBytes + 1])
        #expect(tooLong.program == nil && tooLong.tree.isEmpty)
    }

    @Test func arguments() {
        let most = Array(repeating: "x", count: PlaygroundLimits.arguments)
        let query = "/<k=\(String(repeating: "%@", count: most.count))>@k"
        let stanza = "<a k='\(most.joined())'/>"
        #expect(answer(query, stanza, most).results.count == 1)
        let tooMany = answer(query, stanza, most + ["x"])
        #expect(tooMany.diagnostics.map(\.kind) == ["arguments"] && tooMany.program != nil)
        #expect(tooMany.diagnostics.first?.message == "there are more than 256 arguments")
    }

    @Test func stanzas() {
        func text(_ count: Int) -> EvaluatedText { EvaluatedText(String(repeating: "<a/>", count: count)) }
        let full = text(PlaygroundLimits.stanzas)
        #expect(full.stanzas.count == PlaygroundLimits.stanzas && !full.isCut)
        let cut = text(PlaygroundLimits.stanzas + 1)
        #expect(cut.stanzas.count == PlaygroundLimits.stanzas && cut.isCut)
    }

    @Test func marksAndResults() {
        func children(_ count: Int) -> String { "<a>" + String(repeating: "<b k='v'/>", count: count) + "</a>" }
        let many = answer("b@x", children(PlaygroundLimits.marks))
        #expect(many.marks.count == PlaygroundLimits.marks && many.marks.last?.path == [PlaygroundLimits.marks - 2])
        #expect(many.isShortened)
        let most = answer("b@x", children(PlaygroundLimits.marks - 1))
        #expect(most.marks.count == PlaygroundLimits.marks && !most.isShortened)
        let full = answer("b@k", children(PlaygroundLimits.results))
        #expect(full.results.count == PlaygroundLimits.results && !full.isCut)
        #expect(full.results.last?.path == [PlaygroundLimits.results - 1])
        let cut = answer("b@k", children(PlaygroundLimits.results + 1))
        #expect(cut.results.count == PlaygroundLimits.results && cut.isCut)
    }

    @Test func theTextOfResults() {
        func children(_ lengths: [Int]) -> String {
            "<a>" + lengths.map { "<b k='\(String(repeating: "v", count: $0))'/>" }.joined() + "</a>"
        }
        let half = PlaygroundLimits.resultBytes / 2
        let full = answer("b@k", children([half, half]))
        #expect(full.results.map(\.text.utf8.count) == [half, half] && !full.isCut)
        let oneMore = answer("b@k", children([half, half, 0]))
        #expect(oneMore.results.count == 2 && oneMore.isCut)
        let cut = answer("b@k", children([half, half + 1, 5]))
        #expect(cut.results.map(\.text.utf8.count) == [half, half] && cut.isCut)
        // A cut result never contains a part of a character.
        let wide = answer("b@k", "<a><b k='x\(String(repeating: "😀", count: half / 2))'/></a>")
        #expect(wide.results.map(\.text.utf8.count) == [PlaygroundLimits.resultBytes - 3] && wide.isCut)
    }

    @Test func linesAndTheirLengths() {
        let segments = answer(String(repeating: "a/", count: 2 * PlaygroundLimits.lines) + "a", "<a/>")
        #expect(segments.tree.count == PlaygroundLimits.lines && segments.isShortened)
        let most = answer(String(repeating: "a/", count: PlaygroundLimits.lines - 2) + "a", "<a/>")
        #expect(most.tree.count == PlaygroundLimits.lines - 1 && !most.isShortened)
        #expect(segments.program?.listing.count == PlaygroundLimits.lines)
        let long = answer(String(repeating: "n", count: 2 * PlaygroundLimits.lineCharacters), "<a/>")
        #expect(long.tree.map(\.text.count) == [PlaygroundLimits.lineCharacters + 1])
        #expect(long.program?.listing.allSatisfy { $0.text.count <= PlaygroundLimits.lineCharacters + 1 } == true)
        #expect(long.tree.map(\.end) == [2 * PlaygroundLimits.lineCharacters])
    }

    @Test func aDeskHasTheLimits() {
        let desk = EvaluationDesk()
        #expect(desk.places == PlaygroundLimits.evaluations && desk.patience == PlaygroundLimits.evaluationTime)
    }

    @Test func jobsAtTheSameTime() async throws {
        let desk = EvaluationDesk(places: 2, patience: .seconds(600))
        let gate = DispatchSemaphore(value: 0)
        async let first = desk.run { gate.wait() }
        async let second = desk.run { gate.wait() }
        try await eventually("both jobs run") { desk.runningCount == 2 }
        guard case .busy = await desk.run({}) else {
            Issue.record("a third job ran")
            return
        }
        gate.signal()
        gate.signal()
        guard case .done = await first, case .done = await second else {
            Issue.record("a job was not waited for")
            return
        }
        #expect(desk.runningCount == 0)
        guard case .done = await desk.run({}) else {
            Issue.record("a place was not given back")
            return
        }
    }

    /// Jobs that compute do not block threads that other jobs or Swift's tasks need.
    @Test func jobsThatNeverWait() async throws {
        let places = ProcessInfo.processInfo.activeProcessorCount + 2
        let desk = EvaluationDesk(places: places, patience: .seconds(600))
        let started = Counter()
        let end = ContinuousClock.now + .seconds(600)
        let together = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<places {
                group.addTask {
                    let outcome = await desk.run { () -> Bool in
                        started.next()
                        while started.value < places, ContinuousClock.now < end { sched_yield() }
                        return started.value == places
                    }
                    guard case .done(let isTogether) = outcome else { return false }
                    return isTogether
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(together == places)
    }

    @Test func aJobThatTakesTooLongKeepsItsPlace() async throws {
        let desk = EvaluationDesk(places: 1, patience: .zero)
        let gate = DispatchSemaphore(value: 0)
        guard case .tooLong = await desk.run({ gate.wait() }) else {
            Issue.record("it was waited for")
            return
        }
        guard case .busy = await desk.run({}) else {
            Issue.record("another job ran")
            return
        }
        gate.signal()
        try await eventually("the job has ended") { desk.runningCount == 0 }
        #expect(EvaluationAnswer.unfinished.failure?.contains("more than 10 seconds") == true)
    }
}
