// Reads the contents of a form from its tree, without the library. The tests compare them with the contents that the
// library reads or writes.

import DataForms
import XMLTree

extension Element {
    fileprivate func all(_ name: String, _ namespace: String = "jabber:x:data") -> [Element] {
        children.filter { $0.name == name && $0.namespace == namespace }
    }
}

/// The contents of a form by XEP-0004.
struct FormReading: Equatable {
    struct Field: Equatable {
        var name, type, label, description: String?
        var isRequired: Bool
        var values: [String]
        /// Value and label.
        var options: [[String?]]
        /// Datatype, bounds and pattern of the validation (XEP-0122).
        var validation: [String?]?
    }

    var type, title: String?
    var instructions: [String]
    var fields: [Field]
    var header: [Field]?
    var items: [[Field]]
}

extension FormReading {
    init(_ element: Element) {
        type = element["type"]
        title = element.all("title").first.map { $0.text ?? "" }
        instructions = element.all("instructions").map { $0.text ?? "" }
        fields = element.all("field").map(Field.init)
        header = element.all("reported").first.map { $0.all("field").map(Field.init) }
        items = element.all("item").map { $0.all("field").map(Field.init) }
    }

    init(_ form: DataForm) {
        type = form.rawKind
        title = form.title
        instructions = form.instructions
        fields = form.fields.map(Field.init)
        header = form.reported.map { $0.map(Field.init) }
        items = form.items.map { $0.fields.map(Field.init) }
    }
}

extension FormReading.Field {
    init(_ element: Element) {
        (name, type, label) = (element["var"], element["type"], element["label"])
        // An empty description does not count.
        description = element.all("desc").compactMap(\.text).first
        isRequired = !element.all("required").isEmpty
        values = element.all("value").map { $0.text ?? "" }
        options = element.all("option").filter { !$0.all("value").isEmpty }.map {
            [$0.all("value")[0].text ?? "", $0["label"]]
        }
        let namespace = "http://jabber.org/protocol/xdata-validate"
        validation = element.all("validate", namespace).first.map { validate in
            // The first method counts.
            let methods = ["basic", "open", "range", "regex"]
            let method = validate.children.first { $0.namespace == namespace && methods.contains($0.name) }
            let range = method?.name == "range" ? method : nil
            let pattern = method?.name == "regex" ? method?.text ?? "" : nil
            return [validate["datatype"], range?["min"], range?["max"], pattern]
        }
    }

    init(_ field: FormField) {
        name = field.name
        type = field.typeName
        label = field.label
        description = field.description
        isRequired = field.isRequired
        values = field.values
        options = field.options.map { [$0.value, $0.label] }
        validation = field.validation.map { validation in
            switch validation.method {
            case .basic, .open: [validation.datatype, nil, nil, nil]
            case .range(let min, let max): [validation.datatype, min, max, nil]
            case .regex(let pattern): [validation.datatype, nil, nil, pattern]
            }
        }
    }
}
