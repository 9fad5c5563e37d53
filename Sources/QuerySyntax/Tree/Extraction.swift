// The values that a query reads from the nodes of its last segment (4.1, 5).

/// The kind of a query's results, instead of elements.
public enum Extraction: Sendable {
    /// `@name`: the value of an attribute.
    case attribute(AttributeName)
    /// `@@`: all attributes.
    case attributes
    /// `#`: the text.
    case text
    /// `$`: the local name.
    case name
    /// `\…\`: a data form, or one of its fields.
    case form(FormQuery)

    /// The part that a misplaced conversion would convert; `nil` if a conversion may follow: results are texts (4.4).
    var unconvertible: Diagnostic.Problem.Unconvertible? {
        switch self {
        case .attribute, .text, .name: nil
        case .attributes: .attributes
        case .form(let form):
            switch form.access {
            case .none: .form
            case .value: nil
            case .description: .fieldDescription
            }
        }
    }
}

/// A data-form query: `\{FORM_TYPE}type[index]extraction\` (5).
public struct FormQuery: Sendable {
    /// The part of the form that the query reads.
    public enum Access: Sendable {
        /// Nothing: the form itself.
        case none
        /// `@field`: the field's first value.
        case value(field: NamePiece)
        /// `&field`: the field's description.
        case description(field: NamePiece)
    }

    /// The value that the field `FORM_TYPE` must have; nil: any, or no such field.
    public internal(set) var formType: TextRange?
    /// The value that the attribute `type` must have; nil: any, or none.
    public internal(set) var type: TextRange?
    /// Which item; a number beyond the largest `Int` is the largest `Int`: no form has so many items.
    public internal(set) var index: Int?
    public internal(set) var access = Access.none
}
