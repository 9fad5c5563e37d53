// Every rule, decision and known mistake that the project keeps a list of has a test whose name begins with it.

import Foundation
import TestSupport
import Testing

@Suite struct SpecificationCoverageTests {
    /// R: rules of XEP-0198 and of the header; D: decisions; M: mistakes that other implementations make.
    private static let identifiers =
        """
        R1 R2 R3 R4 D5 M6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R16 R17 D18 D19 M20 M21 M22 D23 R24 R25 R26 D27 R28 R29 \
        R30 R31 R32 R33 D34 R35 M36 R37 R38 R39 R40 R41 R42 R43 R44 R45 R46 R47 D48 D49
        """
        .split(separator: " ").map(String.init)

    @Test func everyLineHasATest() throws {
        let folder = packageFolder.appending(path: "Tests/StreamManagementTests/Specification")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let missing = Self.identifiers.filter { !text.contains("\"\($0) ") }
        #expect(missing == [])
        #expect(Self.identifiers.count == 49)
    }
}
