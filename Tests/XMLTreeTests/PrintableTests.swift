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

    @Test func aPartOfALineStaysOne() {
        let text = "a\tb\r\n\u{1B}[31m\u{2028}\u{202E}c\\d e\u{301}\u{A0}"
        let shown = "a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}[31m\u{FFFD}\u{FFFD}c\\d e\u{301}\u{A0}"
        #expect(Array(text.withoutControls.unicodeScalars) == Array(shown.unicodeScalars))
    }
}
