// When requests are given up, whatever the clock does.

import Foundation
import Persistence
import StreamManagement
import TestSupport
import Testing

@testable import XMPPSession

@Suite(.fewAtOnce) struct RequestTimesTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    private func request(
        _ serial: Int64 = 1, after seconds: TimeInterval, timeout: TimeInterval? = nil
    ) -> StoredRequest {
        StoredRequest(
            serial: serial, id: "q\(serial)", recipient: nil, kind: "iq",
            handler: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            deadline: start.addingTimeInterval(seconds), timeout: timeout)
    }

    private func moment(_ uptime: Int, setBy seconds: TimeInterval = 0) -> Moment {
        Moment(uptime: .seconds(uptime), date: start.addingTimeInterval(Double(uptime) + seconds))
    }

    @Test(arguments: [0, -86_400, 86_400.0])
    func aClockThatIsSetMeanwhileChangesNothing(seconds: TimeInterval) {
        var times = RequestTimes()
        let request = request(after: 120)
        #expect(times.ends(of: [request], read: 1, at: moment(0)) == ([], .seconds(120)))
        #expect(times.ends(of: [request], read: 2, at: moment(60, setBy: seconds)) == ([], .seconds(120)))
        #expect(times.ends(of: [request], read: 3, at: moment(121, setBy: seconds)) == ([request], nil))
    }

    /// Another process has stored the request.
    @Test func aClockThatWasSetBackBeforeProlongsNoRequestBeyondItsTime() {
        var times = RequestTimes()
        let request = request(after: 120, timeout: 120)
        #expect(times.ends(of: [request], read: 1, at: moment(10, setBy: -86_400)) == ([], .seconds(130)))
    }

    @Test func whatIsOverIsOver() {
        var times = RequestTimes()
        let over = request(after: -5)
        #expect(times.ends(of: [over], read: 1, at: moment(10)) == ([over], nil))
        // It has another deadline since.
        #expect(times.ends(of: [request(after: 300)], read: 2, at: moment(20)) == ([], .seconds(300)))
        // Nor does a date at the end of time trap.
        #expect(times.ends(of: [request(after: 1e300)], read: 3, at: moment(20)).next != nil)
    }

    @Test func theNextIsTheOneThatTimesOutFirst() {
        var times = RequestTimes()
        let requests = [request(1, after: 300), request(2, after: 100), request(3, after: 200)]
        #expect(times.ends(of: requests, read: 1, at: moment(0)) == ([], .seconds(100)))
        #expect(times.ends(of: requests, read: 2, at: moment(100)) == ([requests[1]], .seconds(200)))
    }

    @Test func whatIsForgottenIsSeenAnew() {
        var times = RequestTimes()
        let request = request(after: 120)
        #expect(times.ends(of: [request], read: 1, at: moment(0)).next == .seconds(120))
        #expect(times.ends(of: [request], read: 2, at: moment(0, setBy: 60)).next == .seconds(120))
        #expect(times.ends(of: [], read: 3, at: moment(0, setBy: 60)) == ([], nil))
        #expect(times.ends(of: [request], read: 4, at: moment(0, setBy: 60)).next == .seconds(60))
    }

    /// It was read before the new request was stored, and comes later.
    @Test func whatWasReadBeforeMakesNothingNewerForgotten() {
        var times = RequestTimes()
        let (old, new) = (request(1, after: 300), request(2, after: 120))
        #expect(times.ends(of: [old, new], read: 2, at: moment(0)) == ([], .seconds(120)))
        #expect(times.ends(of: [old], read: 1, at: moment(0)) == ([], .seconds(300)))
        // By the clock that was set it would be over.
        #expect(times.ends(of: [old, new], read: 3, at: moment(60, setBy: 86_400)) == ([], .seconds(120)))
    }
}
