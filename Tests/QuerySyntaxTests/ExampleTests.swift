// The examples of the documentation, word for word: .ci/check examples sees to it.

import QuerySyntax
import Testing

@Suite struct ExampleTests {
    private static let drawn = """
        error: unknown conversion 'integer'
          {urn:xmpp:mam:2}fin@count|integer
                                    ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
          did you mean '|int'?
        """

    @Test func overview() {
        var printed = ""
        func print(_ text: String) { printed += text }

        let query = ParsedQuery(parsing: "{urn:xmpp:mam:2}fin@count|integer")
        for diagnostic in query.diagnostics {
            print(diagnostic.rendered(in: query.source))
        }
        #expect(printed == Self.drawn)
    }

    @Test func parsedQuery() {
        let query = ParsedQuery(parsing: "{urn:xmpp:mam:2}fin@count|integer")
        let kind = query.diagnostics.first?.kind  // .unknownConversion
        let range = query.diagnostics.first?.range  // 26..<33
        let message = query.diagnostics.first?.rendered(in: query.source)
        #expect(kind == .unknownConversion)
        #expect(range == 26..<33)
        #expect(message == Self.drawn)
    }
}
