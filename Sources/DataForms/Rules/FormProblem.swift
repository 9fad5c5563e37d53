// Problems of a form's values, for the person filling it in: on receiving a submission, and before sending one.
// FormFault.swift has the faults of a form itself.

import FormModel

/// One problem of one field in a filled-in form.
///
/// Its description is a sentence for the user. Problem and description do not hold values of `text-private` fields.
public struct FormProblem: Error, Sendable, Hashable {
    /// The name of the field.
    public let field: String
    /// Its label, if it has one.
    public let label: String?
    public let reason: Reason

    /// The kind of problem. A `value` is `nil` if it must not be shown.
    public enum Reason: Sendable, Hashable {
        /// The field is required, but has no value (XEP-0004 §3.2).
        case missing
        /// The field has several values, but its type has one.
        case severalValues(count: Int, FieldType)
        /// A line break in a line of text.
        case lineBreak(FieldType)
        /// A character that XML cannot hold, such as most control characters.
        case forbiddenCharacter(value: String?)
        /// Neither `true`, `1`, `false` nor `0`.
        case notBoolean(value: String?)
        /// An invalid address (RFC 7622).
        case notAnAddress(value: String?)
        /// A list has no such option.
        case notAnOption(value: String?, options: [String])
        /// Not of the datatype (XEP-0122 §3.1).
        case notOfDatatype(value: String?, datatype: String, expected: String)
        /// Less or more than the bounds (XEP-0122 §3.2.3).
        case outOfRange(value: String?, min: String?, max: String?)
        /// No match of the regular expression (XEP-0122 §3.2.4).
        case notMatching(value: String?, pattern: String)
        /// Matching the regular expression with this value takes too long.
        case undecided(value: String?, pattern: String)
        /// Fewer or more values than the bounds (XEP-0122 §3.3).
        case wrongCount(count: Int, min: Int?, max: Int?)
        /// `FORM_TYPE` belongs to another form (XEP-0068).
        case wrongFormType(value: String?, expected: String)
    }

    public init(field: String, label: String? = nil, _ reason: Reason) {
        self.field = field
        self.label = label
        self.reason = reason
    }

    init(_ field: FormField, _ reason: Reason) {
        self.init(field: field.name ?? "", label: field.label, reason)
    }
}

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

extension DataForm {
    /// Returns the problems of a submission of this form: at most one of each field, in the order of the form.
    ///
    /// The check ignores fields that this form does not have (XEP-0004 §3.1), and whether the submission is of type
    /// `submit`. It looks only at the submission's fields and at required ones.
    ///
    /// Linear in the values, and in the time that the form's regular expressions take, which is bounded for each value.
    ///
    /// - Parameters:
    ///   - submission: The filled-in form.
    ///   - registry: The types of fields for which this form gives none.
    public func problems(in submission: DataForm, registry: FormRegistry = .standard) -> [FormProblem] {
        var problems: [FormProblem] = []
        if let expected = formType, let found = submission.formType, !found.isIdentical(to: expected) {
            problems.append(
                FormProblem(field: FormField.formTypeName, .wrongFormType(value: found, expected: expected)))
        }
        let submitted = submission.fields.byName
        let type = fieldTypes(in: registry)
        for field in namedFields {
            let values = field.name.flatMap { submitted[ExactString($0)] }?.values ?? []
            if let problem = FieldCheck(field, as: type(field)).problem(with: values) {
                problems.append(problem)
            }
        }
        return problems
    }

    /// Returns the problems of the form's own values: at most one of each field.
    ///
    /// In a form of type `form`, which is not filled in yet, values may be missing.
    public func problems(registry: FormRegistry = .standard) -> [FormProblem] {
        let header = (reported ?? []).byName
        let fieldType = fieldTypes(in: registry)
        let cells = items.flatMap(\.fields).map { field in
            field.name.flatMap { header[ExactString($0)] }.map(field.completed) ?? field
        }
        return (namedFields + cells).compactMap { field in
            FieldCheck(field, as: fieldType(field)).problem(with: field.values, isComplete: kind == .submit)
        }
    }

    /// The form's own fields with a name. The first of several fields with one name counts.
    var namedFields: [FormField] {
        var seen: Set<ExactString> = []
        return fields.filter { $0.name.map { seen.insert(ExactString($0)).inserted } ?? false }
    }
}
