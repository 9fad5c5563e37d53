// When requests are given up, whatever the clock does.

import Foundation
import Persistence
import StreamManagement
import Testing

@testable import XMPPSession

struct RequestTimesTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    private func request(after seconds: TimeInterval, timeout: TimeInterval? = nil) -> StoredRequest {
        StoredRequest(
            id: "q1", recipient: nil, kind: "iq", handler: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            deadline: start.addingTimeInterval(seconds), timeout: timeout)
    }

    private func moment(_ uptime: Int, setBy seconds: TimeInterval = 0) -> Moment {
        Moment(uptime: .seconds(uptime), date: start.addingTimeInterval(Double(uptime) + seconds))
    }

    @Test(arguments: [0, -86_400, 86_400.0])
    func aClockThatIsSetMeanwhileChangesNothing(seconds: TimeInterval) {
        var times = RequestTimes()
        let request = request(after: 120)
        #expect(times.limit(of: request, at: moment(0)) == .seconds(120))
        #expect(times.limit(of: request, at: moment(60, setBy: seconds)) == .seconds(120))
        #expect(times.limit(of: request, at: moment(121, setBy: seconds)) == .seconds(120))
    }

    /// Another process has stored the request.
    @Test func aClockThatWasSetBackBeforeProlongsNoRequestBeyondItsTime() {
        var times = RequestTimes()
        let request = request(after: 120, timeout: 120)
        #expect(times.limit(of: request, at: moment(10, setBy: -86_400)) == .seconds(130))
    }

    @Test func whatIsOverIsOver() {
        var times = RequestTimes()
        #expect(times.limit(of: request(after: -5), at: moment(10)) == .seconds(10))
        // It has another deadline since.
        #expect(times.limit(of: request(after: 300), at: moment(20)) == .seconds(300))
        // Nor does a date at the end of time trap.
        #expect(times.limit(of: request(after: 1e300), at: moment(20)) != nil)
    }

    @Test func whatIsForgottenIsSeenAnew() {
        var times = RequestTimes()
        let request = request(after: 120)
        #expect(times.limit(of: request, at: moment(0)) == .seconds(120))
        times.forget(allBut: [request])
        #expect(times.limit(of: request, at: moment(0, setBy: 60)) == .seconds(120))
        times.forget(allBut: [])
        #expect(times.limit(of: request, at: moment(0, setBy: 60)) == .seconds(60))
    }
}
