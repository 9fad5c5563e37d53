// The conversion of UTF-8 offsets to UTF-16 offsets.

import Testing

@testable import StanzaPlayground

@Suite struct TextOffsetsTests {
    @Test(arguments: ["", "a", "aé", "a\r\nb", "😀", "a😀b", "é😀\u{FEFF}e\u{301}", "👩‍👩‍👧", "\u{0}x"])
    func theyAreThoseOfTheStandardLibrary(text: String) {
        let offsets = TextOffsets(text)
        for index in text.unicodeScalars.indices + [text.endIndex] {
            #expect(
                offsets[text.utf8.distance(from: text.startIndex, to: index)]
                    == text.utf16.distance(from: text.startIndex, to: index))
        }
    }

    @Test func insideOfACharacterAndOutsideOfTheText() {
        let offsets = TextOffsets("a😀b")
        #expect((1...4).map { offsets[$0] } == [1, 1, 1, 1])
        #expect(offsets[5] == 3 && offsets[6] == 4)
        #expect(offsets[-1] == 0 && offsets[99] == 4)
        #expect(TextOffsets("ab")[99] == 2)
    }
}
