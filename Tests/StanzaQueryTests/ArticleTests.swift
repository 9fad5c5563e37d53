// The articles and doc comments are true beyond their examples: their listings, drawings and numbers.

import Foundation
import QuerySyntax
import QueryTools
import TestSupport
import Testing

@testable import StanzaPatterns
@testable import StanzaQuery

@Suite struct ArticleTests {
    // MARK: Mistakes

    @Test(arguments: [("TheLanguage", "{urn:xmpp:mam:2}fin|bool"), ("ComingFromXPath", "query/identity[@type='im']")])
    func drawnMistakes(name: String, query: String) throws {
        let error = try #require(throws: QueryError.self) { try Query(query) }
        #expect(try article(name).contains("\n\n```text\n\(error)\n```\n\n"), "\(error)")
    }

    // MARK: How a query runs

    @Test func programOfTheWalkThrough() throws {
        let listing = try Query("items/item<id~^a>@id").listing
        let article = try article("HowAQueryRuns")
        #expect(article.contains("\n\n```text\n\(listing)\n```\n\n"), "the article should show\n\(listing)")
    }

    /// Each line of the drawing begins with an address, marks an advancing cursor, and draws the resulting stack: the
    /// place of the trace's next step.
    @Test func stepsOfTheWalkThrough() throws {
        let stanza = try element("<pubsub><items><item id='b'/><item id='a1'/></items></pubsub>")
        let steps = try Query("items/item<id~^a>@id").trace(on: stanza).steps
        let lines = try article("HowAQueryRuns").split(separator: "\n")
        let drawn = lines.filter { $0.contains(/^\d.* pubsub/) }
        try #require(drawn.count == steps.count, "the trace has \(steps.count) steps")
        for (index, (line, step)) in zip(drawn, steps).enumerated() {
            #expect(line.hasPrefix("\(step.address)\(step.isAdvancing ? " advances" : " ")"), "\(line)")
            guard index + 1 < steps.count else { continue }
            let names = steps[index + 1].element.split(separator: "/").map { $0.prefix { $0 != "[" } }
            let stack = line.drop { $0 != "p" }.split(separator: " ▸ ").map { $0.prefix { $0.isLetter } }
            #expect(stack == names, "\(line)")
        }
    }

    // MARK: Limits and security

    @Test(arguments: [
        ("bytes of a stanza", ParserLimits.stanza.bytes),
        ("bytes of a document", ParserLimits.document.bytes),
        ("elements of a stanza", ParserLimits.stanza.elements),
        ("elements of a document", ParserLimits.document.elements),
        ("elements that are open at once", ParserLimits.stanza.depth),
        ("attributes and declarations of a tag", ParserLimits.stanza.attributes),
        ("bytes of a name, or of a namespace", ParserLimits.stanza.nameLength),
        ("distinct names in a stanza", ParserLimits.stanza.names),
        ("namespace declarations in scope", ParserLimits.stanza.declarations),
        ("bytes of a stanza that is passed over", ParserLimits.stanza.skippedBytes),
        ("steps and depth of a match", Int(RegexLimits.match)),
        ("memory of a match, in KiB", Int(RegexLimits.heapKiB)),
        ("bytes of a value for a pattern that is not anchored", RegexLimits.unanchoredValue),
    ])
    func limits(name: String, value: Int) throws {
        let digits = value.formatted(.number.locale(Locale(identifier: "en_US")))
        #expect(try article("LimitsAndSecurity").contains("| \(name) | \(digits) |\n"), "\(name) is \(digits)")
    }

    /// The module of the messages does not depend on regular expressions.
    @Test func limitInTheMessage() {
        let expectation = Diagnostic(.regexLimit, at: 0..<0).expectation ?? ""
        let digits = RegexLimits.unanchoredValue.formatted(.number.locale(Locale(identifier: "en_US")))
        #expect(expectation.contains("above \(digits) bytes"))
    }

    // MARK: Doc comments and the page of the language

    @Test func listing() throws {
        #expect(
            try Query("body#").listing == """
                0  0-4  child  body  ( p -- p c )  the children that fit
                1  4-5  yield  text  ( c -- c )    a result, if there is one
                """)
    }
}
