// Runs the lines of `stanza repl`: queries on all stanzas, and commands that show or set something. Another component
// reads the lines.

import QueryTools
import StanzaQuery

/// Runs lines on loaded stanzas.
final class ReplSession {
    private let stanzas: [(element: Element, source: ResultSource)]
    private let console: Console
    /// The time, on a clock that only goes forward.
    private let now: () -> Duration
    /// Whether the user has interrupted the running line.
    private let isInterrupted: () -> Bool
    private(set) var settings: ReplSettings
    /// The status of the lines; of several, the worst.
    private(set) var status = CommandStatus.success
    private var lastQuery: String?
    /// The place of the line, as the beginning of messages about it; empty if the user sees the line.
    var place = ""
    /// Whether the session prints the number of results.
    private let summarizes: Bool

    /// The maximum number of mistakes that the session reports for one query.
    private static let reportedMistakes = 3

    init(
        _ stanzas: [(element: Element, source: ResultSource)], _ settings: ReplSettings, on console: Console,
        summarizes: Bool, isInterrupted: @escaping () -> Bool, now: @escaping () -> Duration
    ) {
        self.stanzas = stanzas
        self.settings = settings
        self.console = console
        self.summarizes = summarizes
        self.isInterrupted = isInterrupted
        self.now = now
    }

    /// Runs a line. Returns whether the session wants more.
    func run(_ line: String) -> Bool {
        defer { console.output.flush() }
        do throws(ReplMistake) {
            switch try ReplInstruction(line) {
            case .nothing: break
            case .query(let text): ask(text)
            case .explain(let text): explain(try query(text))
            case .time(let text): time(try query(text))
            case .set(let name?, let value): try settings.set(name, to: value)
            case .set(nil, _): console.output.write(settings.listing)
            case .stanza(let number): try show(number)
            case .help: console.output.write(Self.help)
            case .quit: return false
            }
        } catch {
            report(error.message)
        }
        return console.output.failure == nil
    }

    /// Reports a mistake in a line.
    func report(_ message: String) {
        status = max(status, .usage)
        console.report(place + message)
    }

    private static let help: String = {
        let lines = ReplInstruction.commands.map { command in
            let call = command.name + (command.takes.isEmpty ? "" : " " + command.takes)
            return "  \(call)\(String(repeating: " ", count: max(1, 22 - call.count)))\(command.help)\n"
        }
        return "A line is a query, which runs on every stanza, or a command:\n" + lines.joined()
            + "The tab key completes names and values that occur in the stanzas at that place.\n"
            + "Ctrl-C cancels the line or the running query; a second one during a query leaves.\n"
    }()

    /// The query of a command, or the last one if the command has none.
    private func query(_ text: String?) throws(ReplMistake) -> String {
        if let text { lastQuery = text }
        guard let lastQuery else { throw ReplMistake("no query precedes this line") }
        return lastQuery
    }

    // MARK: Queries

    /// Compiles a query with its arguments; reports mistakes in either.
    private func compile(
        _ text: String, isRun: Bool = true
    ) -> (query: Query<QueryValue>, arguments: [QueryArgumentValue])? {
        do throws(QueryError) {
            let query = try Query(text, options: settings.options)
            if !isRun { return (query, []) }
            let texts = Array(settings.arguments.prefix(query.argumentCount))
            let arguments = query.arguments(from: texts)
            try query.checkArguments(arguments)
            return (query, arguments)
        } catch {
            status = max(status, .usage)
            for diagnostic in error.diagnostics { console.report(verbatim: place + diagnostic.rendered(in: text)) }
            console.report(warningsAfter: error, settings.options)
            if error.lacksArguments { console.report(verbatim: "  ':set args VALUE ...' sets arguments") }
            return nil
        }
    }

