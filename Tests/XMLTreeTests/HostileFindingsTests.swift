// What the fuzzers found in the parser and the serializer, each as the smallest input that showed it.

import Testing

@testable import XMLTree

@Suite struct HostileFindingsTests {
    /// The offset of what libxml2 holds is negative as long as the synthetic root is part of it.
    @Test(arguments: ["x", " x", "<<a/>", "\u{FEFF}x", "<a/>x", "&amp;", "<![CDATA[x]]>"])
    func textBeforeTheFirstFragment(_ text: String) {
        for chunk in [1, .max] {
            for context in [NamespaceContext.empty, .clientStream] {
                let lines = transcript(text, .fragments(in: context), chunk: chunk).lines
                #expect(lines.last?.hasPrefix("error") == true, "\(lines)")
            }
        }
        #expect(throws: XMLParseError.self) { try Element(parsing: text) }
    }
}
