// The terminal behind standard error, and what it can do: for the progress bar, for forms, and for reading lines. That
// of a real process is FileEnds.swift's; tests make their own.

/// A terminal, as far as commands need it.
public struct Terminal {
    /// Whether standard output goes to a terminal, too: the bar then makes way for it.
    public let showsOutput: Bool
    /// Whether standard input is typed in: there is no progress then.
    public let givesInput: Bool
    /// The time, on a clock that only goes forward.
    public let now: () -> Duration
    /// Told whether a line stands there that has to go if the process is interrupted.
    public let noteLine: (_ isVisible: Bool) -> Void
    /// The columns that the terminal has now.
    public let columns: () -> Int
    /// Has standard input hand over every key at once, and returns how to end that; `nil` when it cannot.
    public let beginRawInput: () -> (() -> Void)?
    /// Begins to read lines with editing; `nil` when nobody can.
    public let beginLineEditing: () -> (any LineEditing)?
    /// Forgets earlier interruptions, and has the next Ctrl-C only be noted, unless a line is edited then. A second one
    /// ends the process, as ever.
    public let noteInterruption: () -> Void
    /// Whether that was pressed.
    public let isInterrupted: () -> Bool

    public init(
        showsOutput: Bool, givesInput: Bool, noteLine: @escaping (_ isVisible: Bool) -> Void = { _ in },
        columns: @escaping () -> Int = { 80 }, beginRawInput: @escaping () -> (() -> Void)? = { nil },
        beginLineEditing: @escaping () -> (any LineEditing)? = { nil },
        noteInterruption: @escaping () -> Void = {}, isInterrupted: @escaping () -> Bool = { false },
        now: @escaping () -> Duration
    ) {
        self.columns = columns
        self.beginRawInput = beginRawInput
        self.beginLineEditing = beginLineEditing
        self.noteInterruption = noteInterruption
        self.isInterrupted = isInterrupted
        self.showsOutput = showsOutput
        self.givesInput = givesInput
        self.noteLine = noteLine
        self.now = now
    }
}

extension Terminal {
    /// To the beginning of the line, and erase to its end.
    static var erasingLine: StaticString { "\r\u{1B}[K" }
}
