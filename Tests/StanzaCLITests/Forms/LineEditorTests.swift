// A line during typing: keys in, text and cursor out.

import Testing

@testable import StanzaCLI

@Suite("Line editor")
struct LineEditorTests {
    private func type(_ keys: String, into text: String = "") -> (editor: LineEditor, last: LineEditor.Event) {
        var editor = LineEditor(text)
        var last = LineEditor.Event.nothing
        for byte in keys.utf8 { last = editor.type(byte) }
        return (editor, last)
    }

    @Test(
        "applies its keys",
        arguments: [
            ("abc", "abc", 3), ("é😀大", "é😀大", 3), ("e\u{301}x", "e\u{301}x", 2),
            ("abc\u{7F}", "ab", 2), ("\u{8}", "", 0), ("abc\u{1B}[D\u{7F}", "ac", 1),
            ("abc\u{1B}[D\u{1B}[Dx", "axbc", 2),
            ("ab\u{1B}[C", "ab", 2), ("ab\u{1}x", "xab", 1), ("ab\u{1}\u{5}x", "abx", 3), ("ab\u{1B}[Hx", "xab", 1),
            ("ab\u{1B}OHx\u{1B}OFy", "xaby", 4), ("ab\u{1}\u{1B}[3~", "b", 0), ("ab\u{1}\u{4}", "b", 0),
            ("abc\u{1B}[D\u{15}", "c", 0), ("abc\u{1}\u{1B}[C\u{B}", "a", 1), ("one two  \u{17}", "one ", 4),
            ("one\u{17}", "", 0),
            ("\u{17}", "", 0), ("a\u{1B}[Ab\u{1B}[5~c", "abc", 3), ("a\u{1B}xb", "ab", 2), ("a\u{0}\u{2}b", "ab", 2),
        ])
    func keys(keys: String, text: String, cursor: Int) {
        let (editor, _) = type(keys)
        #expect(editor.line == text)
        #expect(editor.cursor == cursor)
    }

    @Test("ends by Enter, and is canceled by Ctrl-C, and by Ctrl-D on an empty line")
    func ends() {
        #expect(type("a\r").last == .accepted)
        #expect(type("a\n").last == .accepted)
        #expect(type("a\u{3}").last == .canceled)
        #expect(type("\u{4}").last == .canceled)
        #expect(type("a\u{4}").last == .changed)
    }

    @Test("takes any bytes, up to a limit")
    func hostileBytes() {
        var editor = LineEditor()
        for byte in (0...255).reversed() where byte != 3 && byte != 4 { _ = editor.type(UInt8(byte)) }
        #expect(editor.cursor <= editor.text.count)
        for bytes in [[0xC3, 0x28], [0xFF], [0xF0, 0x9F, 0x98], [0x1B, 0x5B] + Array(repeating: 0x31, count: 50)]
            as [[UInt8]]
        {
            var editor = LineEditor("x")
            for byte in bytes + [0x61, 0x61, 0x61, 0x61] { _ = editor.type(byte) }
            #expect(editor.line.hasPrefix("x") && editor.line.hasSuffix("a"))
        }
        var long = LineEditor()
        for _ in 0..<(LineEditor.maximumLength + 10) { _ = long.type(0x61) }
        #expect(long.text.count == LineEditor.maximumLength)
    }
}
