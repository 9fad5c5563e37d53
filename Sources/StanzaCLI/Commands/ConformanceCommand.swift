// `stanza conformance`: runs suites from files and folders, and reports the failures.

import ArgumentParser

/// Runs conformance suites.
struct ConformanceCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Run conformance suites.",
        discussion: """
            INPUT
            Suites are JSON files. A case has an element, a query, and the results or the error that the query must \
            give. 'Grammar/conformance' has the suites of the language, and its README the format. Names that begin \
            with a dot, and links inside of folders, are skipped.

            PROGRAMS
            With '--program', another implementation of the language answers. It is a command of the shell, which \
            runs once for all cases. It reads a case from each line of its input, a JSON object with the query, and \
            prints a line: '{"results": [...]}', '{"error": "syntax", "at": [2, 3]}' or '{"unsupported": "why"}'. The \
            suites' page 'own-engine.md' describes both lines. The program answers each line before it reads the next, \
            and flushes the answer. The run stops where the program ends, gives no answer in time, or prints anything \
            but one line of JSON.

            OUTPUT
            Each failing case: its suite, number and name, the query, the expected and the actual results. The last \
            line is 'N passed, N failed'. With '--program', it may continue with ', N different, N unsupported'. A \
            suite or a case that cannot be read counts as one failure. Standard error has a warning for each name \
            that two cases share, and for each unknown member.

            EXIT CODES
              0  at least one case passed, and none failed
              1  a case failed, or no case passed
              2  the command is wrong
              3  a suite, case or folder cannot be read, the program cannot answer,
                 or the output cannot be written
              130  interrupted by Ctrl-C: the counts so far are reported

            EXAMPLES
              stanza conformance Grammar/conformance
              stanza conformance my.json || echo 'not yet'
              stanza conformance --program 'python3 my.py' Grammar/conformance
            """)

    @Argument(
        help: "Suites, and folders: their '*.json' at any depth, in the order of their names.",
        completion: .file(extensions: ["json"]))
    var paths: [String]

    @Option(help: ArgumentHelp("Let this program answer, not the engine.", valueName: "command"))
    var program: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The longest wait for an answer of the program, and for its end, 1 to 3600.", valueName: "seconds"))
    var timeout = 10

    @Option(
        help: ArgumentHelp(
            "Reasons why cases may fail: a JSON object with the names of cases or suites by reason.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var differences: String?

    @Flag(help: "Print the outcome of each case, a JSON object in a line, and no counts.")
    var json = false

    var texts: [String] { program.map { [$0] } ?? [] }

    func validate() throws {
        guard SuiteProgram.timeouts.contains(timeout) else {
            throw ValidationError("--timeout is a number from 1 to 3600.")
        }
        if program == nil, differences != nil { throw ValidationError("--differences needs --program.") }
    }

    func run(on console: Console) -> CommandStatus {
        var interruption = WorkInterruption(on: console)
        var known = Differences()
        do throws(SuiteError) {
            if let differences { known = try Differences(contentsOf: differences, on: console, &interruption) }
        } catch {
            console.report("\(differences?.asFileName ?? ""): \("\(error)".escapedForLine)")
            return interruption.leftWork ? .interrupted : .badInput
        }
        var answering: SuiteProgram?
        do throws(ProgramFailure) {
            if let program { answering = try SuiteProgram(program, patience: .seconds(timeout), on: console) }
        } catch {
            console.report("\(error)")
            return .badInput
        }
        var run = ConformanceRun(on: console, asJSON: json, program: answering, known, interruption)
        return run.run(paths)
    }
}
