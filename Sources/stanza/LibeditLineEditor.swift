// Line editing with libedit on the process's terminal. Only this file imports libedit. It adds the remarks below the
// typed line, which libedit cannot draw. StanzaCLI/Console/LineEditing.swift defines the protocol.

import CEdit
import Foundation
import StanzaCLI

/// Reads lines with libedit. One per process, on one thread.
final class LibeditLineEditor: LineEditing {
    private let editor: OpaquePointer
    private let history: OpaquePointer
    private var assistant: (any LineAssistant)?
    /// The prompt that libedit reads at every drawing: it has to live as long.
    private var prompt = WideText("")
    private var isCanceled = false
    /// The rows between the cursor and the first remark; `nil` without remarks.
    private var rowsToRemarks: Int?
    private var windowColumns = 80

    /// The maximum number of lines offered again.
    private static let historyCount: Int32 = 1_000
    /// The maximum number of characters of a line; real queries are shorter.
    private static let maximumLength = 1 << 16
    /// The maximum number of candidates listed.
    private static let listedCount = 60

    /// `nil` without memory, or without a terminal to edit on.
    init?() {
        // libedit reads and shows the characters of this locale; the command's texts are always UTF-8.
        if setlocale(LC_CTYPE, "C.UTF-8") == nil { setlocale(LC_CTYPE, "") }
        guard let editor = cedit_open("stanza") else { return nil }
        guard let history = history_winit() else {
            el_end(editor)
            return nil
        }
        self.editor = editor
        self.history = history
        cedit_set_owner(editor, Unmanaged.passUnretained(self).toOpaque())
        cedit_set_history(editor, history, Self.historyCount)
        cedit_set_prompt(editor) { LibeditLineEditor.owner(of: $0)?.prompt.pointer }
        cedit_set_reader(editor) { LibeditLineEditor.owner(of: $0)?.read(into: $1) ?? -1 }
        cedit_set_keys(editor) { editor, _ in LibeditLineEditor.owner(of: editor)?.complete() ?? UInt8(CC_ERROR) }
        el_source(editor, nil)
        cedit_keep_completing(editor)
    }

    deinit {
        el_end(editor)
        history_wend(history)
    }

    /// libedit calls back while `readLine` runs, and the editor lives that long.
    private static func owner(of editor: OpaquePointer?) -> LibeditLineEditor? {
        guard let editor, let owner = cedit_owner(editor) else { return nil }
        return Unmanaged<LibeditLineEditor>.fromOpaque(owner).takeUnretainedValue()
    }

    func remember(_ line: String) {
        let line = WideText(line)
        withExtendedLifetime(line) { cedit_remember(history, line.pointer) }
    }

    func readLine(_ prompt: String, helpedBy assistant: any LineAssistant) -> EditedLine {
        self.prompt = WideText(prompt)
        self.assistant = assistant
        isCanceled = false
        adaptToSize()
        var count: Int32 = 0
        guard let line = el_wgets(editor, &count), count > 0 else {
            write("\r\n")
            return isCanceled ? .canceled : .end
        }
        let text = text(line, line + Int(count))
        return .line(text.unicodeScalars.last == "\n" ? String(text.unicodeScalars.dropLast()) : text)
    }

    // MARK: Keys

    /// The next character, as libedit expects it: 1 if there is one, 0 at the end.
    private func read(into result: UnsafeMutablePointer<wchar_t>?) -> Int32 {
        adaptToSize()
        showRemarks()
        defer { eraseRemarks() }
        while let scalar = Keyboard.next() {
            if scalar == "\u{3}" {
                isCanceled = true
                return 0
            }
            // Control characters still edit a line that is too long.
            if scalar.value >= 0x20, scalar.value != 0x7F, length >= Self.maximumLength { continue }
            result?.pointee = wchar_t(scalar.value)
            return 1
        }
        return 0
    }

    /// libedit does not notice a change of the window's size.
    private func adaptToSize() {
        var size = winsize()
        guard ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, Int(size.ws_col) != windowColumns
        else {
            return
        }
        windowColumns = Int(size.ws_col)
        el_resize(editor)
    }

    // MARK: Completion

    /// Completes the text before the cursor; of several candidates it inserts the common beginning, or lists them.
    private func complete() -> UInt8 {
        guard let info = el_wline(editor)?.pointee, let assistant else { return UInt8(CC_ERROR) }
        let completion = assistant.completion(of: text(info.buffer, info.cursor))
        let replacement = completion.replacement
        if replacement != completion.typed {
            let text = WideText(replacement)
            el_deletestr(editor, Int32(completion.typed.unicodeScalars.count))
            let isInserted = withExtendedLifetime(text) { el_winsertstr(editor, text.pointer) == 0 }
            return UInt8(isInserted ? CC_REFRESH : CC_ERROR)
        }
        guard completion.candidates.count > 1 else { return UInt8(CC_ERROR) }
        let rows = rows(of: info)
        write(down(rows.behind) + "\r\n" + listing(completion.candidates))
        // libedit moves up to its own idea of the line's beginning.
        write(String(repeating: "\r\n", count: rows.before))
        return UInt8(CC_REDISPLAY)
    }

