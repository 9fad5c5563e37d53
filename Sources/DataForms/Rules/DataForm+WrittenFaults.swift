// Rules that a form breaks as it is written, and that a form as a value cannot: elements that stand too often, and
// attributes that are no numbers.

import XMLTree

extension DataForm {
    /// The faults of the element that the form was read from.
    func writtenFaults(of element: Element) -> [FormFault] {
        let form = WrittenForm(view: element.view)
        return withExtendedLifetime(element) { form.faults(ofForm: element.index) }
    }
}

private struct WrittenForm {
    let view: TreeView

    func faults(ofForm form: NodeIndex) -> [FormFault] {
        var faults: [FormFault] = []
        for name in [FormName.title, .reported] where children(name, of: form).count > 1 {
            faults.append(FormFault(nil, .repeatedElement("\(name)")))
        }
        for child in children(of: form) {
            switch view[child].key {
            case FormNames.field: faults += self.faults(ofField: child)
            case FormNames.item, FormNames.reported:
                for field in children(.field, of: child) { faults += self.faults(ofField: field) }
            default: break
            }
        }
        return faults
    }

    private func faults(ofField field: NodeIndex) -> [FormFault] {
        var rules: [FormFault.Rule] = []
        for option in children(.option, of: field) {
            let count = children(.value, of: option).count
            if count != 1 { rules.append(.optionValues(count: count)) }
        }
        for validate in children(.validate, of: field) {
            let methods = [FormName.basic, .open, .range, .regex].map { children($0, of: validate).count }
            if methods.reduce(0, +) > 1 { rules.append(.severalMethods) }
            let ranges = children(.listRange, of: validate)
            if ranges.contains(where: { !isNumber(.min, of: $0) || !isNumber(.max, of: $0) }) {
                rules.append(.wrongListRange)
            }
        }
        return rules.map { FormFault(view.attributeString(.var, of: field), $0) }
    }

    /// Whether an attribute is left out or a number.
    private func isNumber(_ attribute: FormName, of node: NodeIndex) -> Bool {
        view.attributeString(attribute, of: node).map { text in
            !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        } ?? true
    }

    private func children(of node: NodeIndex) -> [NodeIndex] {
        var children: [NodeIndex] = []
        var child = view[node].firstChild
        while child != .none {
            children.append(child)
            child = view[child].next
        }
        return children
    }

    private func children(_ name: FormName, of node: NodeIndex) -> [NodeIndex] {
        let key = FormNames.key(name)
        return children(of: node).filter { view[$0].key == key }
    }
}
