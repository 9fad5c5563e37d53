// Runs the cases of suites with the engine or with a program, counts the outcomes, and prints them.

import SafeText

enum CaseOutcome {
    case passed
    case failed(SuiteFailure)
    /// The case failed, for a documented reason.
    case different(_ reason: String)
    /// The program says that it lacks a feature of the case.
    case unsupported(_ reason: String)

    var name: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .different: "different"
        case .unsupported: "unsupported"
        }
    }
}

/// The numbers of cases by outcome. Suites and folders that cannot be read count as failed cases.
private struct CaseCounts: CustomStringConvertible {
    private var counts = ["passed": 0, "failed": 0]

    subscript(outcome: String) -> Int {
        get { counts[outcome, default: 0] }
        set { counts[outcome] = newValue }
    }

    var description: String {
        ["passed", "failed", "different", "unsupported"]
            .compactMap { name in counts[name].map { "\($0) \(name)" } }.joined(separator: ", ")
    }
}

/// A run of suites.
struct ConformanceRun {
    private let console: Console
    /// Whether it prints each case as JSON.
    private let isJSON: Bool
    /// Answers the cases; `nil` for the engine.
    private let program: SuiteProgram?
    private var differences: Differences
    private var interruption: WorkInterruption
    private var counts = CaseCounts()
    private var status = CommandStatus.success
    private var names = CaseNames()
    /// The case that the program has not answered yet, as the beginning of a message.
    private var asked = ""

    init(
        on console: Console, asJSON isJSON: Bool, program: SuiteProgram?, _ differences: Differences,
        _ interruption: WorkInterruption
    ) {
        self.console = console
        self.isJSON = isJSON
        self.program = program
        self.differences = differences
        self.interruption = interruption
    }

    /// Runs files and folders, and prints the counts.
    mutating func run(_ paths: [String]) -> CommandStatus {
        var unreadable = 0
        let files = paths.flatMap { suiteFiles($0, unreadable: &unreadable) }
        do throws(ProgramFailure) {
            for path in files where !stops() { try runSuite(path) }
            if !interruption.leftWork, console.output.failure == nil { try program?.finish() }
        } catch .interrupted {
            interruption.leaveWork()
        } catch {
            if !asked.isEmpty { counts["failed"] += 1 }
            status = .badInput
            console.report(asked + "\(error)".escapedForLine)
        }
        counts["failed"] += unreadable
        if unreadable > 0 { status = .badInput }
        if interruption.leftWork {
            console.report("interrupted: \(counts) so far")
            return .interrupted
        }
        for name in differences.unused {
            console.report("warning: the difference of '\(name.escapedForLine)' is not needed: its cases pass")
        }
        if !isJSON { console.output.write("\(counts)\n") }
        let isGood = counts["failed"] == 0 && counts["passed"] > 0
        return max(status, isGood ? .success : .nothing)
    }

    /// Whether to stop before the next suite or case: after Ctrl-C, or when the outcomes cannot be written.
    private mutating func stops() -> Bool { interruption.stops() || console.output.failure != nil }

    // MARK: Suites and cases

    private mutating func runSuite(_ path: String) throws(ProgramFailure) {
        let suite: Suite
        do throws(SuiteError) {
            suite = try Suite(contentsOf: path, on: console, &interruption)
        } catch {
            if interruption.stops() { return }
            // The error may quote the file.
            return fail("\(path.asFileName): \("\(error)".escapedForLine)")
        }
        if suite.cases.isEmpty { console.report("\(path.asFileName): this suite has no cases") }
        for warning in suite.warnings {
            console.report("warning: \(path.asFileName): \(warning.escapedForLine)")
        }
        let name = path.suiteName
        for (index, `case`) in suite.cases.enumerated() where !stops() {
            let test: SuiteTest
            do throws(SuiteError) {
                test = try `case`.test.get()
            } catch {
                fail("\(path.asFileName): \("\(`case`.place): \(error)".escapedForLine)")
                continue
            }
            let place = "\(path.asFileName): case \(index + 1)"
            if let former = names.repeated(test.name, at: place) {
                console.report("warning: \(place) has the name of \(former), '\(test.name.escapedForLine)'")
            }
            let outcome = try outcome(of: test, in: suite, name, at: place)
            counts[outcome.name] += 1
            write(outcome, of: test, in: name, at: place)
            // A program may be slow.
            if program != nil { console.output.flush() }
        }
    }

