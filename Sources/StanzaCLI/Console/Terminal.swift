// The terminal of standard error and its abilities: for the progress bar, forms, and line editing. FileEnds.swift
// creates that of a real process; tests make their own.

/// A terminal, as far as commands need it.
public struct Terminal {
    /// Whether standard output goes to a terminal, too: the bar then makes room for it.
    public let showsOutput: Bool
    /// Whether the user types standard input: commands then show no progress bar.
    public let givesInput: Bool
    /// The time, on a clock that only goes forward.
    public let now: () -> Duration
    /// Notifies the terminal whether it shows a line that has to be erased if the process is interrupted.
    public let noteLine: (_ isVisible: Bool) -> Void
    /// The columns that the terminal has now.
    public let columns: () -> Int
    /// Puts standard input in raw mode, and returns how to end that; `nil` when it cannot.
    public let beginRawInput: () -> (() -> Void)?
    /// Begins to read lines with editing; `nil` when no editor is available.
    public let beginLineEditing: () -> (any LineEditing)?

    public init(
        showsOutput: Bool, givesInput: Bool, noteLine: @escaping (_ isVisible: Bool) -> Void = { _ in },
        columns: @escaping () -> Int = { 80 }, beginRawInput: @escaping () -> (() -> Void)? = { nil },
        beginLineEditing: @escaping () -> (any LineEditing)? = { nil },
        now: @escaping () -> Duration
    ) {
        self.columns = columns
        self.beginRawInput = beginRawInput
        self.beginLineEditing = beginLineEditing
        self.showsOutput = showsOutput
        self.givesInput = givesInput
        self.noteLine = noteLine
        self.now = now
    }
}

extension Terminal {
    /// Moves to the beginning of the line, and erases it.
    static var erasingLine: StaticString { "\r\u{1B}[K" }
}
