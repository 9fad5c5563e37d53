// `stanza explain`.

import Foundation
import StanzaCLI
import Testing

@Suite("Explain")
struct ExplainTests {
    @Test("shows tree, program and kind of results")
    func sections() {
        let result = stanza("explain", "/{jabber:client}iq<type=%s>@id|int")
        #expect(result.status == .success)
        #expect(result.errors.isEmpty)
        let sections = result.output.components(separatedBy: "\n\n")
        #expect(sections.count == 3)
        #expect(sections[0].hasPrefix("Syntax tree:\n  rooted\n  elements {jabber:client}iq\n    type = %s\n"))
        #expect(sections[1].hasPrefix("Program:\n  "))
        #expect(sections[2] == "Results: int\nArguments: 1\n")
    }

    @Test("shows no regex instruction for patterns that need none")
    func reducedPattern() {
        for (query, needsRegex) in [("a<k~^.*$>", false), ("a<k~^(x|y)$>", false), ("a<k~x.y>", true)] {
            let result = stanza("explain", query)
            #expect(result.status == .success)
            let program = result.output.components(separatedBy: "Program:").last ?? ""
            #expect(program.contains("yield"))
            #expect(program.contains("regular expression") == needsRegex, "\(program)")
        }
    }

    @Test("follows the compile options")
    func options() {
        let plain = stanza("explain", "a<k=x>@k|int").output
        #expect(stanza("explain", "--ignore-case", "a<k=x>@k|int").output != plain)
        #expect(stanza("explain", "--strict", "a<k=x>@k|int").output != plain)
    }

    @Test("shows the tree and all mistakes of a wrong query")
    func wrongQuery() {
        let result = stanza("explain", "a//b@c|x")
        #expect(result.status == .usage)
        #expect(result.output.hasPrefix("Syntax tree:\n  elements a\n"))
        #expect(result.output.contains("Program") == false)
        #expect(result.errorLines.count { $0.hasPrefix("error: ") } == 2)
    }

    @Test("explains the empty query")
    func emptyQuery() {
        #expect(stanza("explain", "").output.hasPrefix("Syntax tree:\n  the element itself\n"))
    }
}
