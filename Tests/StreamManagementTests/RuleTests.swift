// The cases of Tests/StreamRules, played on a core, and the article Rules, each of whose rules has a case or a test.

import Foundation
import TestSupport
import Testing

@Suite struct RuleTests {
    private static let folder = packageFolder.appending(path: "Tests/StreamRules")

    @Test(arguments: Transcript.files(in: "Tests/StreamRules"))
    func everyCase(file: URL) throws {
        #expect(try Transcript.differences(in: file) { RulePlayer().play } == [])
    }

    @Test func everyRuleHasATest() throws {
        let article = packageFolder.appending(path: "Sources/StreamManagement/StreamManagement.docc/Rules.md")
        let rules = try String(contentsOf: article, encoding: .utf8)
            .matches(of: /\n\| ([RDM]\d+) \|/).map { String($0.1) }
        let folders = [Self.folder, packageFolder.appending(path: "Tests/StreamManagementTests")]
        let text = try folders.map { folder in
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { ["txt", "swift"].contains($0.pathExtension) }
                .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        }.joined()
        #expect(rules.filter { !text.contains("\n\($0) ") && !text.contains("\"\($0) ") } == [])
        #expect(rules.count >= 49)
    }
}
