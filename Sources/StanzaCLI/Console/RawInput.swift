// A terminal that hands over every key at once, for as long as a line is edited.

import Foundation

/// Standard input without the terminal's own editing, echo and signals.
enum RawInput {
    /// Switches to it, and returns how to switch back; `nil` when standard input is no terminal.
    static func begin() -> (() -> Void)? {
        var former = termios()
        guard tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
        var raw = former
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
        // What is typed before a question is an answer to it, too: nothing is thrown away.
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

    /// The columns of the terminal behind standard error; 80 when it does not tell.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
