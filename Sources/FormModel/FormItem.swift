// A row of a table (XEP-0004 §3.4).

public import XMLTree

/// An item of a form of type `result`: a row, whose columns the form's `reported` fields describe.
///
/// ```swift
/// let form = DataForm(.result, items: [["name": "Comune di Verona", "url": "http://www.comune.verona.it/"]])
/// let name = form.items[0]["name"]
/// ```
public struct FormItem: Sendable, Hashable {
    public var fields: [FormField]

    public init(fields: [FormField] = []) {
        self.fields = fields
    }

    /// An item with a field for each entry, without types: the header has them.
    public init(_ values: StringMap) {
        fields = values.map { FormField($0.key, values: [$0.value]) }
    }

    /// The first value of a field; `nil` when field or value is missing. Setting it leaves the field no other value,
    /// and adds the field where it is missing; setting `nil` removes the field. Complexity: O(number of fields).
    public subscript(name: String) -> String? {
        get { fields.field(name)?.value }
        set { fields.setValue(newValue, of: name) }
    }

    /// The first value of each field that has a name and a value.
    public var values: StringMap { fields.firstValues }
}

extension FormItem: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(StringMap(elements.map { (key: $0.0, value: $0.1) }))
    }
}

// Operations on the fields of forms and items.
extension [FormField] {
    package func field(_ name: String) -> FormField? { first { $0.isNamed(name) } }

    mutating func setValue(_ value: String?, of name: String) {
        guard let value else { return remove(name) }
        if let index = firstIndex(where: { $0.isNamed(name) }) {
            self[index].value = value
        } else {
            append(FormField(name, values: [value]))
        }
    }

    /// Puts a field in the place of the first of its name, or after the last. One without a name is always added.
    mutating func set(_ field: FormField) {
        if let name = field.name, let index = firstIndex(where: { $0.isNamed(name) }) {
            self[index] = field
        } else {
            append(field)
        }
    }

    /// Removes all fields of that name.
    mutating func remove(_ name: String) {
        removeAll { $0.isNamed(name) }
    }

    /// The first value of each field that has a name and a value; of fields with one name the first counts.
    var firstValues: StringMap {
        let entries = compactMap { field in field.name.flatMap { name in field.value.map { (key: name, value: $0) } } }
        return StringMap(StringMap(entries.reversed()).reversed())
    }

    /// The first field of each name.
    package var byName: [ExactString: FormField] {
        let named = compactMap { field in field.name.map { (ExactString($0), field) } }
        return Dictionary(named) { first, _ in first }
    }
}
