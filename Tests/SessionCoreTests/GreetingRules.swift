// The greeting of each stream session.

import SessionCore
import Testing

@Suite struct GreetingRules {
    @Test func aNewSessionIsGreetedOnce() {
        let core = TestCore.running()
        #expect(core.handle(.sessionBegan(isNew: true)) == [.greet(core.greeting, isNew: true)])
        let greeting = core.greeting
        #expect(core.handle(.returned(greeting, Core.Collected())) == [.commit(core.commit, core.entries)])
        #expect(core.entries == [Core.Entry(work: .attempt(greeting))])
        // What waited for the greeting goes after it.
        #expect(core.committed() == [.send([.attempt(greeting)]), .endGreeting])
        #expect(core.handle(.sessionBegan(isNew: false)) == [.greet(core.greeting, isNew: false)])
        #expect(core.handle(.wasGreeted(core.greeting)) == [.endGreeting])
        #expect(core.wait(.seconds(3600)) == [])
    }

    /// No handler waits for the greeting, and the greeting waits for none.
    @Test func aGreetingRunsBesideAHandler() {
        let core = TestCore.running()
        core.receive(1)
        #expect(core.handle(.sessionBegan(isNew: true)) == [.greet(core.greeting, isNew: true)])
        #expect(core.returned() == [.commit(core.commit, core.entries)])
        #expect(core.entries.map(\.stanza) == [1])
    }

    @Test func aGreetingEndsWithItsRun() {
        let core = TestCore.running()
        core.handle(.sessionBegan(isNew: true))
        let greeting = core.greeting
        #expect(core.handle(.streamEnded) == [.cancel(greeting), .suspendStream])
        core.handle(.streamSuspended)
        #expect(core.handle(.returned(greeting, Core.Collected())) == [])
        // The next run greets the session, which is still new to this process.
        core.handle(.run(2))
        core.handle(.claimed(for: 2))
        #expect(core.handle(.sessionBegan(isNew: false)) == [.greet(core.greeting, isNew: true)])
    }

    @Test func aGreetingHasATimeBudget() {
        let core = TestCore.running { ($0.handlerTime, $0.attempts) = (.seconds(10), 2) }
        core.handle(.sessionBegan(isNew: true))
        let first = core.greeting
        #expect(core.wait(.seconds(10)) == [.cancel(first)])
        #expect(core.wait(.seconds(1)) == [.greet(core.greeting, isNew: true)])
        #expect(core.handle(.returned(first, Core.Collected())) == [])
        // Nothing waits for a greeting that always fails.
        #expect(core.handle(.threw(core.greeting, .failed)) == [.endGreeting])
        // Each connection has that number of attempts.
        #expect(core.wait(.seconds(3600)) == [])
        #expect(core.handle(.sessionBegan(isNew: false)) == [.greet(core.greeting, isNew: true)])
    }

    /// Neither the database nor an interruption is the application's fault.
    @Test func otherFailuresDoNotCount() {
        let core = TestCore.running { $0.attempts = 1 }
        core.handle(.sessionBegan(isNew: true))
        for failure in [Core.Failure.database(.busy), .interrupted] {
            #expect(core.handle(.threw(core.greeting, failure)) == [])
            #expect(core.wait(.seconds(1)) == [.greet(core.greeting, isNew: true)])
        }
        core.handle(.returned(core.greeting, Core.Collected()))
        #expect(core.committed([.interrupted]) == [])
        #expect(core.wait(.seconds(1)) == [.greet(core.greeting, isNew: true)])
    }

    @Test func aLaterSessionDoesNotWaitForAnEarlierGreeting() {
        let core = TestCore.running()
        core.handle(.sessionBegan(isNew: true))
        let first = core.greeting
        #expect(core.handle(.sessionBegan(isNew: true)) == [.cancel(first), .greet(core.greeting, isNew: true)])
        #expect(core.handle(.threw(first, .failed)) == [])
        // A resumption does not begin another session.
        core.handle(.returned(core.greeting, Core.Collected()))
        core.committed()
        core.handle(.sessionBegan(isNew: false))
        #expect(core.handle(.sessionBegan(isNew: false)) == [])
    }

    /// A core whose greeting waits, because the database failed.
    private static func withUncommittedGreeting() -> (TestCore, Core.Attempt) {
        let core = TestCore.running()
        core.handle(.sessionBegan(isNew: true))
        let greeting = core.greeting
        core.handle(.returned(greeting, Core.Collected()))
        core.handle(.notCommitted(core.commit, .busy))
        return (core, greeting)
    }

    /// The database fails, and each connection begins another session in the meantime.
    @Test func aGreetingOfAnEarlierSessionDoesNotCommit() {
        let (core, first) = Self.withUncommittedGreeting()
        #expect(core.handle(.sessionBegan(isNew: true)) == [.cancel(first), .greet(core.greeting, isNew: true)])
        let second = core.greeting
        #expect(core.handle(.returned(second, Core.Collected())) == [.commit(core.commit, core.entries)])
        #expect(core.entries == [Core.Entry(work: .attempt(second))])
        // A commit that has begun may still end.
        #expect(core.handle(.sessionBegan(isNew: true)) == [.greet(core.greeting, isNew: true)])
        #expect(core.handle(.notCommitted(core.commit, .busy)) == [.cancel(second)])
    }

    /// The session began while the run ended.
    @Test func aGreetingOfAnEarlierRunDoesNotEndThatOfALaterOne() {
        let core = TestCore.running()
        core.handle(.sessionBegan(isNew: true))
        let first = core.greeting
        core.handle(.returned(first, Core.Collected()))
        core.handle(.streamEnded)
        core.handle(.sessionBegan(isNew: true))
        core.committed()
        core.handle(.streamSuspended)
        core.handle(.run(2))
        core.handle(.claimed(for: 2))
        #expect(core.handle(.sessionBegan(isNew: false)) == [.greet(core.greeting, isNew: true)])
    }

    /// The session of a stanza in the commit is over.
    @Test func aGreetingOfAnEarlierSessionDoesNotCommitAfterAStaleStanza() {
        let (core, first) = Self.withUncommittedGreeting()
        core.receive(1)
        core.returned()
        #expect(core.wait(.seconds(1)) == [.commit(core.commit, core.entries)])
        #expect(core.entries.map(\.work) == [.attempt(first), .attempt(core.attempt)])
        core.handle(.sessionBegan(isNew: true))
        let actions = core.handle(.notCommitted(core.commit, .staleStanza))
        #expect(actions.contains(.cancel(first)))
        #expect(!actions.contains { if case .commit = $0 { true } else { false } })
    }
}