    private func ask(_ text: String) {
        lastQuery = text
        guard let (query, arguments) = compile(text) else { return }
        let formatter = ResultFormatter(format: settings.format, showsSource: settings.showsSource)
        var (count, found, mistakes, asked) = (0, 0, 0, stanzas.count)
        console.output.write(formatter.beginning)
        for (index, (element, source)) in stanzas.enumerated() {
            if isInterrupted() {
                asked = index
                break
            }
            do throws(QueryError) {
                let results = try element.find(query.binding(values: arguments))
                if results.isEmpty { continue }
                let wanted = settings.stopsAtFirst ? 1 : settings.limit == 0 ? Int.max : settings.limit
                let shown = Array(results.prefix(max(0, wanted - count)))
                let printed = write(formatter.pieces(of: shown, from: source))
                let isWhole = printed == shown.count
                count += isWhole ? results.count : printed
                found += 1
                if !isWhole, console.output.failure == nil {
                    asked = index
                    break
                }
            } catch {
                mistakes += 1
                status = max(status, .usage)
                if mistakes <= Self.reportedMistakes { console.report("\(place)\(source.text): \(error)") }
            }
            // Once the output is closed, the other stanzas are not queried.
            if console.output.failure != nil || settings.stopsAtFirst && count > 0 { break }
        }
        console.output.write(formatter.end(after: ResultCounts([count])))
        if mistakes > Self.reportedMistakes {
            console.report("and the same for \(counted(mistakes - Self.reportedMistakes, "more stanza"))")
        }
        if asked < stanzas.count { console.report("interrupted after \(asked) of \(counted(stanzas.count, "stanza"))") }
        summarize(count, in: found)
        if count > 0 { return }
        console.report(warningsIn: text, settings.options, at: place)
        var misses = NearMissSearch(for: query, arguments: arguments)
        for (element, _) in stanzas where !isInterrupted() { _ = try? misses.add(element) }
        if let miss = misses.nearMiss { console.report(verbatim: "\(place)no result: \(miss)") }
    }

    /// Prints results of one stanza. Returns how many: not all, if Ctrl-C comes or the output is closed.
    private func write(_ pieces: ResultPieces) -> Int {
        var (pieces, count) = (pieces, 0)
        while !pieces.isAtEnd, console.output.failure == nil {
            if count > 0, isInterrupted() { break }
            var bytes: [UInt8] = []
            count += pieces.append(to: &bytes)
            console.output.write(bytes)
        }
        return count
    }

    private func summarize(_ count: Int, in found: Int) {
        guard summarizes else { return }
        if settings.stopsAtFirst {
            if count == 0 { console.report(verbatim: "no result") }
            return
        }
        let hidden = settings.limit > 0 && count > settings.limit ? "; \(settings.limit) are shown (:set limit)" : ""
        let all = counted(stanzas.count, "stanza")
        console.report(verbatim: "\(counted(count, "result")) in \(found) of \(all)\(hidden)")
    }

    private func explain(_ text: String) {
        let explanation = QueryExplanation(painter: console.painter)
        console.output.write(explanation.tree(of: text))
        guard let query = compile(text, isRun: false)?.query else { return }
        console.output.write("\n" + explanation.program(of: query))
    }

    // MARK: Time

    /// A shorter time would measure the clock more than the query.
    static let measuredTime = Duration.milliseconds(100)
    private static let maximumRounds = 1_000_000

    private func time(_ text: String) {
        guard let (query, arguments) = compile(text) else { return }
        guard !stanzas.isEmpty else { return report("no stanzas are loaded") }
        let start = now()
        var (rounds, count) = (0, 0)
        var elapsed = Duration.zero
        repeat {
            count = 0
            for (element, _) in stanzas {
                if isInterrupted() { return console.report("interrupted") }
                // A stanza on which a pattern exceeds its limits takes time, too.
                count += (try? element.find(query.binding(values: arguments)).count) ?? 0
            }
            rounds += 1
            elapsed = now() - start
        } while elapsed < Self.measuredTime && rounds < Self.maximumRounds
        let each = elapsed / (rounds * stanzas.count)
        console.output.write(
            "\(counted(count, "result")); \(Self.shown(each)) for a stanza, \(Self.shown(elapsed / rounds)) for all "
                + "\(stanzas.count) (mean of \(counted(rounds, "round")))\n")
    }

    /// With three digits or so.
    static func shown(_ duration: Duration) -> String {
        let nanoseconds = Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
        let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)]
        let (unit, size) = units.first { nanoseconds >= $0.1 } ?? ("ns", 1)
        return decimal(tenths: Int((nanoseconds / size * 10).rounded())) + " \(unit)"
    }

    // MARK: Stanzas

    private func show(_ number: String?) throws(ReplMistake) {
        guard let number else {
            console.output.write("\(counted(stanzas.count, "stanza"))\n")
            return
        }
        if stanzas.isEmpty { throw ReplMistake("no stanzas are loaded") }
        guard let place = Int(number), (1...stanzas.count).contains(place) else {
            throw ReplMistake(
                "no stanza '\(number.escapedForLine)'; expected a number from 1 to \(stanzas.count)")
        }
        var bytes: [UInt8] = []
        QueryValue.element(stanzas[place - 1].element).writeLine(to: &bytes, .pretty)
        console.output.write(bytes + [UInt8(ascii: "\n")])
    }
}
