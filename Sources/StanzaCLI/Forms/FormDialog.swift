// Asks for the fields of a form, one after another, and says while somebody types what is wrong.

import DataForms

/// A dialog on a terminal. Lines are read by `LineReader`; this decides what is asked, and what the answers mean.
struct FormDialog {
    private let console: Console
    private let reader: LineReader
    private let width: Int
    private(set) var answer: FormAnswer

    init(_ form: DataForm, _ console: Console, _ reader: LineReader) {
        self.console = console
        self.reader = reader
        width = reader.width
        answer = FormAnswer(to: form)
    }

    /// Asks for everything; `nil` when somebody gives up.
    mutating func run() throws(SystemError) -> FormAnswer? {
        let form = answer.form
        say("\nEnter keeps what is in brackets; '\(FieldQuestion.emptyingMark)' empties a field; Ctrl-C gives up.\n")
        for field in form.fields {
            let type = form.type(of: field)
            if type == .fixed {
                for value in field.values { say("\n\(value.oneLine)\n") }
                continue
            }
            guard let name = field.name, type != .hidden else { continue }
            if try !ask(FieldQuestion(field: field, type: type), name) { return nil }
        }
        return answer
    }

    /// Asks until the values are right. Returns whether somebody goes on.
    private mutating func ask(_ question: FieldQuestion, _ name: String) throws(SystemError) -> Bool {
        for option in question.numberedOptions { say("    \(option)\n") }
        if let description = question.field.description { say("    (\(description.oneLine))\n") }
        while true {
            guard let values = try typed(question, name) else { return false }
            if let values {
                if let problem = answer.problem(with: values, for: name) {
                    say("  ! \(problem)\n")
                    continue
                }
                answer.set(name, to: values)
                return true
            }
            // Nothing was typed: what is there must do.
            guard let problem = answer.problem(with: kept(question, name), for: name) else { return true }
            say("  ! \(problem)\n")
        }
    }

    /// What is submitted when nothing is typed: a required yes or no that nobody answers is no.
    private func kept(_ question: FieldQuestion, _ name: String) -> [String] {
        let values = answer.values(of: name)
        return values.isEmpty && question.type == .boolean ? ["false"] : values
    }

    /// The values that were typed; the inner `nil` when nothing was, the outer one when somebody gives up.
    private func typed(_ question: FieldQuestion, _ name: String) throws(SystemError) -> [String]?? {
        var values: [String] = []
        repeat {
            let prompt = values.isEmpty ? prompt(question, name) : "  … "
            let known = values
            let line = try reader.readLine(prompt, isSecret: question.isSecret) { [answer] line in
                if line.isEmpty || line == FieldQuestion.emptyingMark { return nil }
                return answer.problem(with: known + question.values(of: line), for: name, isComplete: false)?
                    .description
            }
            guard let line else { return nil }
            if line.isEmpty { return .some(values.isEmpty ? nil : values) }
            if line == FieldQuestion.emptyingMark, values.isEmpty { return .some([]) }
            values += question.values(of: line)
        } while question.takesSeveralLines
        return .some(values)
    }

    private func prompt(_ question: FieldQuestion, _ name: String) -> String {
        var prompt = (question.field.isRequired ? "* " : "  ") + question.field.shownLabel
        if let hint = question.hint { prompt += " (\(hint))" }
        let values = answer.values(of: name)
        if !values.isEmpty {
            prompt += " [\(question.isSecret ? FormField.mask : values.map(\.oneLine).joined(separator: ", "))]"
        }
        // Half of the line is left to type in.
        return prompt.cut(to: max(10, width / 2)) + ": "
    }

    private func say(_ text: String) {
        console.errors.write(text)
        console.errors.flush()
    }
}
