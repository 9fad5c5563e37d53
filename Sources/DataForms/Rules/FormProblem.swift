// Problems of a form's values, for the person filling it in. FormProblem+Text.swift has the texts; FormFault.swift has
// the faults of a form itself.

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
