// The description of a field: what `&field` gives (language rule 5.5).
//
// A plain value with no tie to the tree. Read from a FormReader.swift place.

public import XMLTree

/// A field of a data form as plain values (XEP-0004 §3.2).
public struct FormField: Sendable, Equatable {
    /// The field's name, its `var`.
    public var name: String
    /// The field's type as written; `nil` when neither the field nor the table's header names one.
    public var type: String?
    /// The first value; `nil` when there is no `<value/>` at all, empty for one without text.
    public var value: String? { allValues.first }
    /// All values, in order.
    public var allValues: [String]
    /// The options: value → label. An option without label has its value as label.
    public var options: StringMap
    public var label: String?
    /// The text of `<desc/>`; an empty one is none.
    public var description: String?
    public var isRequired: Bool

    public init(
        name: String, type: String? = nil, allValues: [String] = [], options: StringMap = [:], label: String? = nil,
        description: String? = nil, isRequired: Bool = false
    ) {
        self.name = name
        self.type = type
        self.allValues = allValues
        self.options = options
        self.label = label
        self.description = description
        self.isRequired = isRequired
    }

    public static func == (left: FormField, right: FormField) -> Bool {
        left.name.isExactly(right.name) && left.type.isExactly(right.type)
            && left.allValues.elementsEqual(right.allValues) { $0.isExactly($1) }
            && left.options == right.options && left.label.isExactly(right.label)
            && left.description.isExactly(right.description) && left.isRequired == right.isRequired
    }
}

extension FormReader {
    /// Describes a field; what a table's field lacks comes from its header.
    package func description(of place: FieldPlace) -> FormField {
        var field = describe(place.field)
        guard let reported = place.reported.map(describe) else { return field }
        field.type = field.type ?? reported.type
        field.label = field.label ?? reported.label
        field.description = field.description ?? reported.description
        field.isRequired = field.isRequired || reported.isRequired
        if field.options.isEmpty { field.options = reported.options }
        return field
    }

    private func describe(_ field: NodeIndex) -> FormField {
        let name = attribute(FormNames.var, of: field) ?? ""
        var result = FormField(name: name, type: attribute(FormNames.type, of: field))
        result.label = attribute(FormNames.label, of: field)
        var options: [StringMap.Entry] = []
        var child = view[field].firstChild
        while child != .none {
            switch view[child].key {
            case FormNames.value: result.allValues.append(view.textString(of: child))
            case FormNames.option: option(child).map { options.append($0) }
            case FormNames.required: result.isRequired = true
            case FormNames.description where result.description == nil && view.hasText(child):
                result.description = view.textString(of: child)
            default: break
            }
            child = view[child].next
        }
        result.options = StringMap(options)
        return result
    }

    /// An option without a `<value/>` is none.
    private func option(_ option: NodeIndex) -> StringMap.Entry? {
        guard let value = firstValue(of: option) else { return nil }
        let text = view.textString(of: value)
        return (text, attribute(FormNames.label, of: option) ?? text)
    }

    private func attribute(_ name: NameKey, of element: NodeIndex) -> String? {
        view.attribute(qualified: name, of: element).map { String(decoding: view.string($0), as: UTF8.self) }
    }
}

extension String {
    /// Equality of code points, without canonical equivalence.
    fileprivate func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String? {
    fileprivate func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (let left?, let right?): left.isExactly(right)
        case (nil, nil): true
        default: false
        }
    }
}
