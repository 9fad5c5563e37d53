// The progress bar on standard error: when it is drawn, its text, and its removal before other output.

/// A line that shows the progress of a search.
///
/// It is drawn from the beginning if the input is long, otherwise when the search has lasted a second; at most ten
/// times a second.
final class Progress {
    private let console: Console
    private let terminal: Terminal
    private let total: Int?
    private let start: Duration
    private var lastDrawing: Duration?
    private var isVisible = false
    private var bytes = 0
    private var stanzas = 0
    private var results = 0

    /// Input of this length takes noticeable time.
    static let longInput = 8 << 20
    /// The time after which a search shows the bar. After a longer wait, users need an explanation.
    static let patience = Duration.seconds(1)
    /// The least time between two drawings. More drawings cost time, and users do not see them.
    static let interval = Duration.milliseconds(100)
    /// The maximum length of the line, also on wider terminals.
    static let width = 79

    /// Creates a bar for input of `total` bytes, if that is known. `nil` without a terminal to draw on.
    init?(of total: Int?, on console: Console) {
        guard let terminal = console.terminal else { return nil }
        self.console = console
        self.terminal = terminal
        self.total = total.flatMap { $0 > 0 ? $0 : nil }
        start = terminal.now()
        console.errors.beforeWriting = { [unowned self] in erase() }
        if terminal.showsOutput { console.output.beforeWriting = { [unowned self] in erase() } }
    }

    /// Counts input that was read, or results that were found.
    func add(bytes: Int = 0, stanzas: Int = 0, results: Int = 0) {
        self.bytes += bytes
        self.stanzas += stanzas
        self.results += results
        let now = terminal.now()
        if let lastDrawing, now - lastDrawing < Self.interval { return }
        guard total ?? 0 >= Self.longInput || now - start >= Self.patience else { return }
        lastDrawing = now
        isVisible = true
        terminal.noteLine(true)
        console.errors.writeAhead(Self.erasing + line)
    }

    /// Removes the line for good.
    func end() {
        erase()
        console.errors.beforeWriting = nil
        console.output.beforeWriting = nil
    }

    private func erase() {
        guard isVisible else { return }
        isVisible = false
        console.errors.writeAhead(Self.erasing)
        terminal.noteLine(false)
    }

    private static let erasing = Terminal.erasingLine.description

    private var line: String {
        var text = ""
        if let total {
            let done = min(Double(bytes) / Double(total), 1)
            let marks = Int(done * 10)
            text += "[" + String(repeating: "#", count: marks) + String(repeating: "-", count: 10 - marks) + "] "
            text += "\(Int(done * 100)) %, \(mebibytes(bytes)) of \(mebibytes(total)) MiB"
        } else {
            text += "\(mebibytes(bytes)) MiB"
        }
        text += ", \(stanzas) stanzas, \(results) results"
        // A line that wraps could not be erased.
        return String(text.prefix(max(0, min(Self.width, terminal.columns() - 1))))
    }

    private func mebibytes(_ bytes: Int) -> String { decimal(tenths: bytes / (1 << 16) * 10 / 16) }
}
