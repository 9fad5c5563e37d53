// Every scenario with a client that makes no mistake, and seventeen mistakes with the scenario that is made for each.

import Testing
import XMLTree

@testable import StanzaTorture

@Suite struct ScenarioTests {
    /// The scenarios that need more than the client in memory has.
    private static let inapplicable = [
        "sasl2": "it does not use SASL2", "sasl2-resumed": "it does not use SASL2",
        "sasl2-refused": "it does not use SASL2", "login-no-proof": "it does not use SCRAM",
    ]

    /// The stage has no second port.
    @Test(
        "A client without mistakes passes",
        arguments: Scenario.all.map(\.name).filter { $0 != "resume-location" && $0 != "other-host" })
    func rightClient(name: String) throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        let (verdict, transcript) = Stage.play(scenario, EchoClient(nil, firstCounter: scenario.firstCounter ?? 0))
        if let reason = Self.inapplicable[name] {
            #expect(verdict == .notApplicable(reason))
        } else {
            #expect(verdict == .passed, "\(transcript.joined(separator: "\n"))")
        }
    }

    @Test(
        "A scenario names a mistake",
        arguments: [
            (.countsEnabled, "count", "h is not above the sent count"),
            (.countsRequests, "count-other-elements", "h is not above the sent count"),
            (.wrapsTooEarly, "count-wrap", "h is not above the sent count"),
            (.countsSentFromEnabled, "count-after-enable", "the client resumes its session"),
            (.ignoresTooMuch, "acknowledgement-too-high", "the end of the client's stream"),
            (.clearsQueue, "cut-with-numbers", "the client resumes its session"),
            (.resendsEverything, "cut-acknowledgement", "each stanza arrives once"),
            (.resendsInReverse, "cut-with-numbers", "stanzas arrive in their order"),
            (.stampsWithSender, "cut-stamp", "the stamp names no sender"),
            (.bindsAfterResumption, "resume-once", "a stream has one resource"),
            (.resumesForEver, "resume-closed", "a client with a resource"),
            (.escapesNothing, "resume-odd-id", "a client writes well-formed XML"),
            (.splitsCharacters, "bytes", "the echo has the text of the message"),
            (.answersErrors, "errors-unanswered", "the client does not answer it"),
            (.reconnectsAtOnce, "errors-at-once", "a client waits between its attempts"),
            (.enablesAlways, "enable-not-offered", "a client enables nothing that is not offered"),
            (.resumesAlways, "resume-not-allowed", "a client resumes only a session that can be resumed"),
        ] as [(EchoClient.Mistake, String, String)])
    func mistake(mistake: EchoClient.Mistake, name: String, expected: String) throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        let (verdict, transcript) = Stage.play(scenario, EchoClient(mistake, firstCounter: scenario.firstCounter ?? 0))
        guard case .failed(let failure) = verdict else {
            Issue.record("\(String(describing: verdict)): \(transcript.joined(separator: "\n"))")
            return
        }
        #expect(failure.rule == "\(scenario.rule): \(scenario.title)")
        #expect(failure.expected.hasPrefix(expected), "\(failure)")
        #expect(transcript.count <= 30)
    }

    @Test("A client that does not enable stream management is not judged by it") func notApplicable() throws {
        let scenario = try #require(Scenario.all.first { $0.name == "count" })
        var scene = Scene(scenario, encrypts: false)
        _ = scene.handle(.connected(1, toSecondPort: false), at: .zero)
        let text =
            "<stream:stream xmlns='jabber:client' xmlns:stream='\(Names.stream)' to='localhost' version='1.0'>"
            + "<auth xmlns='\(Names.sasl)' mechanism='PLAIN'>AGVjaG8Ac2VjcmV0</auth>"
        _ = scene.handle(.received(1, Array(text.utf8)), at: .zero)
        let bind =
            "<stream:stream xmlns='jabber:client' xmlns:stream='\(Names.stream)' to='localhost' version='1.0'>"
            + "<iq type='set' id='b'><bind xmlns='\(Names.bind)'/></iq>"
        _ = scene.handle(.received(1, Array(bind.utf8)), at: .seconds(1))
        _ = scene.handle(.tick, at: .seconds(10))
        #expect(scene.verdict == .notApplicable("it does not enable stream management"))
    }

    @Test("A hostile client costs bounded memory, and gets a verdict") func hostileClient() throws {
        let scenario = try #require(Scenario.all.first { $0.name == "count" })
        for bytes in [Array("<a><b></a>".utf8), [0xFF, 0], Array(repeating: UInt8(ascii: "<"), count: 1 << 20)] {
            var scene = Scene(scenario)
            _ = scene.handle(.connected(1, toSecondPort: false), at: .zero)
            _ = scene.handle(.received(1, bytes), at: .zero)
            guard case .failed = scene.verdict else { throw Unexpected() }
        }
        var scene = Scene(scenario)
        for number in 0..<1000 where scene.verdict == nil {
            _ = scene.handle(.connected(number, toSecondPort: false), at: .zero)
        }
        guard case .failed = scene.verdict else { throw Unexpected() }
    }

    private struct Unexpected: Error {}

    @Test("Names are unique, and each report has all outcomes") func reports() throws {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        #expect(Scenario.all.count >= 30)
        let failure = Verdict.Failure(rule: "R: <a>", expected: "\"&\"", found: "\u{1}")
        let verdicts: [Verdict] = [.passed, .failed(failure), .notApplicable("no 'sm'")]
        let outcomes = zip(Scenario.all, verdicts).map {
            Outcome(scenario: $0, verdict: $1, transcript: ["client: <r/>"], duration: .milliseconds(1250))
        }
        #expect(Report.summary(outcomes) == "1 passed, 1 failed, 1 not applicable")
        let junit = try Element(parsing: Report.junit(outcomes, client: "a & b"))
        #expect(junit["tests"] == "3" && junit["failures"] == "1" && junit["name"] == "a & b")
        #expect(junit.children.count == 3)
        let json = try Report.json(outcomes, client: "ours", date: .distantPast)
        #expect(json.contains("\"verdict\" : \"failed\"") && json.contains("\"reason\" : \"no 'sm'\""))
        #expect(Report.line(outcomes[1]).hasPrefix("failed") && Report.details(outcomes[1]).contains("client: <r/>"))
    }
}
