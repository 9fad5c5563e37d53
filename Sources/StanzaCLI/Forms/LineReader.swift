// Reads a line from a terminal in raw mode, draws it during typing, and draws its mistake below it.

import DataForms

/// Reads lines key by key. The terminal must be in raw mode: see `RawInput.begin`.
final class LineReader {
    private let console: Console
    /// The columns of the terminal.
    let width: Int
    private var bytes: ArraySlice<UInt8> = []

    /// The bytes of one read; a key is far shorter.
    private static let chunkLength = 256

    init(_ console: Console, width: Int) {
        self.console = console
        self.width = max(20, width)
    }

    /// Reads a line; `nil` when it is canceled, or the input has ended.
    ///
    /// - Parameters:
    ///   - isSecret: Whether asterisks are shown in place of the typed text.
    ///   - problem: Returns the mistake in the line so far.
    func readLine(
        _ prompt: String, isSecret: Bool, problem: (String) -> String?
    ) throws(SystemError) -> String? {
        var editor = LineEditor()
        draw(prompt, editor, isSecret, nil)
        while let byte = try nextByte() {
            switch editor.type(byte) {
            case .nothing: break
            case .changed: draw(prompt, editor, isSecret, problem(editor.line))
            case .accepted:
                finish(prompt, editor, isSecret)
                return editor.line
            case .canceled:
                finish(prompt, editor, isSecret)
                return nil
            }
        }
        finish(prompt, editor, isSecret)
        return nil
    }

    private func nextByte() throws(SystemError) -> UInt8? {
        if bytes.isEmpty {
            var buffer = [UInt8](repeating: 0, count: Self.chunkLength)
            let count = try buffer.withUnsafeMutableBufferPointer { [console] buffer throws(SystemError) in
                try console.input.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            bytes = buffer.prefix(count)
        }
        return bytes.popFirst()
    }

    // MARK: Drawing

    /// Erases from the beginning of the line to the end of the screen.
    private static let erase = "\r\u{1B}[J"

    /// Draws the line and the mistake below it, and puts the cursor back.
    private func draw(_ prompt: String, _ editor: LineEditor, _ isSecret: Bool, _ problem: String?) {
        let (shown, column) = window(prompt, editor, isSecret)
        var text = Self.erase + prompt + shown
        if let problem { text += "\r\n  ! \(problem.cut(to: width - 5))\u{1B}[1A" }
        text += "\r\u{1B}[\(column)C"
        console.errors.write(text)
        console.errors.flush()
    }

    /// Leaves the line on the screen, and erases the text below it.
    private func finish(_ prompt: String, _ editor: LineEditor, _ isSecret: Bool) {
        console.errors.write(Self.erase + prompt + window(prompt, editor, isSecret).shown + "\r\n")
        console.errors.flush()
    }

    /// The part of the line around the cursor that fits after the prompt, and the column of the cursor.
    private func window(_ prompt: String, _ editor: LineEditor, _ isSecret: Bool) -> (shown: String, column: Int) {
        let characters = editor.text.map { isSecret ? "*" : String($0).withoutControls }
        let room = max(1, width - prompt.columnCount - 1)
        var start = editor.cursor
        var used = 0
        while start > 0, used + characters[start - 1].columnCount < room {
            start -= 1
            used += characters[start].columnCount
        }
        var shown = characters[start..<editor.cursor].joined()
        var columns = used
        for character in characters[editor.cursor...] {
            columns += character.columnCount
            if columns > room { break }
            shown += character
        }
        return (shown, prompt.columnCount + used)
    }
}
