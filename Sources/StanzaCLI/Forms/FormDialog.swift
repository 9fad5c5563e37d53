// Asks for the fields of a form, page by page and one after another, and shows mistakes during typing.

import DataForms

/// A dialog on a terminal. `LineReader` reads the lines; the dialog decides the questions and interprets the answers.
struct FormDialog {
    private let console: Console
    private let reader: LineReader
    private let width: Int
    private(set) var answer: FormAnswer
    private let type: (FormField) -> FieldType
    /// The names of the fields asked so far: of several fields with one name, the first counts.
    private var asked: Set<[UInt8]> = []

    init(_ form: DataForm, _ console: Console, _ reader: LineReader) {
        self.console = console
        self.reader = reader
        width = reader.width
        answer = FormAnswer(to: form)
        type = form.fieldTypes()
    }

    /// Asks for everything; `nil` when the user gives up.
    mutating func run() throws(SystemError) -> FormAnswer? {
        let pages = answer.form.arrangement()
        say("\nEnter keeps the value in brackets; '\(FieldQuestion.emptyingMark)' empties a field; Ctrl-C gives up.\n")
        for (index, page) in pages.enumerated() {
            let number = pages.count > 1 ? "Page \(index + 1) of \(pages.count)" : nil
            let heading = [number, page.label?.oneLine].compactMap(\.self).joined(separator: ": ")
            if !heading.isEmpty { say("\n--- \(heading.cut(to: width - 8)) ---\n") }
            if try !ask(for: page.parts) { return nil }
        }
        return answer
    }

    /// Asks for the fields of a page or a section. Returns whether the user continues.
    private mutating func ask(for parts: [ArrangedPart]) throws(SystemError) -> Bool {
        for part in parts {
            switch part {
            case .text(let text): say("\n\(text.oneLine)\n")
            case .field(let field): if try !ask(for: field) { return false }
            case .table: say("\n" + answer.form.renderedTable(width: width))
            case .section(let label, let parts):
                if let label { say("\n\(label.oneLine)\n") }
                if try !ask(for: parts) { return false }
            }
        }
        return true
    }

    private mutating func ask(for field: FormField) throws(SystemError) -> Bool {
        let type = type(field)
        if type == .fixed {
            for value in field.values { say("\n\(value.oneLine)\n") }
            return true
        }
        guard let name = field.name, asked.insert(Array(name.utf8)).inserted else { return true }
        return try ask(FieldQuestion(field: field, type: type), name)
    }

    /// Asks until the values are right. Returns whether the user continues.
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
            // The user typed nothing: check the current values.
            guard let problem = answer.problem(with: kept(question, name), for: name) else { return true }
            say("  ! \(problem)\n")
        }
    }

    /// The values to check when the user types nothing. An unanswered boolean counts as `false`.
    private func kept(_ question: FieldQuestion, _ name: String) -> [String] {
        let values = answer.values(of: name)
        return values.isEmpty && question.type == .boolean ? ["false"] : values
    }

    /// The typed values; the inner `nil` when nothing was typed, the outer one when the user gives up.
    private func typed(_ question: FieldQuestion, _ name: String) throws(SystemError) -> [String]?? {
        var values: [String] = []
        repeat {
            let prompt = values.isEmpty ? prompt(question, name) : "  … "
            let known = values
            let line = try reader.readLine(prompt, isSecret: question.isSecret) { [answer] line in
                if line.isEmpty || line == FieldQuestion.emptyingMark { return nil }
                let problem = { answer.problem(with: known + question.values(of: $0), for: name, isComplete: false) }
                guard let found = problem(line) else { return nil }
                if let completion = question.completion(of: line), problem(completion) == nil { return nil }
                return found.description
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
            let shown = values.map { question.shown($0).oneLine }.joined(separator: ", ")
            prompt += " [\(question.isSecret ? FormField.mask : shown)]"
        }
        // The other half of the line is for typing.
        return prompt.cut(to: max(10, width / 2)) + ": "
    }

    private func say(_ text: String) {
        console.errors.write(text)
        console.errors.flush()
    }
}

extension DataForm {
    /// The form before the questions. For a form with several pages, only its beginning: the dialog shows each page
    /// before its questions.
    func preview(width: Int) -> String {
        if pages.count < 2 { return rendered(width: width) }
        return DataForm(.form, title: title, instructions: instructions).rendered(width: width)
    }

    fileprivate func renderedTable(width: Int) -> String {
        DataForm(.result, formType: formType, reported: reported, items: items).rendered(width: width)
    }
}
