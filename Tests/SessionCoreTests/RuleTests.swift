// The cases of Tests/SessionRules, played on a core.

import Foundation
import SessionCore
import TestSupport
import Testing

@Suite struct RuleTests {
    @Test(arguments: Transcript.files(in: "Tests/SessionRules"))
    func everyCase(file: URL) throws {
        #expect(try Transcript.differences(in: file) { RulePlayer().play(step:) } == [])
    }

    /// A long transaction delays other processes.
    @Test func aBatchIsShort() {
        let limits = Core.Limits()
        #expect(limits.batchCount == 256 && limits.batchSize == 1 << 20 && limits.batchAge == .milliseconds(50))
    }

    @Test func theCallerDoesWhatActionsSay() {
        let call: Core.Call = 1
        let now = Core.Moment(uptime: .zero, date: Date(timeIntervalSince1970: 1_000_000))
        var performed: [Core.Action] = []
        func perform(_ action: Core.Action) { performed.append(action) }
        var core = DurableSessionCore()
        var actions: [DurableSessionCore.Action] = []
        core.handle(.run(call), at: now, into: &actions)
        for action in actions { perform(action) }
        #expect(performed == [.claim(for: call)])
        #expect(core.phase == .claiming(run: call))
    }
}
