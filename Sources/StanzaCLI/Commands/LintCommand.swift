// `stanza lint`: the queries in source code, checked.

import ArgumentParser
import Foundation
import StanzaLint

/// Finds the queries in source code, and the mistakes in them.
struct LintCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check the queries in source code.",
        discussion: """
            INPUT
            Files of Swift (.swift), Objective-C (.m, .mm, .h) and Lua (.lua), and folders of them. Names that begin \
            with a dot, and links inside of folders, are skipped; a folder without any other such file is reported. Queries are the literals in calls of '.find', \
            '.findFirst' and '.check', in 'Query(...)' and '#query(...)', and in Lua's \
            ':find(...)'. That searches a string if its text is a pattern of Lua, or cannot be a query. \
            Calls without a receiver count only in extensions of elements; 'insert(...)' does not count. Swift may \
            interpolate values where the language has slots. Queries that a program builds in other ways are not \
            checked. A line that ends in '// stanza-lint: ignore' (Lua: '-- stanza-lint: ignore') is skipped.

            Other libraries have functions of these names. In Swift, the calls of a file count if it imports a module \
            with queries, such as StanzaQuery, and if no label belongs to another function. In Objective-C, a call \
            counts if its receiver is declared as an XML node (MLXMLNode, XMPPStanza, XMPPIQ, XMPPMessage, \
            XMPPPresence, XMPPDataForm), or if its literal can only be a query. In Lua, a call counts unless it searches a string. All other calls are \
            skipped, unless you pass '--all' or '--assume-import'. A call is never checked if its receiver is certainly \
            a string, or if it has a second argument in Lua.

            OUTPUT
            A line for each finding, in the format of compilers: file, line, column (in bytes), 'error', 'warning' or \
            'note', the message, and the name of the finding in brackets. An error is a query that does not compile, \
            or whose arguments do not fit. A warning is a query that is legal but probably wrong:
              contradicting-filters   no value, or no namespace, passes all filters
              colon-in-name           names have no prefixes: write {namespace}name
              namespace-needs-braces  a namespace as a name: write {namespace}name
              text-of-children        'a/#' is the text of a's children, 'a#' that of a
              check-of-bool           'check' is true of a '|bool' that is false, too
              truth-of-bool           in Objective-C, an object of '|bool' is always true
              form-in-x               'x\\...\\' looks for x in the parent's namespace
              dot-in-name             'a.b' is one name: write 'a/b'
              foreign-value           in '<a="b">', '<a==b>' and '<a=b or a=c>' all is text
              spliced-interpolation   beside a String, values in a literal are read

            EXIT CODES
              0  found nothing, or notes only
              1  found errors or warnings
              2  the command is wrong
              3  a file or folder cannot be read, or the output cannot be written
              130  interrupted by Ctrl-C: the findings so far are printed

            EXAMPLES
              stanza lint Sources
              stanza lint --disable check-of-bool --sarif Sources > lint.sarif
            """)

    @Argument(help: ArgumentHelp("Files and folders.", valueName: "path"), completion: .file())
    var paths: [String]

    @Option(
        help: ArgumentHelp("Do not report this warning.", valueName: "warning"),
        completion: .list(LintRule.warnings.map(\.name)))
    var disable: [String] = []

    @Flag(help: "Also check calls that may belong to another library; report their mistakes as notes.")
    var all = false

    @Flag(help: "Check every call, whatever the file imports or declares.")
    var assumeImport = false

    @Flag(help: "Print a SARIF log.")
    var sarif = false

    func validate() throws {
        for name in disable where LintRule(warning: name) == nil {
            throw ValidationError(CommandName.unknown("warning", name, among: LintRule.warnings.map(\.name)))
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
            func report(_ path: String, _ problem: String) {
                console.report("\(path.asFileName): \(problem)")
                status = .badInput
            }
            let sources: SourceFiles
            do throws(SourceError) { sources = try SourceFiles(at: path, &interruption) } catch {
                report(path, error.description)
                continue
            }
            for (path, error) in sources.unreadable { report(path, "\(error)") }
            if sources.files.isEmpty, sources.unreadable.isEmpty, !interruption.leftWork {
                console.report(
                    "\(path.asFileName): found no .swift, .m, .mm, .h or .lua file; names that begin with a dot, and links, "
                        + "are skipped")
            }
            for file in sources.files where !interruption.stops() {
                do throws(SourceError) {
                    let source = try SourceFiles.text(of: file.path)
                    let found = interruption.wait { linter.findings(in: source, language: file.language) }
                    guard let found else { break }
                    findings += found.map { (file.path, $0) }
                } catch {
                    report(file.path, error.description)
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
