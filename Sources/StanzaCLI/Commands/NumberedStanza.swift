// One stanza of a file, for commands that show one.

import XMLTree

/// A stanza with its place in an input.
struct NumberedStanza {
    let element: Element
    let source: ResultSource
    /// Its place among the stanzas, counted from 1.
    let number: Int

    /// Reads a file up to the first wanted stanza. Reports mistakes in the file, and a missing stanza.
    ///
    /// - Parameters:
    ///   - isWanted: Gets a stanza and its number.
    ///   - isBetter: Whether the stanza replaces an earlier one as the choice if none is wanted.
    ///   - wanted: A description of the wanted stanza.
    /// - Returns: The stanza, if it exists, and the status of the reading before it.
    static func first(
        where isWanted: (Element, Int) -> Bool, orElse isBetter: (Int) -> Bool = { _ in false }, _ wanted: String,
        in file: String, _ settings: ReadingSettings, on console: Console
    ) -> (stanza: NumberedStanza?, status: CommandStatus) {
        var found: NumberedStanza?
        var (count, isDone) = (0, false)
        var status = CommandStatus.success
        do throws(SystemError) {
            try StanzaReader.read(console.source(of: file), settings) { item in
                switch item {
                case .stanza(let element, let position, _):
                    count += 1
                    isDone = isWanted(element, count)
                    if isDone || isBetter(count) {
                        let source = ResultSource(file: file, position: position)
                        found = NumberedStanza(element: element, source: source, number: count)
                    }
                case .problem(let problem):
                    console.report(problem.text(in: file))
                    status = .badInput
                case .results: break
                }
                return !isDone
            }
        } catch {
            console.report("\(file.asFileName): \(error)")
            return (nil, .badInput)
        }
        if found == nil {
            let verb = count == 1 ? "is" : "are"
            console.report("\(file.asFileName): no \(wanted); there \(verb) \(count) in all")
            status = max(status, .nothing)
        }
        return (found, status)
    }
}
