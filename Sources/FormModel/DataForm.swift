// A form as a value: the app makes it, looks up its fields, and puts it into a stanza. DataFormElement.swift is a form
// in place, and the module DataForms writes forms.
//
// A lookup without an index searches the form's own fields first and then, in a form with items, the first item. A
// lookup with an index searches only that item (language rules 5.2, 5.4). Names are compared code point by code point.

public import XMLTree

/// A data form (XEP-0004): a value, changed freely and independent of any stanza.
///
/// ```swift
/// var form = DataForm(.submit, formType: "urn:xmpp:mam:2", ["with": "juliet@capulet.example"])
/// form["start"] = "2010-06-07T00:00:00Z"
/// let query = try MutableElement("query", namespace: "urn:xmpp:mam:2") { try form.element() }
/// ```
///
/// A form that was read from an element remembers it. Writing the form keeps the element's content without a property
/// here, down to white space. The form therefore holds the tree of that element, the whole stanza.
///
/// Equality compares the properties, code points without canonical equivalence; it does not compare remembered
/// elements.
public struct DataForm: Sendable, Hashable {
    /// The attribute `type` as written; `nil` when it is missing. ``kind`` is the typed value.
    public var rawKind: String?
    public var title: String?
    /// How to fill the form in; each is a line or a paragraph.
    public var instructions: [String]
    /// The layout of the fields, if one is given (XEP-0141).
    public var pages: [FormSection]
    /// The form's own fields, in order, `FORM_TYPE` among them. Items have their own fields.
    public var fields: [FormField]
    /// The header of the table of items: fields without values, one for each column. `nil` when there is none.
    public var reported: [FormField]?
    /// The rows of the table.
    public var items: [FormItem]
    /// Child elements that none of these specifications defines.
    public var extensions: [Element]
    /// The element that the form was read from.
    package var origin: Element?
    /// The element of the form that this one answers.
    package var answered: Element?

    /// The purpose of a form (XEP-0004 §3.1).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It is to be filled in.
        case form
        /// It was filled in.
        case submit
        /// It will not be filled in.
        case cancel
        /// It reports data.
        case result
    }

    /// Makes a form.
    ///
    /// - Parameters:
    ///   - kind: Its purpose.
    ///   - formType: The value of a field `FORM_TYPE`, which comes first and is hidden.
    ///   - title: The form's title.
    ///   - instructions: How to fill it in; each is a line or a paragraph.
    ///   - fields: The other fields.
    ///   - reported: The header of the table of items.
    ///   - items: The rows of the table.
    ///   - pages: The layout of the fields.
    public init(
        _ kind: Kind, formType: String? = nil, title: String? = nil, instructions: [String] = [],
        fields: [FormField] = [], reported: [FormField]? = nil, items: [FormItem] = [], pages: [FormSection] = []
    ) {
        rawKind = kind.rawValue
        self.title = title
        self.instructions = instructions
        self.pages = pages
        self.fields = fields
        self.reported = reported
        self.items = items
        extensions = []
        if let formType { self.fields.insert(.formType(formType), at: 0) }
    }

    /// Makes a form with a field for each entry, without types.
    ///
    /// ```swift
    /// let search = DataForm(.submit, formType: "jabber:iq:search", ["first": "Juliet", "last": "Capulet"])
    /// ```
    public init(_ kind: Kind, formType: String? = nil, _ values: StringMap) {
        self.init(kind, formType: formType, fields: values.map { FormField($0.key, values: [$0.value]) })
    }

    /// The purpose of the form; `nil` when its type is missing or not known.
    public var kind: Kind? {
        get { rawKind.flatMap { Kind(rawValue: $0) } }
        set { rawKind = newValue?.rawValue }
    }

    public static func == (one: DataForm, other: DataForm) -> Bool {
        one.rawKind.isIdentical(to: other.rawKind) && one.title.isIdentical(to: other.title)
            && one.instructions.areIdentical(to: other.instructions) && one.pages == other.pages
            && one.fields == other.fields && one.reported == other.reported && one.items == other.items
            && one.extensions == other.extensions
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawKind)
        hasher.combine(title)
        hasher.combine(fields)
        hasher.combine(items)
    }
}

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

    /// The item at an index; `nil` beyond the items. Setting it replaces the item, or appends it when the index is the
    /// number of items; setting `nil` removes the item. At any other index, setting changes nothing, because indexes
    /// may come from untrusted input.
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

    /// Replaces the field of this name, or appends the field.
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

