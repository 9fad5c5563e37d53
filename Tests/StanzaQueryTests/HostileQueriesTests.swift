// Queries made to hurt: more mistakes than anybody reads.

import QuerySyntax
import StanzaQuery
import Testing

@Suite struct HostileQueriesTests {
    /// Bad patterns count like all other mistakes, and no more of them are looked for than are reported.
    @Test func badPatternsWithoutNumber() {
        for query in [
            String(repeating: "a<b~(>/", count: 20_000) + "a", String(repeating: "a<b~(>//", count: 1_000),
            "a<b~(><b~[>" + String(repeating: "/!", count: 100),
        ] {
            let error = queryError { _ = try Query(query) }
            #expect(error?.diagnostics.count == QueryLimits.diagnostics)
            #expect(error?.first.kind == .invalidRegex)
            #expect(error?.range == 4..<5)
        }
    }
}
