// What FormReader.swift finds, as strings: shared by the views over frozen and editable trees.

import XMLTree

extension FormReader {
    package var type: String? {
        view.attribute(qualified: FormNames.type, of: form).map { String(decoding: view.string($0), as: UTF8.self) }
    }

    package var formType: String? { value(of: FormNames.formTypeField.description, item: nil) }

    package var itemCount: Int {
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
}
