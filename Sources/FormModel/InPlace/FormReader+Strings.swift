// The results of FormReader.swift as strings.

import XMLTree

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