    /// Reports a suite or a case that cannot be read, and counts it.
    private mutating func fail(_ message: String) {
        counts["failed"] += 1
        status = .badInput
        console.report(message)
    }

    private mutating func outcome(
        of test: SuiteTest, in suite: Suite, _ name: String, at place: String
    ) throws(ProgramFailure) -> CaseOutcome {
        guard let program else { return suite.run(test).map(CaseOutcome.failed) ?? .passed }
        asked = "\(place): \(test.name.escapedForLine): "
        let line = try program.answer(to: suite.question(for: test, of: name))
        let read = interruption.wait { Result { () throws(JSONError) in try ProgramAnswer.read(line) } }
        guard let read else { throw .interrupted }
        let answer: Result<ProgramAnswer, SuiteError>
        do throws(JSONError) { answer = try read.get() } catch { throw ProgramFailure.noJSON(error) }
        asked = ""
        switch answer {
        case .success(let answer): return differences.apply(to: test.outcome(of: answer), of: test.name, in: name)
        // No difference excuses it.
        case .failure(let error): return .failed(test.failure("a malformed answer: \(error)".escapedForLine))
        }
    }

    private func write(_ outcome: CaseOutcome, of test: SuiteTest, in suite: String, at place: String) {
        if isJSON {
            let others: [(String, String)] =
                switch outcome {
                case .passed: []
                case .failed(let failure): [("expected", failure.expected), ("got", failure.got)]
                case .different(let reason), .unsupported(let reason): [("reason", reason)]
                }
            let shown = others.map { ($0, $1.cut(toScalars: SuiteFailure.maximumLength)) }
            let members = [("suite", suite), ("name", test.name), ("outcome", outcome.name)] + shown
            let json = JSONValue.object(members.map { JSONMember(name: $0.0, value: .string($0.1)) })
            console.output.write("\(json.text)\n")
        } else if case .failed(let failure) = outcome {
            console.output.write("\(place): \(test.name.escapedForLine)\n\(failure)\n")
        }
    }

    // MARK: Files

    /// The path itself, or the suites in the folder that it names. Reports and counts unreadable parts of the folder,
    /// and reports a folder without suites.
    private mutating func suiteFiles(_ path: String, unreadable: inout Int) -> [String] {
        // A path without a status is reported when it is opened.
        guard (try? FileName.status(of: path))?.isFolder == true else { return [path] }
        let contents = FolderContents(of: path, &interruption) { $0.hasSuffix(".json") }
        for (path, error) in contents.unreadable { console.report("\(path.asFileName): \(error)") }
        unreadable += contents.unreadable.count
        if contents.files.isEmpty, contents.unreadable.isEmpty, !interruption.leftWork {
            console.report("\(path.asFileName): this folder has no '*.json'")
        }
        return contents.files
    }
}

extension String {
    /// The name of the suite in the file at this path.
    fileprivate var suiteName: String {
        let name = split(separator: "/").last.map(String.init) ?? self
        return name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    }
}

/// The names of cases, to find those that occur twice.
private struct CaseNames {
    /// The first place of each name; `nil` once a repetition was reported.
    private var places: [[UInt8]: String?] = [:]

    /// The place of the first case with a name, once for each name that is repeated.
    mutating func repeated(_ name: String, at place: String) -> String? {
        let key = Array(name.utf8)
        guard let former = places[key] else {
            places[key] = .some(place)
            return nil
        }
        places[key] = .some(nil)
        return former
    }
}
