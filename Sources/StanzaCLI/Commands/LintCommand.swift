// `stanza lint`: the queries in source code, checked.

import ArgumentParser
import Foundation
import StanzaLint

/// Finds the queries in source code, and what is wrong with them.
struct LintCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check the queries in source code.",
        discussion: """
            INPUT
            Files of Swift (.swift), Objective-C (.m, .mm, .h) and Lua (.lua), and folders of them; what begins with a dot \
            is left out, and so are links inside of folders. Queries are the literals in calls of '.find', '.findFirst' and '.check', in 'Query(...)', \
            'TypedQuery(...)' and '#query(...)', and in Lua's ':find(...)', unless strings are searched for it: patterns \
            of Lua's own, and texts that no query looks like. Calls without a receiver are looked at in extensions of \
            elements only, and 'insert(...)' is not. Values that Swift interpolates may stand where the language has slots \
            for them. What is put together at run time otherwise is not looked at. A line that ends in \
            '// stanza-lint: ignore' (Lua: '-- stanza-lint: ignore') is skipped.

            Other libraries have functions of these names. In Swift the calls of a file count if it imports a module with \
            queries, such as StanzaQuery, and if no label is another function's. In Objective-C a call counts if its \
            receiver is declared as an XML node (MLXMLNode, XMPPStanza, XMPPIQ, XMPPMessage, XMPPPresence, XMPPDataForm), \
            or if only queries look like its literal. All other calls are passed over; '--all' and '--assume-import' \
            change that.

            OUTPUT
            A line for each finding, as compilers print them: file, line, column (in bytes), 'error', 'warning' or 'note', \
            what is wrong, and its name in brackets. Errors are what does not compile, and arguments that do not fit. Warnings are \
            legal, and probably not what was meant:
              contradicting-filters   no value, or no namespace, passes all filters
              colon-in-name           names have no prefixes: write {namespace}name
              namespace-needs-braces  a namespace as a name: write {namespace}name
              text-of-children        'a/#' is the text of a's children, 'a#' that of a
              check-of-bool           'check' is true of a '|bool' that is false, too
              truth-of-bool           in Objective-C, an object of '|bool' is always true
              form-in-x               'x\\...\\' looks for x in the parent's namespace
              dot-in-name             'a.b' is one name: write 'a/b'
              quoted-value            in '<a="b">' the quotes are compared, too
              doubled-equals          '<a==b>' compares with '=b'
              spliced-interpolation   beside a String, values in a literal are read

            EXIT CODES
              0  nothing was found, or notes only
              1  there are errors or warnings
              2  the command is wrong
              3  a file or folder cannot be read, or the output cannot be written
              130  interrupted by Ctrl-C: what was found up to there is printed

            EXAMPLES
              stanza lint Sources
              stanza lint --disable check-of-bool --sarif Sources > lint.sarif
            """)

    @Argument(help: ArgumentHelp("Files and folders.", valueName: "path"), completion: .file())
    var paths: [String]

    @Option(
        help: ArgumentHelp("Do not give this warning.", valueName: "warning"),
        completion: .list(LintRule.warnings.map(\.name)))
    var disable: [String] = []

    @Flag(help: "Check calls that may be another library's, too; what is wrong with them is a note.")
    var all = false

    @Flag(help: "Take every call for one with a query, whatever the file imports or declares.")
    var assumeImport = false

    @Flag(help: "Print a SARIF log.")
    var sarif = false

    func validate() throws {
        for name in disable where LintRule(warning: name) == nil {
            let known = LintRule.warnings.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no warning '\(name)'; expected one of: \(known).")
        }
    }

    var texts: [String] { [] }

    func run(on console: Console) -> CommandStatus {
        let linter = Linter(
            disabled: Set(disable.compactMap(LintRule.init(warning:))),
            unsure: assumeImport ? .check : all ? .note : .skip)
        var status = CommandStatus.success
        var findings: [(path: String, finding: LintFinding)] = []
        var fileCount = 0
        var interruption = WorkInterruption(on: console)
        for path in paths where !interruption.stops() {
            func tell(_ path: String, _ problem: String) {
                console.report("\(path.asFileName): \(problem)")
                status = .badInput
            }
            let sources: SourceFiles
            do throws(SourceError) { sources = try SourceFiles(at: path, &interruption) } catch {
                tell(path, error.description)
                continue
            }
            for path in sources.unreadable { tell(path, "this cannot be read") }
            for file in sources.files where !interruption.stops() {
                do throws(SourceError) {
                    let source = try SourceFiles.text(of: file.path)
                    let found = interruption.wait { linter.findings(in: source, language: file.language) }
                    guard let found else { break }
                    findings += found.map { (file.path, $0) }
                } catch {
                    tell(file.path, error.description)
                }
                fileCount += 1
            }
        }
        print(findings, on: console)
        if interruption.leftWork {
            console.report(
                "interrupted after \(counted(fileCount, "file")), with \(counted(findings.count, "finding"))")
            return .interrupted
        }
        return max(status, findings.allSatisfy { $0.finding.severity == .note } ? .success : .nothing)
    }

    private func print(_ findings: [(path: String, finding: LintFinding)], on console: Console) {
        if sarif {
            // A log is made of texts and numbers.
            let log = SARIFLog(findings, toolVersion: StanzaCommand.version, bytes: FileName.bytes(of:))
            let json = (try? log.json()) ?? Data()
            console.output.write(Array(json) + [UInt8(ascii: "\n")])
            return
        }
        for (path, finding) in findings {
            let text = finding.message + (finding.hint.map { "; \($0)" } ?? "")
            console.output.write(
                "\(path.asFileName):\(finding.start.line):\(finding.start.column): \(finding.severity.rawValue): \(text.withoutControls) "
                    + "[\(finding.rule.name)]\n")
        }
    }
}
