// `stanza form`: shows a data form from a stanza, and makes the stanza that answers it.

import ArgumentParser
import DataForms
import Foundation
import StanzaQuery
import XMLTree

/// Shows and answers data forms.
struct FormCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "form",
        abstract: "Show the data form in a stanza, and answer it.",
        usage: "stanza form <file> [--set <field=value> ...] [<options>]",
        discussion: """
            INPUT
            A file of stanzas, in any format that 'stanza find' reads. The command takes the first stanza with a data \
            form, or the one that '--stanza' names, and the first form in it, or the one that '--form' names.

            OUTPUT
            The form as text; with '--set', '--submit' or '--cancel' the stanza that answers it, as XML in one line. \
            On a terminal, the command shows a form of type 'form', asks for each of its fields, page by page, and \
            prints the answer. It rejects wrong values while you type. Standard error has the rules of the \
            specifications that the form breaks, and the wrong values.

            EXIT CODES
              0  the form was shown or answered
              1  the stanza or the form does not exist, or you canceled the answer
              2  the command or a value is wrong
              3  the file cannot be read, or the output cannot be written

            EXAMPLES
              stanza form room.xml
              stanza form room.xml --set muc#roomconfig_roomname=Elsinore --id 2
              stanza form room.xml --cancel --id 2
              stanza form room.xml --submit --id 2 | stanza find '/@type'
            """)

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take the form of this stanza, counted from 1.", valueName: "number"))
    var stanza: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take this form of the stanza, counted from 1.", valueName: "number"))
    var form: Int?

    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Set a field; repeat the option for several values. An empty value clears the field.",
            valueName: "field=value"))
    var settings: [String] = []

    @Flag(help: "Submit the form with its own values and those of --set.")
    var submit = false

    @Flag(help: "Cancel the form.")
    var cancel = false

    @Option(help: ArgumentHelp("The id of the answer, instead of a random one.", valueName: "id"))
    var id: String?

    @OptionGroup(title: "Input options") var input: InputOptions

    func validate() throws {
        if let stanza, stanza < 1 { throw ValidationError("--stanza counts from 1.") }
        if let form, form < 1 { throw ValidationError("--form counts from 1.") }
        if id == "" { throw ValidationError("--id must not be empty: the id of an answer says which answer it is.") }
        do throws(XMLTreeError) { try XMLTreeError.check(text: id ?? "") } catch {
            throw ValidationError("--id: \(error).")
        }
        if cancel, submit || !settings.isEmpty { throw ValidationError("--cancel excludes --set and --submit.") }
        for setting in settings where !setting.utf8.contains(Self.separator) {
            throw ValidationError("--set '\(setting.oneLine)' has no '=': write --set field=value.")
        }
    }

    var texts: [String] { settings + [id, input.defaultNamespace].compactMap(\.self) }

    func run(on console: Console) -> CommandStatus {
        let wanted: (Element, Int) -> Bool = { element, number in
            stanza.map { $0 == number } ?? !FormStanza.forms(in: element).isEmpty
        }
        let (found, status) = NumberedStanza.first(
            where: wanted, stanza.map { "stanza \($0)" } ?? "stanza with a form", in: file,
            input.settings.named(atPipe: "stanza form -"), on: console)
        guard let found else { return status }
        let element = found.element
        guard let place = FormStanza(element, form: form ?? 1) else {
            let count = FormStanza.forms(in: element).count
            console.report(
                "\(file.asFileName): no form \(form.map { "\($0) " } ?? "")in stanza \(found.number)"
                    + (count > 0 ? "; there \(count == 1 ? "is" : "are") \(count)" : ""))
            return max(status, .nothing)
        }
        if place.count > 1, form == nil {
            console.report(
                "there are \(place.count) forms in stanza \(found.number); this is the first: --form names another")
        }
        let faults = place.form.faults
        for fault in faults.prefix(Self.reportedFaults) { console.report(fault.description) }
        if faults.count > Self.reportedFaults {
            console.report("and \(faults.count - Self.reportedFaults) more faults")
        }
        return max(status, handle(place, console))
    }

    /// The maximum number of faults that it reports: a form with more is wrong all over.
    private static let reportedFaults = 20

    private func handle(_ place: FormStanza, _ console: Console) -> CommandStatus {
        if cancel || submit || !settings.isEmpty, place.form.kind != .form {
            console.report(
                "only forms of type 'form' are answered; this one is '\((place.form.rawKind ?? "").oneLine)'")
            return .usage
        }
        if cancel { return send(place.form.cancellation(), for: place, console) }
        if submit || !settings.isEmpty { return answer(place, console) }
        let terminal = console.terminal.flatMap { $0.givesInput && file != "-" && place.form.kind == .form ? $0 : nil }
        guard let terminal else {
            if id != nil {
                console.report("--id is for an answer: add --set, --submit or --cancel")
                return .usage
            }
            let text = place.form.rendered(width: console.terminal?.columns() ?? 80)
            if text.isEmpty { console.report(Self.reasonForNothing(in: place.form)) }
            console.output.write(text)
            return .success
        }
        return ask(place, console, terminal)
    }

    /// Explains why a form has no text.
    private static func reasonForNothing(in form: DataForm) -> String {
        form.kind == .cancel
            ? "the form is of type 'cancel': it cancels another form, and has no fields to show"
            : "the form is of type '\((form.rawKind ?? "").oneLine)', and has no title, text or fields to show"
    }

    // MARK: Answers from arguments

    private func answer(_ place: FormStanza, _ console: Console) -> CommandStatus {
        var answer = FormAnswer(to: place.form)
        let typeOf = place.form.fieldTypes()
        var questions: [[UInt8]: FieldQuestion] = [:]
        // Of several fields of one name, the first counts.
        for field in place.form.fields.reversed() {
            if let name = field.name { questions[Array(name.utf8)] = FieldQuestion(field: field, type: typeOf(field)) }
        }
        for (name, values) in givenValues {
            guard let question = questions[Array(name.utf8)] else {
                console.report(CommandName.unknown("field", name.oneLine, among: Self.choice(of: place.form)))
                return .usage
            }
            if question.type == .fixed || name == FormField.formTypeName {
                let choice = CommandName.listing(Self.choice(of: place.form))
                console.report("the field '\(name.oneLine)' cannot be set; \(choice)")
                return .usage
            }
            // Only text can be an empty value.
            let isText = [.textSingle, .textPrivate].contains(question.type)
            let isEmptied = values == [""] && !isText
            let isRight = { answer.problem(with: $0, for: name, isComplete: false) == nil }
            answer.set(name, to: isEmptied ? [] : values.flatMap { question.values(ofArgument: $0, isRight) })
        }
        return submit(answer, for: place, console)
    }

    /// The names of the fields that can be set.
    private static func choice(of form: DataForm) -> [String] {
        var seen: Set = [FormField.formTypeName]
        let type = form.fieldTypes()
        return form.fields.filter { type($0) != .fixed }.compactMap(\.name)
            .filter { seen.insert($0).inserted }.map(\.oneLine)
    }

    /// Between the name of a field and its value; the first one counts, byte by byte.
    private static let separator = UInt8(ascii: "=")

    /// The values of each field, in the order in which they are given.
    private var givenValues: [(name: String, values: [String])] {
        var given: [(name: String, values: [String])] = []
        var places: [[UInt8]: Int] = [:]
        for setting in settings {
            let parts = setting.utf8.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            if let known = places[Array(parts[0].utf8)] {
                given[known].values.append(parts[1])
            } else {
                places[Array(parts[0].utf8)] = given.count
                given.append((parts[0], [parts[1]]))
            }
        }
        return given
    }

    // MARK: Answers from a terminal

    private func ask(_ place: FormStanza, _ console: Console, _ terminal: Terminal) -> CommandStatus {
        let width = terminal.columns()
        console.errors.write(place.form.preview(width: width))
        console.errors.flush()
        guard let restore = terminal.beginRawInput() else {
            console.report("the terminal does not report single keys; use --set")
            return .usage
        }
        defer { restore() }
        do throws(SystemError) {
            var dialog = FormDialog(place.form, console, LineReader(console, width: width))
            guard let answer = try dialog.run() else { return .nothing }
            return submit(answer, for: place, console)
        } catch {
            console.report("the terminal cannot be read: \(error)")
            return .badInput
        }
    }

    // MARK: Printing

    private func submit(_ answer: FormAnswer, for place: FormStanza, _ console: Console) -> CommandStatus {
        do throws(FormRejection) {
            return send(try answer.submission(), for: place, console)
        } catch {
            for problem in error.problems { console.report(problem.description) }
            return .usage
        }
    }

    private func send(_ answer: DataForm, for place: FormStanza, _ console: Console) -> CommandStatus {
        do throws(FormReplyError) {
            let reply = try place.reply(with: answer, id: id ?? UUID().uuidString.lowercased())
            var line: [UInt8] = []
            QueryValue.element(reply).writeLine(to: &line)
            console.output.write(line + [UInt8(ascii: "\n")])
            return .success
        } catch {
            console.report("\(error)")
            return .usage
        }
    }
}
