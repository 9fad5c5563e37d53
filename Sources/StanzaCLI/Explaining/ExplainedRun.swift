// The work of a query on stanzas of files: on the elements of one stanza, step by step, or counted over all stanzas.

import QueryTools
import StanzaQuery

/// Runs a query for `stanza explain`.
struct ExplainedRun {
    let query: Query<QueryValue>
    let arguments: [QueryArgumentValue]
    let settings: ReadingSettings
    let explanation: QueryExplanation
    let console: Console

    /// Shows the elements of a stanza with the query's marks, and the reason for an empty result.
    func mark(_ number: Int?, of file: String) throws(QueryError) -> CommandStatus {
        try show(number, of: file, by: "--on") { element, place, search throws(QueryError) in
            let marked = MarkedStanza(
                inspection: try query.inspect(element, arguments: arguments), painter: explanation.painter)
            return explanation.section("Elements of \(place)", marked.drawing(of: element))
                + (search.nearMiss.map { "\nno result: \($0)\n" } ?? "")
        }
    }

    /// Shows each step on a stanza.
    func trace(_ number: Int?, of file: String) throws(QueryError) -> CommandStatus {
        try show(number, of: file, by: "--trace") { element, place, _ throws(QueryError) in
            let trace = try query.trace(on: element, arguments: arguments)
            return explanation.section(
                "Trace on \(place)", trace.steps.isEmpty ? "no step was needed" : trace.description)
        }
    }

    /// Prints the section for a stanza and its place: for that with the number, or the first with a result, or the one
    /// in which the query gets furthest.
    private func show(
        _ number: Int?, of file: String, by option: String,
        _ section: (Element, String, NearMissSearch) throws(QueryError) -> String
    ) throws(QueryError) -> CommandStatus {
        var search = NearMissSearch(for: query, arguments: arguments)
        var isFurther = false
        let (found, status) = NumberedStanza.first(
            where: { element, count in
                if let number, number != count { return false }
                // Its failure is that of the section.
                isFurther = (try? search.add(element)) ?? false
                return number == count || search.hasFound
            }, orElse: { number == nil && ($0 == 1 || isFurther) }, number.map { "stanza \($0)" } ?? "stanza",
            in: file, settings(for: option), on: console)
        if let found {
            console.output.write("\n" + (try section(found.element, found.source.text, search)))
        }
        return status
    }

    /// Counts the work on all stanzas. A stanza on which a pattern exceeds its limits is reported, and not counted.
    func count(_ files: [String]) throws(QueryError) -> CommandStatus {
        var statistics = QueryStatistics(of: query)
        try query.checkArguments(arguments)
        var status = CommandStatus.success
        var interruption = WorkInterruption(on: console)
        for file in files where !interruption.stops() {
            do throws(SystemError) {
                try StanzaReader.read(console.source(of: file), settings(for: "--stats")) { item in
                    if interruption.stops() { return false }
                    status = max(status, add(item, of: file, to: &statistics))
                    return true
                }
            } catch {
                if interruption.stops() { break }
                console.report("\(file.asFileName): \(error)")
                status = .badInput
            }
        }
        console.output.write("\n" + explanation.section("Statistics", statistics.table))
        console.output.write("\n\(statistics.summary)\n")
        if interruption.leftWork {
            console.report("interrupted: these are the numbers up to there")
            return .interrupted
        }
        return status
    }

    private func settings(for option: String) -> ReadingSettings {
        settings.named(atPipe: "stanza explain QUERY \(option) -")
    }

    private func add(_ item: InputItem, of file: String, to statistics: inout QueryStatistics) -> CommandStatus {
        switch item {
        case .stanza(let element, let position, _):
            do throws(QueryError) {
                try statistics.evaluate(on: element, arguments: arguments)
                return .success
            } catch {
                console.report("\(ResultSource(file: file, position: position).text): \(error)")
                return .usage
            }
        case .problem(let problem):
            console.report(problem.text(in: file))
            return .badInput
        case .results: return .success
        }
    }
}
