// Finds broken rules that only the XML of a form shows: repeated elements, and attributes that are not numbers.

import FormModel

extension DataForm {
    /// The faults of the form's XML. A form that was not read has none.
    var writtenFaults: [FormFault] {
        guard let element = writtenElement else { return [] }
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
        let tableParts = children(of: form).map { view[$0].key }.filter {
            $0 == FormNames.item || $0 == FormNames.reported
        }
        if tableParts.first == FormNames.item, tableParts.contains(FormNames.reported) {
            faults.append(FormFault(nil, .headerAfterItem))
        }
        for child in children(of: form) {
            switch view[child].key {
            case FormNames.field: faults += self.faults(ofField: child)
            case FormNames.item, FormNames.reported:
                for field in children(.field, of: child) { faults += self.faults(ofField: field) }
            case FormNames.page: layoutFaults(of: child, depth: 0, &faults)
            default: break
            }
        }
        return faults
    }

    private func faults(ofField field: NodeIndex) -> [FormFault] {
        var rules: [FormFault.Rule] = []
        for name in [FormName.desc, .validate, .media] where children(name, of: field).count > 1 {
            rules.append(.repeatedElement("\(name)"))
        }
        if children(.required, of: field).contains(where: { view[$0].firstChild != .none || view.hasText($0) }) {
            rules.append(.requiredWithContent)
        }
        for option in children(.option, of: field) {
            let count = children(.value, of: option).count
            if count != 1 { rules.append(.optionValues(count: count)) }
        }
        // Check the first one only, which is the one that counts.
        for validate in children(.validate, of: field).prefix(1) { rules += self.rules(forValidation: validate) }
        for media in children(.media, of: field).prefix(1) {
            for name in [FormName.height, .width] where view.size(name, of: media) == nil {
                guard let value = view.attributeString(name, of: media) else { continue }
                rules.append(.wrongMediaSize(attribute: "\(name)", value: value))
            }
        }
        return rules.map { FormFault(view.attributeString(.var, of: field), $0) }
    }

    private func rules(forValidation validate: NodeIndex) -> [FormFault.Rule] {
        var rules: [FormFault.Rule] = []
        let methods = [FormName.basic, .open, .range, .regex].map { (name: $0, nodes: children($0, of: validate)) }
        if methods.reduce(0, { $0 + $1.nodes.count }) > 1 { rules.append(.severalMethods) }
        for (name, nodes) in methods where nodes.contains(where: { hasExcess($0, as: name) }) {
            rules.append(.methodWithContent("\(name)"))
        }
        let ranges = children(.listRange, of: validate)
        if ranges.count > 1 { rules.append(.repeatedElement("list-range")) }
        if ranges.prefix(1).contains(where: { !isNumber(.min, of: $0) || !isNumber(.max, of: $0) }) {
            rules.append(.wrongListRange)
        }
        return rules
    }

    /// Whether the element of a method has content that XEP-0122 §3.2 forbids.
    private func hasExcess(_ node: NodeIndex, as method: FormName) -> Bool {
        let hasChildren = view[node].firstChild != .none
        let hasAttributes = view.attributeRecords(of: node).contains { view[$0.name].kind == .attribute }
        return switch method {
        case .range: hasChildren || view.hasText(node)
        case .regex: hasChildren || hasAttributes
        default: hasChildren || hasAttributes || view.hasText(node)
        }
    }

    private func layoutFaults(of parent: NodeIndex, depth: Int, _ faults: inout [FormFault]) {
        for child in children(of: parent) {
            switch view[child].key {
            case FormNames.fieldref where view.attributeString(.var, of: child) == nil:
                faults.append(FormFault(nil, .namelessReference))
            case FormNames.section where depth < FormSection.maximumDepth:
                layoutFaults(of: child, depth: depth + 1, &faults)
            case FormNames.section: faults.append(FormFault(nil, .deepSection))
            default: break
            }
        }
    }

    /// Whether an attribute is missing or a number.
    private func isNumber(_ attribute: FormName, of node: NodeIndex) -> Bool {
        view.attributeString(attribute, of: node) == nil || view.count(attribute, of: node) != nil
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
