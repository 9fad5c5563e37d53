// What is not to be printed of strangers' texts.

import Testing
import XMLTree

@Suite struct PrintableTests {
    /// Controls and line breaks of all Unicode, and of its format characters those that turn the direction of writing.
    @Test func whatTerminalsObey() {
        var format: [UInt32] = []
        for scalar in (0...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                #expect(scalar.isObeyedByTerminals, "\(scalar.value)")
            case .format:
                if scalar.isObeyedByTerminals { format.append(scalar.value) }
            default:
                if scalar.isObeyedByTerminals { Issue.record("\(scalar.value)") }
            }
        }
        #expect(format == Array(0x202A...0x202E) + Array(0x2066...0x2069))
    }
}
