// The events that blame a stanza. DeadLetterTests.swift tests how the session treats a suspect.

import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct DeadLetterRules {
    @Test("D50 Lost connections, errors of the moment and restarts of the server blame no stanza")
    func innocent() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        for _ in 1...20 {
            core.receive("<stream:error><err:system-shutdown/></stream:error>")
            #expect(TestCore.transmitted(core.resume(h: 0)) == ["#1"])
            core.handle(.transportLost)
            #expect(TestCore.transmitted(core.resume(h: 0)) == ["#1"])
        }
        // A server that restarts has forgotten the session.
        for number in 2...20 {
            core.handle(.transportLost)
            core.handle(.resume)
            core.receive("<sm:failed/>")
            #expect(TestCore.transmitted(core.text(.enable(resumption: true, maximum: nil, address: nil))) == ["#1"])
            core.receive("<sm:enabled id='s\(number)' resume='true'/>")
        }
        #expect(core.unacknowledged.map(\.losses) == [0])
    }
}
