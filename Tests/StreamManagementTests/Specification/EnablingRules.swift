// The rules about enabling: R9 to R14.

import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct EnablingRules {
    private static let enable = TestCore.Core.Event.enable(resumption: true, maximum: nil, address: nil)

    @Test("R9 At most one <enable/> for each stream")
    func once() {
        let core = TestCore()
        #expect(core.text(Self.enable).last == "send <enable resume='true'/>")
        #expect(core.refusal(of: Self.enable) == .enablingUnderWay)
        core.receive("<sm:enabled/>")
        #expect(core.refusal(of: Self.enable) == .alreadyEnabled)
        // The next stream may ask again.
        core.handle(.transportLost)
        #expect(core.refusal(of: Self.enable) == nil)
        core.receive("<sm:failed/>")
        #expect(core.refusal(of: Self.enable) == .refused)
        core.handle(.transportLost)
        #expect(core.refusal(of: Self.enable) == nil)
    }

    @Test(
        "R10 Without resume='true' or '1' there are only acknowledgements, even with an id",
        arguments: [
            ("<sm:enabled id='s1' resume='true'/>", true), ("<sm:enabled id='s1' resume='1'/>", true),
            ("<sm:enabled id='s1'/>", false), ("<sm:enabled id='s1' resume='false'/>", false),
            ("<sm:enabled id='s1' resume='0'/>", false), ("<sm:enabled id='s1' resume='yes'/>", false),
            ("<sm:enabled resume='true'/>", false), ("<sm:enabled id='' resume='true'/>", false),
        ])
    func resumable(answer: String, isResumable: Bool) {
        let core = TestCore.enabled(answer: answer)
        #expect(core.state == .enabled)
        #expect((core.resumption != nil) == isResumable)
        core.send("<message id='m1'/>")
        #expect(core.receive("<sm:a h='1'/>").contains("report #1 acknowledged id=m1"))
        core.handle(.transportLost)
        #expect((core.refusal(of: .resume) == nil) == isResumable)
    }

    @Test("R11 max is the server's, and counts from the last disconnect")
    func maximum() {
        let core = TestCore.enabled(answer: "<sm:enabled id='s1' resume='true' max='60'/>")
        core.wait(.seconds(1000))
        core.handle(.transportLost)
        let end = core.now.date.addingTimeInterval(60)
        #expect(core.probableExpiry == end)
        core.wait(.seconds(61))
        #expect(core.probableExpiry == end)
    }

    @Test(
        "R11 Without max the time is unknown, neither unlimited nor zero",
        arguments: ["", "max=''", "max='soon'", "max='0'", "max='-5'"])
    func unknownMaximum(attribute: String) {
        let core = TestCore.enabled(answer: "<sm:enabled id='s1' resume='true' \(attribute)/>")
        core.handle(.transportLost)
        core.wait(.seconds(1_000_000))
        #expect(core.probableExpiry == nil)
        #expect(core.refusal(of: .resume) == nil)
    }

    @Test("R11 An enormous max is cut, not dropped")
    func enormousMaximum() {
        let core = TestCore.enabled(answer: "<sm:enabled id='s1' resume='true' max='99999999999999999999999'/>")
        #expect(core.resumption?.maximum == .max)
    }

    @Test("R12 <failed/> to <enable/> leaves an ordinary session")
    func refused() {
        let core = TestCore()
        core.handle(Self.enable)
        core.send("<message id='m1'/>")
        #expect(core.text(.written(through: OutgoingNumber(rawValue: 1))) == [])
        #expect(core.send("<message id='m2'/>") == ["store append #2", "transmit #2 <message id='m2'/>"])
        #expect(
            core.receive("<sm:failed><err:unexpected-request/></sm:failed>").dropFirst() == [
                "report #1 sent id=m1", "store acknowledge 0, 1 of them",
            ])
        #expect(core.send("<message id='m3'/>") == ["store append #3", "transmit #3 <message id='m3'/>"])
        #expect(core.receive("<message id='in'/>") == ["deliver uncounted <message id='in'/>"])
        // Only the stanzas that the transport has taken leave.
        #expect(
            core.text(.written(through: OutgoingNumber(rawValue: 2))) == [
                "report #2 sent id=m2", "store acknowledge 0, 1 of them",
            ])
        #expect(core.unacknowledged.map(\.id) == ["m3"])
        #expect(
            core.text(.transportLost) == [
                "report #3 unknown id=m3, resent", "store replace no resumption client=0 server=0 [#3 waiting]",
            ])
    }

    @Test(
        "R13 location is host, host:port, [IPv6] or [IPv6]:port",
        arguments: [
            ("example.org", "example.org", nil), ("example.org:5222", "example.org", 5222),
            ("192.0.2.1:5223", "192.0.2.1", 5223), ("[2001:db8::1]", "2001:db8::1", nil),
            ("[2001:41D0:1:A49b::1]:9222", "2001:41D0:1:A49b::1", 9222), ("[fe80::1%eth0]:1", "fe80::1%eth0", 1),
            ("bücher.example", "bücher.example", nil),
        ] as [(String, String, UInt16?)])
    func locations(text: String, host: String, port: UInt16?) {
        let core = TestCore.enabled(answer: "<sm:enabled id='s1' resume='true' location='\(text)'/>")
        let location = core.resumption?.location
        #expect(location?.host == host)
        #expect(location?.port == port)
        #expect(location?.description == text)
    }

    @Test(
        "R13 The client ignores an invalid location",
        arguments: [
            "", ":5222", "example.org:", "example.org:0", "example.org:65536", "example.org:http", "2001:db8::1",
            "[2001:db8::1", "[]:5222", "[example.org]:1", "[::1]5222", "a b", "user@host", "host/path",
            String(repeating: "a", count: 400),
        ])
    func noLocations(text: String) {
        #expect(ServerLocation(text) == nil)
        let core = TestCore.enabled(answer: "<sm:enabled id='s1' resume='true' location='\(text)'/>")
        #expect(core.resumption != nil)
        #expect(core.resumption?.location == nil)
    }

    @Test("R14 An SM-ID is opaque, up to 4,000 bytes")
    func identifiers() {
        let longest = String(repeating: "é", count: 2000)
        for id in [longest, "g2gC&amp;&lt;'\"  ", "e\u{301}"] {
            let core = TestCore()
            core.handle(Self.enable)
            core.receive("<sm:enabled resume='1' id=\"\(id.replacing("\"", with: "&quot;"))\"/>")
            core.handle(.transportLost)
            guard case .send(.resume(let sent, _))? = core.handle(.resume).first else {
                Issue.record("not resumed: \(id)")
                continue
            }
            let expected = id.replacing("&amp;", with: "&").replacing("&lt;", with: "<")
            #expect(sent.rawValue.utf8.elementsEqual(expected.utf8))
        }
        #expect(TestCore.enabled(answer: "<sm:enabled resume='1' id='\(longest)a'/>").resumption == nil)
        #expect(ResumptionID("\u{1}") == nil)
        #expect(ResumptionID("e\u{301}") != ResumptionID("\u{e9}"))
    }
}
