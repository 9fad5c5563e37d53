// A field as a plain value, independent of any tree.
//
// The folder Reading reads it.

public import XMLTree

/// A field of a data form (XEP-0004 §3.2).
///
/// ```swift
/// let name = FormField("muc#roomconfig_roomname", .textSingle, label: "Name of the room", isRequired: true)
/// ```
///
/// A form returns `nil` for a field that it lacks. An empty field has no `values`. A value can be the empty string.
///
/// Equality compares code points, without canonical equivalence.
public struct FormField: Sendable, Hashable {
    /// The field's name, its `var`: any text. Only fields of type `fixed` may go without.
    public var name: String?
    /// The type as written; `nil` when it is left out, as it may be in submissions and results.
    public var typeName: String?
    /// The text shown in place of the name.
    public var label: String?
    /// An explanation: `<desc/>`.
    public var description: String?
    /// Whether a submission must have a value.
    public var isRequired: Bool
    /// The values, in order: the preset ones of a form, or the entered ones of a submission.
    public var values: [String]
    /// The options of a list. They differ in value and label.
    public var options: [FieldOption]
    /// A picture, sound or film (XEP-0221).
    public var media: FieldMedia?
    /// The rules for values beyond the type (XEP-0122).
    public var validation: FieldValidation?
    /// Child elements that none of these specifications defines.
    public var extensions: [Element]

    public init(
        _ name: String?, _ type: FieldType? = nil, label: String? = nil, description: String? = nil,
        isRequired: Bool = false, values: [String] = [], options: [FieldOption] = [], media: FieldMedia? = nil,
        validation: FieldValidation? = nil, extensions: [Element] = []
    ) {
        self.name = name
        typeName = type?.rawValue
        self.label = label
        self.description = description
        self.isRequired = isRequired
        self.values = values
        self.options = options
        self.media = media
        self.validation = validation
        self.extensions = extensions
    }

    /// The type; `nil` if it is omitted. An unknown type counts as `text-single` (XEP-0004 §3.3).
    public var type: FieldType? {
        get { typeName.map { FieldType(rawValue: $0) ?? .textSingle } }
        set { typeName = newValue?.rawValue }
    }

    /// The first value; `nil` when there is none. Setting it leaves no other.
    public var value: String? {
        get { values.first }
        set { values = newValue.map { [$0] } ?? [] }
    }

    public static func == (one: FormField, other: FormField) -> Bool {
        one.name.isIdentical(to: other.name) && one.typeName.isIdentical(to: other.typeName)
            && one.label.isIdentical(to: other.label) && one.description.isIdentical(to: other.description)
            && one.isRequired == other.isRequired && one.values.areIdentical(to: other.values)
            && one.options == other.options && one.media == other.media && one.validation == other.validation
            && one.extensions == other.extensions
    }
}

extension FormField {
    /// Whether the field has that name, code point by code point.
    package func isNamed(_ name: String) -> Bool { self.name.isIdentical(to: name) }

    /// The field of a table, with missing properties taken from the table's header (language rule 5.5).
    package func completed(by header: FormField) -> FormField {
        var field = self
        field.typeName = typeName ?? header.typeName
        field.label = label ?? header.label
        field.description = description ?? header.description
        field.isRequired = isRequired || header.isRequired
        if options.isEmpty { field.options = header.options }
        field.media = media ?? header.media
        field.validation = validation ?? header.validation
        return field
    }
}

extension FormField {
    /// Whether a query describes both fields equally (language rule 5.5). It compares options by value and last label,
    /// in any order, and ignores properties that the language does not have.
    package func isDescribed(like other: FormField) -> Bool {
        var (one, two) = (self, other)
        two.media = one.media
        two.validation = one.validation
        two.extensions = one.extensions
        (one.options, two.options) = ([], [])
        return one == two && options.labels == other.options.labels
    }
}

extension [String] {
    /// Whether both hold the same strings, code point by code point.
    func areIdentical(to other: [String]) -> Bool { elementsEqual(other) { $0.isIdentical(to: $1) } }
}
