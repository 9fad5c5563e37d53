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

            OUTPUT
            Each failing case: its suite, number and name, the query, the expected and the actual results. The last \
            line is 'N passed, N failed'. A suite or a case that cannot be read counts as one failure. Standard error \
            has a warning for each name that two cases share, and for each unknown member.

            EXIT CODES
              0  at least one case ran, and none failed
              1  a case failed, or no case ran
              3  a suite, case or folder cannot be read, or the output cannot be written
              130  interrupted by Ctrl-C: the counts so far are reported

            EXAMPLES
              stanza conformance Grammar/conformance
              stanza conformance my.json || echo 'not yet'
            """)

    @Argument(
        help: "Suites, and folders: their '*.json' at any depth, in the order of their names.",
        completion: .file(extensions: ["json"]))
    var paths: [String]

    var texts: [String] { [] }

    func run(on console: Console) -> CommandStatus {
        var status = CommandStatus.success
        var passed = 0
        var failed = 0
        var unreadable = 0
        var names = CaseNames()
        var interruption = WorkInterruption(on: console)
        let files = paths.flatMap { suiteFiles($0, on: console, &interruption, unreadable: &unreadable) }
        for path in files where !interruption.stops() {
            let suite: Suite
            do throws(SuiteError) {
                suite = try Suite(contentsOf: path, on: console, &interruption)
            } catch {
                if interruption.stops() { break }
                failed += 1
                status = .badInput
                // The error may quote the file.
                console.report("\(path.asFileName): \("\(error)".escapedForLine)")
                continue
            }
            if suite.cases.isEmpty { console.report("\(path.asFileName): this suite has no cases") }
            for warning in suite.warnings {
                console.report("warning: \(path.asFileName): \(warning.escapedForLine)")
            }
            for (index, `case`) in suite.cases.enumerated() {
                if interruption.stops() { break }
                let test: SuiteTest
                do throws(SuiteError) {
                    test = try `case`.test.get()
                } catch {
                    failed += 1
                    status = .badInput
                    console.report("\(path.asFileName): \("\(`case`.place): \(error)".escapedForLine)")
                    continue
                }
                let place = "\(path.asFileName): case \(index + 1)"
                if let former = names.repeated(test.name, at: place) {
                    console.report("warning: \(place) has the name of \(former), '\(test.name.escapedForLine)'")
                }
                guard let failure = suite.run(test) else {
                    passed += 1
                    continue
                }
                failed += 1
                console.output.write("\(place): \(test.name.escapedForLine)\n\(failure)\n")
            }
        }
        failed += unreadable
        if unreadable > 0 { status = .badInput }
        if interruption.leftWork {
            console.report("interrupted: \(passed) passed, \(failed) failed so far")
            return .interrupted
        }
        console.output.write("\(passed) passed, \(failed) failed\n")
        return max(status, failed == 0 && passed > 0 ? .success : .nothing)
    }

    /// The path itself, or the suites in the folder that it names. Reports and counts unreadable parts of the folder,
    /// and reports a folder without suites.
    private func suiteFiles(
        _ path: String, on console: Console, _ interruption: inout WorkInterruption, unreadable: inout Int
    ) -> [String] {
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