extension FormField {
    /// The name of the field that defines the meaning of a form's fields.
    public static let formTypeName = "FORM_TYPE"

    /// The field `FORM_TYPE`, hidden.
    package static func formType(_ value: String) -> FormField { FormField(formTypeName, .hidden, values: [value]) }
}

extension DataForm {
    /// The meaning of the form's fields: the value of the field `FORM_TYPE` (XEP-0068), the form's own or, in a form
    /// with items, that of the first item.
    ///
    /// In a form to fill in, and in a result, a field of that name counts only if it is hidden. Elsewhere, its type may
    /// be omitted. Of several fields, and of several values, the first counts; `faults` reports them. Setting it
    /// changes this field or adds it in the first place; `nil` removes it.
    public var formType: String? {
        get { (formTypeField(among: fields) ?? items.first.flatMap { formTypeField(among: $0.fields) })?.value }
        set {
            guard let newValue else { return fields.remove(FormField.formTypeName) }
            if let index = fields.firstIndex(where: { $0.isNamed(FormField.formTypeName) }) {
                fields[index].values = [newValue]
                fields[index].type = .hidden
            } else {
                fields.insert(.formType(newValue), at: 0)
            }
        }
    }

    private func formTypeField(among fields: [FormField]) -> FormField? {
        fields.first { $0.isNamed(FormField.formTypeName) && ($0.type == .hidden || !demandsHiddenFormType) }
    }

    /// Whether a `FORM_TYPE` that is not hidden is ignored.
    package var demandsHiddenFormType: Bool { kind == .form || kind == .result }
}

extension DataForm {
    /// Reads a form; `nil` when the element is not a `{jabber:x:data}x`. If a child element that may occur once is
    /// repeated, the first counts. Linear in the form.
    public init?(_ element: some DataFormNode) {
        guard let form = DataFormElement(element) else { return nil }
        self.init(form)
    }

    /// Reads a form in a tree.
    public init(_ form: DataFormElement<some DataFormNode>) {
        let place = form.element._formPlace
        // A copy of an editable tree: later changes of the tree do not affect this form.
        let element = place.frozenElement(at: place.node)
        self.init(reading: element._formPlace)
        origin = element
    }

    /// Reads a form, and does not remember it.
    package init(reading place: FormPlace) {
        self.init(.form)
        let view = place.view
        rawKind = view.attributeString(.type, of: place.node)
        var child = view[place.node].firstChild
        while child != .none {
            switch view[child].key {
            case FormNames.title where title == nil: title = view.textString(of: child)
            case FormNames.instructions: instructions.append(view.textString(of: child))
            case FormNames.field: fields.append(place.readField(child))
            case FormNames.reported where reported == nil: reported = place.readFields(of: child)
            case FormNames.item: items.append(FormItem(fields: place.readFields(of: child)))
            case FormNames.page: pages.append(FormSection(view, child))
            case FormNames.title, FormNames.reported: break
            default: extensions.append(place.frozenElement(at: child))
            }
            child = view[child].next
        }
    }
}

extension FormPlace {
    /// The fields of the header, or of an item.
    fileprivate func readFields(of parent: NodeIndex) -> [FormField] {
        var fields: [FormField] = []
        var child = view[parent].firstChild
        while child != .none {
            if view[child].key == FormNames.field { fields.append(readField(child)) }
            child = view[child].next
        }
        return fields
    }
}
