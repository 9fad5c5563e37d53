// Problems as sentences.

import FormModel

extension FormProblem: CustomStringConvertible {
    /// A sentence with the field, its problem, and the expected value.
    public var description: String {
        switch reason {
        case .missing: "\(subject) is required: give it a value."
        case .severalValues(let count, let type):
            "\(subject) has \(count) values, but a field of type \(type.rawValue) has one: leave the others out."
        case .lineBreak(let type):
            "\(subject) has a line break, which a field of type \(type.rawValue) cannot have: write one line."
        case .forbiddenCharacter(let value):
            "\(subject): \(quoted(value)) has a character that XML cannot hold, such as a control character: leave it out."
        case .notBoolean(let value): "\(subject): \(quoted(value)) is neither yes nor no; expected true, 1, false or 0."
        case .notAnAddress(let value):
            "\(subject): \(quoted(value)) is not an address; expected one such as juliet@example.org or example.org."
        case .notAnOption(let value, let options):
            "\(subject): \(quoted(value)) is none of the options; expected \(Self.choice(of: options))."
        case .notOfDatatype(let value, let datatype, let expected):
            "\(subject): \(quoted(value)) is not a valid \(datatype.shown()); expected \(expected)."
        case .outOfRange(let value, let min, let max):
            "\(subject): \(quoted(value)) is out of range; expected \(Self.range(min?.shown(), max?.shown()))."
        case .notMatching(let value, let pattern):
            "\(subject): \(quoted(value)) does not have the right form; expected a match of \(pattern.shown())."
        case .undecided(let value, let pattern):
            "\(subject): whether \(quoted(value)) matches \(pattern.shown()) takes too long to decide; "
                + "expected something shorter or simpler."
        case .wrongCount(let count, let min, let max):
            "\(subject) has \(count) \(count == 1 ? "value" : "values"); "
                + "expected \(Self.range(min.map(String.init), max.map(String.init)))."
        case .wrongFormType(let value, let expected):
            "\(subject): \(quoted(value)) is the FORM_TYPE of another form; expected \(quoted(expected))."
        }
    }

    private var subject: String {
        guard let label, !label.isEmpty else { return quoted(field) }
        return "\(quoted(label)) (\(field.shown()))"
    }

    private func quoted(_ text: String?) -> String { text.map { "'\($0.shown())'" } ?? "this value" }

    /// The maximum number of options in a text. The form has the rest.
    private static let shownOptions = 8

    private static func choice(of options: [String]) -> String {
        if options.isEmpty { return "one, but the list has none" }
        let shown = options.prefix(shownOptions).map { "'\($0.shown())'" }
        if options.count > shownOptions { return shown.joined(separator: ", ") + " or one of the others" }
        return shown.count == 1 ? shown[0] : shown.dropLast().joined(separator: ", ") + " or " + shown[shown.count - 1]
    }

    private static func range(_ min: String?, _ max: String?) -> String {
        switch (min, max) {
        case (let min?, let max?): min == max ? "exactly \(min)" : "\(min) to \(max)"
        case (let min?, nil): "at least \(min)"
        case (nil, let max?): "at most \(max)"
        case (nil, nil): "anything"
        }
    }
}
