// The exit codes of the command. One list, for code and help.

/// The exit status of a command.
///
/// If several apply, the highest code wins: bad input takes precedence over everything except Ctrl-C.
public enum CommandStatus: Int32, Sendable, Comparable {
    /// Something was found; everything passed.
    case success = 0
    /// Nothing was found; a case failed.
    case nothing = 1
    /// The command, the query, an argument, or a regular expression that ran past its limits.
    case usage = 2
    /// Input that cannot be read, or output that cannot be written.
    case badInput = 3
    /// Ctrl-C before the end of the work: the code that shells report for such a process.
    case interrupted = 130

    public static func < (left: CommandStatus, right: CommandStatus) -> Bool { left.rawValue < right.rawValue }
}
