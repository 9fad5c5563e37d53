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

    /// Whether a conversion may follow (4.4): the results are texts.
    public var isConvertible: Bool { unconvertible == nil }

    /// The part that a misplaced conversion would convert.
    var unconvertible: Diagnostic.Problem.Unconvertible? {
        switch self {
        case .attribute, .text, .name: nil
        case .attributes: .attributes
        case .form(let form):
            switch form.access {
            case .none: .form
            case .value, .valueOfSlot: nil
            case .description, .descriptionOfSlot: .fieldDescription
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
        case value(field: String)
        /// `&field`: the field's description.
        case description(field: String)
        /// The first value of the field whose name is bound to a slot.
        case valueOfSlot(Slot)
        /// The description of the field whose name is bound to a slot.
        case descriptionOfSlot(Slot)
    }

    /// The value that the field `FORM_TYPE` must have; nil: any, or no such field.
    public var formType: String?
    /// The value that the attribute `type` must have; nil: any, or none.
    public var type: String?
    /// Which item; a number beyond the largest `Int` is the largest `Int`: no form has so many items.
    public var index: Int?
    public var access: Access

    public init(formType: String? = nil, type: String? = nil, index: Int? = nil, access: Access = .none) {
        self.formType = formType
        self.type = type
        self.index = index
        self.access = access
    }
}
