// Every rule, decision and known mistake of the article Rules has a test whose name begins with it.

import Foundation
import TestSupport
import Testing

@Suite struct SpecificationCoverageTests {
    @Test func everyRuleHasATest() throws {
        let article = packageFolder.appending(path: "Sources/StreamManagement/StreamManagement.docc/Rules.md")
        let rows = try String(contentsOf: article, encoding: .utf8)
        let rules = rows.matches(of: /\n\| ([RDM]\d+) \|/).map { String($0.1) }
        let folder = packageFolder.appending(path: "Tests/StreamManagementTests/Specification")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let missing = rules.filter { !text.contains("\"\($0) ") }
        #expect(missing == [])
        #expect(rules.count >= 49)
    }
}