    private func listing(_ candidates: [String]) -> String {
        let shown = candidates.prefix(Self.listedCount)
        let width = (shown.map { columns(of: $0.unicodeScalars) }.max() ?? 0) + 2
        let perRow = max(1, (windowColumns - 1) / width)
        var text = ""
        for (index, candidate) in shown.enumerated() {
            let isLast = index % perRow == perRow - 1 || index == shown.count - 1
            let padding = String(repeating: " ", count: width - columns(of: candidate.unicodeScalars))
            text += candidate + (isLast ? "\r\n" : padding)
        }
        if candidates.count > shown.count { text += "and \(candidates.count - shown.count) more\r\n" }
        return text
    }

    // MARK: Remarks below the line

    private func showRemarks() {
        // After a paste or typing ahead, remarks appear at the end.
        guard !Keyboard.hasMore, let info = el_wline(editor)?.pointee, let assistant else { return }
        let line = text(info.buffer, info.lastchar)
        // During a search of earlier lines, libedit keeps its search prompt in the line, after a line break, and draws
        // it at the place of the remarks. Typed lines have no line break.
        if line.unicodeScalars.contains("\n") { return }
        let remarks = assistant.remarks(on: line, promptWidth: columns(of: prompt.scalars), width: windowColumns)
        if remarks.isEmpty { return }
        let rows = rows(of: info).behind
        // Indexing makes room at the end of the screen, and keeps the column.
        let room = rows + remarks.count
        let drawn = remarks.joined(separator: "\u{1B}[1B\r")
        write(
            String(repeating: "\u{1B}D", count: room) + "\u{1B}[\(room)A" + "\u{1B}7" + down(rows + 1) + "\r" + drawn
                + "\u{1B}8")
        rowsToRemarks = rows
    }

    private func eraseRemarks() {
        guard let rows = rowsToRemarks else { return }
        rowsToRemarks = nil
        write("\u{1B}7" + down(rows + 1) + "\r\u{1B}[J\u{1B}8")
    }

    private func down(_ rows: Int) -> String { rows > 0 ? "\u{1B}[\(rows)B" : "" }

    /// The number of rows of the line before the cursor's row, and after it.
    private func rows(of info: LineInfoW) -> (before: Int, behind: Int) {
        let cursor = row(behind: text(info.buffer, info.cursor))
        return (cursor, row(behind: text(info.buffer, info.lastchar)) - cursor)
    }

    /// The row of the cursor after a text, counted from the prompt's.
    private func row(behind text: String) -> Int {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(columns(of:))
        let prompt = columns(of: prompt.scalars)
        return lines.enumerated().reduce(lines.count - 1) { rows, line in
            rows + (line.offset == 0 ? prompt + line.element : line.element) / windowColumns
        }
    }

    // MARK: Texts

    private var length: Int {
        guard let info = el_wline(editor)?.pointee else { return 0 }
        return info.lastchar - info.buffer
    }

    /// The text between two places.
    private func text(_ start: UnsafePointer<wchar_t>?, _ end: UnsafePointer<wchar_t>?) -> String {
        guard let start, let end, end > start else { return "" }
        let scalars = UnsafeBufferPointer(start: start, count: end - start).map { character in
            Unicode.Scalar(UInt32(truncatingIfNeeded: character)) ?? "\u{FFFD}"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The columns that libedit gives a text.
    private func columns(of scalars: some Sequence<Unicode.Scalar>) -> Int {
        scalars.reduce(0) { $0 + max(0, Int(cedit_width(wchar_t($1.value)))) }
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                // The reader of a terminal notices that it is gone.
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}

/// A text as C's wide characters, with the zero that ends them; the pointer is good as long as this lives.
private final class WideText {
    let scalars: [Unicode.Scalar]
    let pointer: UnsafeMutablePointer<wchar_t>

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        pointer = .allocate(capacity: scalars.count + 1)
        for (index, scalar) in scalars.enumerated() { (pointer + index).initialize(to: wchar_t(scalar.value)) }
        (pointer + scalars.count).initialize(to: 0)
    }

    deinit {
        pointer.deallocate()
    }
}

/// Standard input, character by character.
private enum Keyboard {
    /// Whether a character waits already.
    static var hasMore: Bool {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }

    /// `nil` at the end. Bytes that are not UTF-8 become a replacement character.
    static func next() -> Unicode.Scalar? {
        guard let first = byte() else { return nil }
        if first < 0x80 { return Unicode.Scalar(first) }
        var bytes = [first]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
        while bytes.count < length, let more = byte() { bytes.append(more) }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    }

    private static func byte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = Foundation.read(STDIN_FILENO, &byte, 1)
            if count == 1 { return byte }
            if count == 0 || errno != EINTR { return nil }
        }
    }
}
