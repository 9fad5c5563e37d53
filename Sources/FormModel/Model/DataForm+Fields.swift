// Fields by name: a form as a dictionary.
//
// A lookup without an index searches the form's own fields first and then, in a form with items, the first item. A
// lookup with an index searches only that item (language rules 5.2, 5.4). Names are compared code point by code point.

public import XMLTree

extension DataForm {
    /// A field, or `nil` when there is none of that name. One of an item is completed from the table's header.
    ///
    /// - Parameters:
    ///   - name: The field's `var`.
    ///   - item: The zero-based index of the item to look in.
    /// - Complexity: O(number of fields).
    public func field(_ name: String, inItem item: Int? = nil) -> FormField? {
        if item == nil, let own = fields.field(name) { return own }
        guard items.indices.contains(item ?? 0), let field = items[item ?? 0].fields.field(name) else { return nil }
        guard let header = reported?.field(name) else { return field }
        return field.completed(by: header)
    }

    /// The first value of a field; `nil` when field or value is missing.
    public func value(of name: String, inItem item: Int? = nil) -> String? { values(of: name, inItem: item).first }

    /// The values of a field; none when it is empty or missing.
    public func values(of name: String, inItem item: Int? = nil) -> [String] {
        field(name, inItem: item)?.values ?? []
    }

    /// The first value of a field, as for `value(of:)`. Setting it leaves the field no other value, and adds the field
    /// to the form where it is missing; setting `nil` removes the field.
    public subscript(name: String) -> String? {
        get { value(of: name) }
        set { edit(home(of: name)) { $0.setValue(newValue, of: name) } }
    }

    /// The item at an index; `nil` where there is none. Setting it replaces the item, or appends it when the index is
    /// the number of items; setting `nil` removes the item. Indexes of no item may come from anywhere: there, setting
    /// changes nothing.
    public subscript(index: Int) -> FormItem? {
        get { items.indices.contains(index) ? items[index] : nil }
        set {
            switch newValue {
            case let item? where index == items.count: items.append(item)
            case let item? where items.indices.contains(index): items[index] = item
            case nil where items.indices.contains(index): items.remove(at: index)
            default: break
            }
        }
    }

    /// Puts a field in the place of the one of its name, or after the others.
    public mutating func setField(_ field: FormField) {
        edit(home(of: field.name)) { $0.set(field) }
    }

    /// Puts a field of an item in the place of the one of its name, or after the others.
    ///
    /// - Throws: `NoSuchItem` when the form has no item at that index.
    public mutating func setField(_ field: FormField, inItem item: Int) throws(NoSuchItem) {
        edit(try place(of: item)) { $0.set(field) }
    }

    /// Gives a field values, and adds it where it is missing. Everything else that the field has stays, unless it is
    /// given.
    ///
    /// ```swift
    /// form.set("muc#roomconfig_whois", to: ["anyone"], type: .listSingle, options: ["anyone", "moderators"])
    /// ```
    public mutating func set(
        _ name: String, to values: [String], type: FieldType? = nil, options: [FieldOption]? = nil
    ) {
        set(name, to: values, type, options, in: home(of: name))
    }

    /// Gives a field of an item values, and adds it where it is missing. All other properties of the field stay, unless
    /// they are given.
    ///
    /// - Throws: `NoSuchItem` when the form has no item at that index.
    public mutating func set(
        _ name: String, to values: [String], type: FieldType? = nil, options: [FieldOption]? = nil, inItem item: Int
    ) throws(NoSuchItem) {
        set(name, to: values, type, options, in: try place(of: item))
    }

    private mutating func set(
        _ name: String, to values: [String], _ type: FieldType?, _ options: [FieldOption]?, in home: Home
    ) {
        edit(home) { fields in
            var field = fields.field(name) ?? FormField(name)
            field.values = values
            if let type { field.type = type }
            if let options { field.options = options }
            fields.set(field)
        }
    }

    /// Removes the fields of that name, and returns the first; `nil` when there is none, or no such item.
    @discardableResult
    public mutating func removeField(_ name: String, inItem item: Int? = nil) -> FormField? {
        if let item, !items.indices.contains(item) { return nil }
        return edit(item.map { .item($0) } ?? home(of: name)) { fields in
            defer { fields.remove(name) }
            return fields.field(name)
        }
    }

    // MARK: As a dictionary

    /// The names of the fields, in order: of the first item in a form with items, of the form itself in others.
    public var keys: [String] { leadingFields.compactMap(\.name) }

    /// The name and the first value of each field that has both, in the order of `keys`. `keys` also has the names of
    /// fields without value.
    public var values: StringMap { leadingFields.firstValues }

    /// The number of items in a form with items, of fields with a name in others.
    public var count: Int { items.isEmpty ? keys.count : items.count }

    /// The names of the fields that have a value among theirs.
    public func keys(for value: String) -> [String] {
        leadingFields.filter { $0.values.contains { $0.isIdentical(to: value) } }.compactMap(\.name)
    }

    /// Sets the value of each named field, and adds missing fields.
    public mutating func add(_ values: StringMap) {
        for (name, value) in values { self[name] = value }
    }

    /// Removes all fields of the form itself but `FORM_TYPE`, and adds these.
    public mutating func replaceFields(with values: StringMap) {
        fields.removeAll { !$0.isNamed(FormField.formTypeName) }
        add(values)
    }

    private var leadingFields: [FormField] { items.first?.fields ?? fields }

    // MARK: Where a field is

    /// The list that contains a field.
    private enum Home {
        case form
        case item(Int)
    }

    /// The place of the field with a name; the form itself if no field has the name.
    private func home(of name: String?) -> Home {
        guard let name, fields.field(name) == nil, items.first?.fields.field(name) != nil else { return .form }
        return .item(0)
    }

    /// The place of the fields of an item.
    private func place(of item: Int) throws(NoSuchItem) -> Home {
        guard items.indices.contains(item) else { throw NoSuchItem(index: item, count: items.count) }
        return .item(item)
    }

    private mutating func edit<Result>(_ home: Home, _ change: (inout [FormField]) -> Result) -> Result {
        switch home {
        case .form: change(&fields)
        case .item(let index): change(&items[index].fields)
        }
    }
}

/// The error of setting a field in an item that the form does not have.
public struct NoSuchItem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The given index, counted from 0.
    public let index: Int
    /// The number of items.
    public let count: Int

    public var description: String {
        "no item at index \(index): expected "
            + (count == 0 ? "none, because the form has no items" : "0 to \(count - 1)")
    }
}
