// The rules by which a promise changes.

import Foundation
import Handlers
import Testing

struct PromiseRecordTests {
    private let start = Date(timeIntervalSince1970: 1_000)

    private func record(timeout: TimeInterval? = nil, retention: TimeInterval = 100) -> PromiseRecord {
        PromiseRecord(id: UUID(), key: nil, type: "Nothing", created: start, timeout: timeout, retention: retention)
    }

    @Test func aDeadlineCountsBeforeItIsStored() {
        var promise = record(timeout: 10)
        #expect(promise.resolve(.canceled, at: start + 10) == .alreadyResolved(.timedOut))
        #expect(promise.outcome == .timedOut)
        #expect(promise.resolved == start + 10)
        var early = record(timeout: 10)
        #expect(early.resolve(.canceled, at: start + 9.9) == .resolved)
    }

    @Test func aClockThatIsSetBackDoesNotMakeTheWaitLonger() {
        var promise = record(timeout: 10)
        #expect(promise.isDue(at: start - 1000))
        let hasChanged = promise.expire(at: start - 1000)
        #expect(hasChanged)
        #expect(promise.state == .pending)
        #expect(promise.deadline == start - 990)
        #expect(!promise.isDue(at: start - 991))
        #expect(promise.isDue(at: start - 990))
    }

    @Test func howLongARecordIsKept() {
        var promise = record(timeout: 10, retention: 1000)
        #expect(promise.expiry == start + 1010)
        _ = promise.resolve(.canceled, at: start + 5)
        #expect(promise.expiry == start + 1005)
        let (first, second) = (promise.acknowledge(at: start + 8), promise.acknowledge(at: start + 9))
        #expect([first, second] == [true, false])
        #expect(promise.expiry == start + 8 + PromiseRecord.acknowledgedRetention)
        var short = record(retention: 3)
        #expect(short.expiry == nil)
        _ = short.resolve(.canceled, at: start)
        let isEarly = short.acknowledge(at: start)
        #expect(isEarly)
        #expect(short.expiry == start + 3, "acknowledging does not extend a shorter retention")
    }
}
