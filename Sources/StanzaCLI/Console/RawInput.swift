// A terminal in raw mode during the editing of a line, by this package or by a library.

import Foundation

/// Standard input without the terminal's own editing, echo and signals.
enum RawInput {
    /// Switches to raw mode, and returns how to switch back; `nil` when standard input is not a terminal.
    static func begin() -> (() -> Void)? {
        var former = termios()
        guard tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
        var raw = former
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
        // Text typed before a question is an answer to it, too: nothing is discarded.
        Interruption.restoresTerminal(to: former)
        let isChanged = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0
        guard isChanged else {
            Interruption.restoresTerminal(to: nil)
            return nil
        }
        return { [former] in
            var former = former
            tcsetattr(STDIN_FILENO, TCSADRAIN, &former)
            Interruption.restoresTerminal(to: nil)
        }
    }

    /// The columns of the terminal of standard error; 80 when it does not report them.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

/// A wrapper around another line editor. A signal during the editing restores the terminal, too.
final class GuardedLineEditing: LineEditing {
    private let editor: any LineEditing

    init(_ editor: any LineEditing) {
        self.editor = editor
    }

    func readLine(_ prompt: String, helpedBy assistant: any LineAssistant) -> EditedLine {
        var former = termios()
        if tcgetattr(STDIN_FILENO, &former) == 0 { Interruption.restoresTerminal(to: former) }
        defer { Interruption.restoresTerminal(to: nil) }
        return editor.readLine(prompt, helpedBy: assistant)
    }

    func remember(_ line: String) { editor.remember(line) }
}
