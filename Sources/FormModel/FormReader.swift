// Finds the parts of a data form in a tree: fields, items, values (XEP-0004, language rules 5.2 to 5.5).
//
// It works on borrowed storage and allocates nothing, because the query machine uses it, too. Only its last part makes
// strings.

package import XMLTree

/// Read access to one `{jabber:x:data}x` element.
package struct FormReader {
    package let view: TreeView
    package let form: NodeIndex

    /// `nil` when the element is not a data form.
    package init?(_ view: TreeView, _ element: NodeIndex) {
        guard view[element].key == FormNames.form else { return nil }
        self.view = view
        form = element
    }

    /// Where a field is, and where its definition for a table is.
    package struct FieldPlace {
        package let field: NodeIndex
        /// The field of that name in `<reported/>`, for a field of an item.
        package let reported: NodeIndex?
    }

    /// Whether the form's `type` attribute is `type`.
    package func hasType(_ type: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let value = view.attribute(qualified: FormNames.type, of: form) else { return false }
        return view.string(value).equals(type)
    }

    /// Whether the first value of the form's `FORM_TYPE` field is `formType` (rule 5.2).
    package func hasFormType(_ formType: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = FormNames.formTypeField.buffer
        guard let place = field(name, item: nil), let value = firstValue(of: place.field) else { return false }
        return view.hasText(value, equalTo: formType)
    }

    /// The item at a zero-based index (rule 5.3).
    package func item(at index: Int) -> NodeIndex? {
        var remaining = index
        var child = nextChild(FormNames.item, from: view[form].firstChild)
        while let item = child {
            if remaining == 0 { return item }
            remaining -= 1
            child = nextChild(FormNames.item, from: view[item].next)
        }
        return nil
    }

    /// The field of that name: of the item at the index, or else of the form itself, or else of the first item.
    package func field(_ name: UnsafeBufferPointer<UInt8>, item index: Int?) -> FieldPlace? {
        if let index {
            guard let item = item(at: index) else { return nil }
            return field(name, ofItem: item)
        }
        if let field = field(name, in: form) { return FieldPlace(field: field, reported: nil) }
        guard let item = item(at: 0) else { return nil }
        return field(name, ofItem: item)
    }

    /// The first `<value/>` of a field.
    package func firstValue(of field: NodeIndex) -> NodeIndex? {
        nextChild(FormNames.value, from: view[field].firstChild)
    }

    /// The first child with that name at or after `start`.
    func nextChild(_ name: NameKey, from start: NodeIndex) -> NodeIndex? {
        var child = start
        while child != .none {
            if view[child].key == name { return child }
            child = view[child].next
        }
        return nil
    }

    private func field(_ name: UnsafeBufferPointer<UInt8>, ofItem item: NodeIndex) -> FieldPlace? {
        guard let field = field(name, in: item) else { return nil }
        let reported = nextChild(FormNames.reported, from: view[form].firstChild)
        return FieldPlace(field: field, reported: reported.flatMap { self.field(name, in: $0) })
    }

    private func field(_ name: UnsafeBufferPointer<UInt8>, in parent: NodeIndex) -> NodeIndex? {
        var child = nextChild(FormNames.field, from: view[parent].firstChild)
        while let field = child {
            if let value = view.attribute(qualified: FormNames.var, of: field), view.string(value).equals(name) {
                return field
            }
            child = nextChild(FormNames.field, from: view[field].next)
        }
        return nil
    }
}

extension FormReader {
    var type: String? { view.attributeString(.type, of: form) }

    var formType: String? { value(of: FormField.formTypeName, item: nil) }

    var itemCount: Int {
        var count = 0
        var child = nextChild(FormNames.item, from: view[form].firstChild)
        while let item = child {
            count += 1
            child = nextChild(FormNames.item, from: view[item].next)
        }
        return count
    }

    package func field(_ name: String, item: Int?) -> FieldPlace? {
        var name = name
        return name.withUTF8 { field($0, item: item) }
    }

    package func value(of name: String, item: Int?) -> String? {
        guard let place = field(name, item: item) else { return nil }
        return firstValue(of: place.field).map(view.textString)
    }

    package func values(of field: NodeIndex) -> [String] {
        var values: [String] = []
        var child = nextChild(FormNames.value, from: view[field].firstChild)
        while let value = child {
            values.append(view.textString(of: value))
            child = nextChild(FormNames.value, from: view[value].next)
        }
        return values
    }
}

extension TreeView {
    /// The value of an attribute without prefix.
    package func attributeString(_ name: FormName, of element: NodeIndex) -> String? {
        attribute(qualified: FormNames.key(name), of: element).map { String(decoding: string($0), as: UTF8.self) }
    }
}
