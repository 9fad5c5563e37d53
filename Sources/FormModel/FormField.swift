// A field as a plain value, independent of any tree, with its type and options (XEP-0004 §3.2, §3.3).

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

/// The type of a field.
public enum FieldType: String, Sendable, Hashable, CaseIterable {
    /// Yes or no: `true`, `1`, `false` or `0`.
    case boolean
    /// Text to read, such as a heading of the next fields. It is never submitted.
    case fixed
    /// Not shown, but sent back.
    case hidden
    /// Several addresses, each once.
    case jidMulti = "jid-multi"
    /// One address.
    case jidSingle = "jid-single"
    /// Any number of the options.
    case listMulti = "list-multi"
    /// One of the options.
    case listSingle = "list-single"
    /// Lines of text, each a value.
    case textMulti = "text-multi"
    /// A line of secret text, such as a password.
    case textPrivate = "text-private"
    /// A line of text. A missing or unknown type counts as this one.
    case textSingle = "text-single"

    /// Whether a field of this type may have more than one value (XEP-0004 §3.2).
    public var allowsSeveralValues: Bool {
        switch self {
        case .hidden, .jidMulti, .listMulti, .textMulti: true
        case .boolean, .fixed, .jidSingle, .listSingle, .textPrivate, .textSingle: false
        }
    }

    /// Whether values are chosen from options.
    public var isList: Bool { self == .listSingle || self == .listMulti }
}

/// One of the values that a field of type `list-single` or `list-multi` offers.
///
/// ```swift
/// let limit = FormField("maxsubs", .listSingle, options: ["10", "20", FieldOption("none", label: "No limit")])
/// ```
public struct FieldOption: Sendable, Hashable {
    public var value: String
    /// The text shown in place of the value.
    public var label: String?

    public init(_ value: String, label: String? = nil) {
        self.value = value
        self.label = label
    }

    /// Code points are compared, without canonical equivalence.
    public static func == (one: FieldOption, other: FieldOption) -> Bool {
        one.value.isIdentical(to: other.value) && one.label.isIdentical(to: other.label)
    }
}

extension FieldOption: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension [FieldOption] {
    /// Value → label. An option without label has its value as label; of two with one value the last label counts.
    public var labels: StringMap { StringMap(map { (key: $0.value, value: $0.label ?? $0.value) }) }
}

extension FormField {
    /// Reads a field; `nil` when the element is not a `{jabber:x:data}field`.
    public init?(_ element: some DataFormNode) {
        let place = element._formPlace
        defer { withExtendedLifetime(element) {} }
        guard place.view[place.node].key == FormNames.field else { return nil }
        self = place.readField(place.node)
    }
}

extension FormPlace {
    /// A field; an item's field takes missing properties from the table's header.
    package func field(_ place: FormReader.FieldPlace) -> FormField {
        let field = readField(place.field)
        return place.reported.map { field.completed(by: readField($0)) } ?? field
    }

    /// Reads a field. If a child element that may occur once is repeated, the first counts; an empty `<desc/>` counts
    /// as absent.
    func readField(_ node: NodeIndex) -> FormField {
        let view = view
        var field = FormField(view.attributeString(.var, of: node))
        field.typeName = view.attributeString(.type, of: node)
        field.label = view.attributeString(.label, of: node)
        var child = view[node].firstChild
        while child != .none {
            switch view[child].key {
            case FormNames.value: field.values.append(view.textString(of: child))
            case FormNames.option: view.option(child).map { field.options.append($0) }
            case FormNames.required: field.isRequired = true
            case FormNames.desc where field.description == nil && view.hasText(child):
                field.description = view.textString(of: child)
            case FormNames.validate where field.validation == nil: field.validation = FieldValidation(view, child)
            case FormNames.media where field.media == nil: field.media = FieldMedia(view, child)
            case FormNames.desc, FormNames.validate, FormNames.media: break
            default: field.extensions.append(frozenElement(at: child))
            }
            child = view[child].next
        }
        return field
    }
}

extension TreeView {
    /// An option without a `<value/>` is ignored; of several values the first counts.
    fileprivate func option(_ option: NodeIndex) -> FieldOption? {
        var child = self[option].firstChild
        while child != .none {
            if self[child].key == FormNames.value {
                return FieldOption(textString(of: child), label: attributeString(.label, of: option))
            }
            child = self[child].next
        }
        return nil
    }
}
