// One field as a question: the text to type for it, and its meaning. It does not use a terminal.

import DataForms

/// The question for a field, and the conversion of a typed line to its values.
struct FieldQuestion {
    let field: FormField
    let type: FieldType

    /// Typed alone, it empties a field that has values.
    static let emptyingMark = "-"

    /// Whether the dialog asks for lines until an empty one.
    var takesSeveralLines: Bool { type == .textMulti }

    /// Whether the typed text is hidden.
    var isSecret: Bool { type == .textPrivate }

    /// The text to type, in brackets after the label.
    var hint: String? {
        switch type {
        case .boolean: "yes/no"
        case .listSingle: field.options.isEmpty ? nil : "1-\(field.options.count)"
        case .listMulti: field.options.isEmpty ? "separated by commas" : "1-\(field.options.count), separated by commas"
        case .jidMulti: "addresses separated by commas"
        case .textMulti: "lines; an empty one ends"
        case .fixed, .hidden, .jidSingle, .textPrivate, .textSingle: nil
        }
    }

    /// The options, each on a line with its number.
    var numberedOptions: [String] {
        type.isList
            ? field.options.enumerated().map { "\($0.offset + 1)) \($0.element.shownLabel)" } : []
    }

    /// The values of a typed line; for fields of several lines, the line itself.
    func values(of line: String) -> [String] {
        line == Self.emptyingMark ? [] : read(line)
    }

    /// The values of an argument: the text itself if it is right, or else its values in the dialog.
    ///
    /// - Parameter isRight: Whether the field accepts values.
    func values(ofArgument text: String, _ isRight: ([String]) -> Bool) -> [String] {
        isRight([text]) ? [text] : read(text)
    }

    private func read(_ line: String) -> [String] {
        switch type {
        case .boolean: return [Self.yesOrNo(line)]
        case .listSingle: return [option(line)]
        case .listMulti: return parts(of: line).map(option)
        case .jidMulti: return parts(of: line)
        case .fixed, .hidden, .jidSingle, .textMulti, .textPrivate, .textSingle: return [line]
        }
    }

    /// A value as it may be typed.
    func shown(_ value: String) -> String {
        guard type == .boolean else { return value }
        return switch value {
        case "true", "1": "yes"
        case "false", "0": "no"
        default: value
        }
    }

    /// A complete line that may begin with this one; `nil` if none is known. It avoids complaints about a line that is
    /// not finished.
    func completion(of line: String) -> String? {
        switch type {
        case .boolean: return ["yes", "no", "true", "false"].first { $0.hasPrefix(line.lowercased()) }
        case .listSingle: return option(beginningWith: line)
        case .listMulti:
            let start = line.lastIndex(of: ",").map { line.index(after: $0) } ?? line.startIndex
            let part = String(line[start...].drop { $0 == " " })
            return option(beginningWith: part).map { line[..<start] + $0 }
        // Any continuation, perhaps a domain.
        case .jidSingle, .jidMulti: return line + "x"
        case .fixed, .hidden, .textMulti, .textPrivate, .textSingle: return nil
        }
    }

    private func option(beginningWith text: String) -> String? {
        for option in field.options {
            if option.value.hasPrefix(text) { return option.value }
            if option.shownLabel.hasPrefix(text) { return option.shownLabel }
        }
        return nil
    }

    private func parts(of line: String) -> [String] {
        line.unicodeScalars.split(separator: ",").map { String($0).trimmingPrefix { $0 == " " } }
            .map { String($0.reversed().drop { $0 == " " }.reversed()) }.filter { !$0.isEmpty }
    }

    /// The validation checks any other text.
    private static func yesOrNo(_ text: String) -> String {
        switch text.lowercased() {
        case "y", "yes", "true", "1": "true"
        case "n", "no", "false", "0": "false"
        default: text
        }
    }

    /// A value, a label, or the number of an option, in this order: an option may be a number itself. Values differ by
    /// their code points, but a canonically equivalent text selects the value too.
    private func option(_ text: String) -> String {
        if field.options.contains(where: { $0.value.isIdentical(to: text) }) { return text }
        if let equivalent = field.options.first(where: { $0.value == text }) { return equivalent.value }
        if let labeled = field.options.first(where: { $0.shownLabel == text }) { return labeled.value }
        if let number = Int(text), number > 0, number <= field.options.count { return field.options[number - 1].value }
        return text
    }
}
