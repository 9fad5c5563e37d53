// The checks of the fault runs, on invented runs. They find each violation, and nothing else.

import Testing

@testable import SessionFaults

@Suite struct RunEvidenceTests {
    private let good = MadeUpRun()

    @Test func aGoodRunHolds() { #expect(good.violations() == []) }

    @Test func explainedRunsHold() {
        #expect(good.telling("unknown m-1").with(\.received["m-1"], 2).violations() == [])
        #expect(good.telling("sending m-2").violations() == [])
        #expect(good.telling("sending m-2", "stored m-2", "unknown m-2").with(\.resends, false).violations() == [])
        #expect(good.with(\.received["m-1"], nil).with(\.lostByServer, ["m-1"]).violations() == [])
        #expect(good.with(\.taken, []).with(\.inbox, [:]).with(\.received["re-b-1"], nil).violations() == [])
        #expect(good.with(\.promises, [:]).violations() == [])
    }

    @Test func lostAndRepeatedMessagesAreFound() {
        #expect(good.with(\.received["m-1"], nil).finds("m-1 was reported as acknowledged, and is missing"))
        #expect(good.telling("sending m-2", "stored m-2").finds("m-2 was stored, and is missing"))
        #expect(good.telling("sending m-2", "stored m-2", "unknown m-2").finds("m-2 was stored, and is missing"))
        #expect(good.with(\.received["m-1"], 2).finds("m-1 came 2 times"))
        #expect(good.telling("unknown m-1").with(\.received["m-1"], 3).finds("m-1 came 3 times"))
        let again = good.telling("unknown m-1").with(\.received["m-1"], 2).with(\.resends, false)
        #expect(again.finds("m-1 came 2 times, and should not be sent again"))
        let early = good.telling("unknown m-1").with(\.received["m-1"], 2).with(\.unannounced, ["m-1"])
        #expect(early.finds("m-1 came again before it was reported as unknown"))
        #expect(good.telling("violation promise-late q-1-result").finds("violation promise-late"))
    }

    @Test func messagesOfBobThatWereNotHandledOnceAreFound() {
        let twice = good.with(\.inbox["b-1"], ["s1", "s1"]).with(\.received["re-b-1"], 2)
        #expect(twice.finds("b-1 was handled 2 times"))
        // Even after lost sessions, a single session does not repeat a message again and again.
        let after = good.telling("enabled").with(\.received["re-b-1"], 3)
        #expect(after.with(\.inbox["b-1"], ["s1", "s2", "s2"]).with(\.inbox["b-2"], ["s3"]).violations() == [])
        let thrice = after.with(\.inbox["b-1"], ["s2", "s2", "s2"]).with(\.inbox["b-2"], ["s3", "s4"])
        #expect(thrice.finds("b-1 was handled 3 times"))
        let lost = good.with(\.inbox, [:]).with(\.received["re-b-1"], nil)
        #expect(lost.finds("b-1 was taken by the server, and is missing"))
        #expect(good.with(\.inbox, [:]).with(\.taken, []).finds("b-1 is acknowledged by the application"))
        #expect(good.with(\.received["re-b-1"], 2).finds("re-b-1 came 2 times for 1"))
        #expect(good.with(\.received["re-b-1"], nil).finds("re-b-1 came 0 times for 1"))
    }

    @Test func requestsAndPromisesWithoutOneOutcomeAreFound() {
        #expect(good.with(\.waiting, ["q-2-result"]).finds("q-2-result waits forever"))
        #expect(good.telling("asked q-2-result").finds("q-2-result was asked, and has no outcome"))
        #expect(good.with(\.outcomes["q-1-result"], ["result", "result"]).finds("q-1-result has the outcomes"))
        let invented = good.telling("asked q-2-forget").with(\.outcomes["q-2-forget"], ["result"])
        #expect(invented.finds("q-2-forget has an invented result"))
        #expect(good.with(\.promises["q-1-result"], "error").finds("q-1-result has result, its promise error"))
        #expect(good.with(\.promises["q-1-result"], "pending").finds("q-1-result has result, its promise pending"))
        #expect(good.telling("shown q-1-result error").finds("q-1-result has shown"))
    }
}

/// The evidence of a run without violations, which each test changes.
private struct MadeUpRun {
    var resends = true
    var told = ["begin", "enabled", "sending m-1", "stored m-1", "acknowledged m-1", "asked q-1-result"]
    var received = ["m-1": 1, "re-b-1": 1]
    var taken: Set = ["b-1"]
    var unannounced: Set<String> = []
    var lostByServer: Set<String> = []
    var inbox = ["b-1": ["s1"]]
    var outcomes = ["q-1-result": ["result"]]
    var promises = ["q-1-result": "result"]
    var waiting: [String] = []

    func with<Value>(_ part: WritableKeyPath<MadeUpRun, Value>, _ value: Value) -> MadeUpRun {
        var changed = self
        changed[keyPath: part] = value
        return changed
    }

    func telling(_ lines: String...) -> MadeUpRun { with(\.told, told + lines) }

    func violations() -> [String] {
        RunEvidence(
            resends: resends, log: RunLog(told.map { "app1 \($0)\n" }.joined()),
            bob: BobsView(received: received, taken: taken, sent: ["b-1"], unannounced: unannounced),
            lostByServer: lostByServer, inbox: inbox, outcomes: outcomes, promises: promises, waiting: waiting
        ).violations()
    }

    /// Whether a violation contains this text.
    func finds(_ text: String) -> Bool { violations().contains { $0.contains(text) } }
}
