// The core asks again for an acknowledgement that senders wait for, as long as they wait.

import StreamManagement
import StreamSimulator
import Testing

@Suite struct RoomTests {
    private static let request = "send <r/>"

    /// A core with five free places, on a server that has answered a request and handled nothing.
    private static func withFiveFree(
        _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) -> TestCore {
        let core = TestCore.enabled(
            .quiet {
                $0.maximumUnacknowledged = 10
                change(&$0)
            })
        for number in 1...5 { core.send("<message id='m\(number)'/>") }
        core.handle(.requestAcknowledgement)
        core.receive("<sm:a h='0'/>")
        return core
    }

    @Test("D18 The session asks again for a transaction of ten stanzas while five places are free")
    func waitForSeveral() {
        let core = Self.withFiveFree()
        #expect(core.hasRoom)
        #expect(core.text(.awaitRoom(places: 10)) == ["arm repetition at 30.0"])
        for _ in 1...3 {
            core.wait(.seconds(30))
            #expect(core.text(.deadline(.repetition)).contains(Self.request))
            core.receive("<sm:a h='0'/>")
        }
        // Nine places are not enough.
        core.receive("<sm:a h='4'/>")
        core.wait(.seconds(30))
        #expect(core.text(.deadline(.repetition)).contains(Self.request))
        #expect(core.receive("<sm:a h='5'/>").contains { $0.hasPrefix("arm") } == false)
        core.wait(.seconds(30))
        #expect(core.text(.deadline(.repetition)) == [])
    }

    @Test("D18 A wait for several places makes a request due")
    func firstRequest() {
        let core = TestCore.enabled(.quiet { $0.maximumUnacknowledged = 10 })
        #expect(!core.send("<message id='m1'/>").contains(Self.request))
        #expect(!core.text(.awaitRoom(places: 9)).contains(Self.request))
        #expect(core.text(.awaitRoom(places: 10)).contains(Self.request))
        // The request covers the wait.
        #expect(core.text(.awaitRoom(places: 10)) == [])
    }

    @Test("D18 A wait ends with a sender that gives up")
    func givingUp() {
        let core = Self.withFiveFree()
        core.handle(.awaitRoom(places: 10))
        #expect(core.text(.awaitRoom(places: 0)) == ["cancel repetition"])
        core.wait(.seconds(30))
        #expect(core.text(.deadline(.repetition)) == [])
    }

    private static func undecided(_ number: UInt64) -> OutgoingStanza {
        OutgoingStanza(
            number: OutgoingNumber(rawValue: number), id: nil, element: element("<message id='m\(number)'/>"),
            firstSent: TestCore.start, isSent: false)
    }

    @Test("D18 A decision that resends nothing ends the wait for room")
    func decisionEndsWait() {
        let core = TestCore(
            .quiet { $0.maximumUnacknowledged = 2 }, restoring: StoredSession(undecided: [Self.undecided(1)]))
        core.handle(.enable(resumption: true, maximum: nil, address: nil))
        core.receive("<sm:enabled id='s1' resume='true'/>")
        #expect(core.send("<message id='m2'/>").contains(Self.request))
        #expect(core.receive("<sm:a h='0'/>") == ["arm repetition at 30.0"])
        #expect(core.text(.decide(resend: [])).contains("cancel repetition"))
        core.wait(.seconds(30))
        #expect(core.text(.deadline(.repetition)) == [])
    }

    @Test("D18 A withdrawn stanza ends the wait for room, or for a suspect")
    func withdrawalEndsWait() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.receive("<stream:error><err:policy-violation/></stream:error>")
        core.send("<message id='m2'/>")
        core.resume(h: 0)
        #expect(core.receive("<sm:a h='0'/>") == ["arm repetition at 30.0"])
        // The suspect is still awaited, because it goes alone: a withdrawn stanza after it changes nothing.
        #expect(core.text(.withdraw(OutgoingNumber(rawValue: 2))).contains("cancel repetition") == false)

        let full = TestCore.enabled(.quiet { $0.maximumUnacknowledged = 3 })
        full.send("<message id='m1'/>")
        full.receive("<stream:error><err:policy-violation/></stream:error>")
        for id in ["m2", "m3"] { full.send("<message id='\(id)'/>") }
        full.resume(h: 0)
        #expect(full.receive("<sm:a h='1'/>").contains("arm repetition at 30.0") == false)
        #expect(full.hasRoom)
    }

    @Test("D19 A repetition does not take the place of the interval, and ends with its wait")
    func repetitionAndInterval() {
        let core = Self.withFiveFree { $0.acknowledgementRequests.interval = .seconds(2) }
        core.handle(.awaitRoom(places: 10))
        core.wait(.seconds(1))
        #expect(core.receive("<sm:a h='5'/>").contains("cancel repetition"))
        core.handle(.awaitRoom(places: 0))
        // Two seconds after the stanza, and not with a repetition.
        #expect(core.send("<message id='m6'/>").contains("arm request at 3.0"))
        core.wait(.seconds(2))
        #expect(core.text(.deadline(.request)).contains(Self.request))
    }

    @Test("A wait that the server's answers do not end is reported once for each wait")
    func reports() {
        let core = Self.withFiveFree { $0.acknowledgementTimeout = .seconds(10) }
        let report = "notify acknowledgementWithheld #1 of 5"
        core.handle(.awaitRoom(places: 10))
        core.wait(.seconds(10))
        #expect(core.text(.deadline(.repetition)).contains(report))
        core.receive("<sm:a h='0'/>")
        core.wait(.seconds(10))
        #expect(!core.text(.deadline(.repetition)).contains(report))
        // Another connection continues the wait.
        core.resume(h: 0)
        core.receive("<sm:a h='0'/>")
        core.wait(.seconds(10))
        #expect(!core.text(.deadline(.repetition)).contains(report))
        core.receive("<sm:a h='0'/>")
        core.handle(.awaitRoom(places: 0))
        core.handle(.awaitRoom(places: 10))
        core.wait(.seconds(10))
        #expect(core.text(.deadline(.repetition)).contains(report))
    }

    @Test("D23 Without a runner, a wait for several places ends a stream that acknowledges nothing")
    func deadlineOfSeveralPlaces() {
        let core = Self.withFiveFree {
            $0.acknowledgementTimeout = .seconds(10)
            $0.maximumUnhandled = 1
        }
        core.receive("<message id='in'/>")
        #expect(!core.wantsInput)
        core.handle(.awaitRoom(places: 10))
        core.wait(.seconds(10))
        core.handle(.deadline(.repetition))
        core.wait(.seconds(10))
        #expect(core.text(.deadline(.missingAcknowledgement)).contains { $0.hasPrefix("abandon") })
    }

    @Test("D18 Each wait is reported, also one that follows another without a stream")
    func reportOfTheNextWait() {
        let core = Self.withFiveFree()
        func isReported() -> Bool {
            core.wait(.seconds(30))
            return core.text(.deadline(.repetition)).contains { $0.hasPrefix("notify acknowledgementWithheld") }
        }
        core.handle(.awaitRoom(places: 10))
        #expect(isReported())
        core.receive("<sm:a h='0'/>")
        #expect(!isReported())
        core.handle(.transportLost)
        core.handle(.awaitRoom(places: 0))
        core.handle(.awaitRoom(places: 10))
        core.resume(h: 0)
        core.receive("<sm:a h='0'/>")
        #expect(isReported())
    }
}
