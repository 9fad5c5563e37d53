// Finds the rules that a form breaks: rules of the whole form, of single fields, and of its XML (repeated elements, and
// attributes that are not numbers). FormProblem.swift checks values.

import FormModel
import StanzaPatterns

extension DataForm {
    /// The rules of the specifications that the form breaks, in the order of the form. Empty for a correct form.
    ///
    /// This does not check whether the fields are registered, because services may define their own fields. The
    /// standard registry gives a type to fields without one. See `faults(registry:)`.
    public var faults: [FormFault] { faults(.standard) }

    /// Returns the rules of the specifications that the form breaks, in the order of the form, checked with a registry
    /// of FORM_TYPEs.
    ///
    /// In addition to `faults`, it reports fields that the registry does not have for the form's FORM_TYPE, if it knows
    /// that type. Names that mark themselves as unregistered are exempt (XEP-0068 §2): those in Clark notation,
    /// `{namespace}name`, and those with the older `x-`.
    ///
    /// The faults describe the form as it is now: a repaired fault disappears. Faults of the written form are repeated
    /// elements and attributes that are not numbers. Repair them by setting the property that they are part of, or by
    /// `forgetElement()`. Linear in the form.
    ///
    /// - Parameter registry: The types of fields for which the form gives none, and the fields of its FORM_TYPE.
    public func faults(registry: FormRegistry) -> [FormFault] {
        faults(registry) + registrationFaults(registry)
    }

    private func faults(_ registry: FormRegistry) -> [FormFault] {
        var faults: [FormFault] = []
        if kind == nil { faults.append(FormFault(nil, .unknownType(rawKind))) }
        if kind == .cancel, !fields.isEmpty { faults.append(FormFault(nil, .fieldsInCancel)) }
        if let kind, kind != .result, hasTable { faults.append(FormFault(nil, .tableOutsideResult(kind))) }
        faults += formTypeFaults
        let fieldType = fieldTypes(in: registry)
        faults += fieldFaults(of: fields, fieldType)
        faults += tableFaults(fieldType)
        faults += layoutFaults
        // Both report the bounds of the number of values, one their values and the other their spelling.
        let known = Set(faults)
        faults += writtenFaults.filter { !known.contains($0) }
        return faults
    }

    private var formTypeFaults: [FormFault] {
        let fields = fields.filter { $0.isNamed(FormField.formTypeName) }
        guard let first = fields.first else { return [] }
        var rules: [FormFault.Rule] = []
        if fields.count > 1 || first.values.count > 1 { rules.append(.severalFormTypes) }
        if first.values.isEmpty { rules.append(.formTypeWithoutValue) }
        if demandsHiddenFormType, first.type != .hidden { rules.append(.formTypeNotHidden) }
        return rules.map { FormFault(FormField.formTypeName, $0) }
    }

    /// Unregistered FORM_TYPEs may have any fields (XEP-0068 §3.4).
    private func registrationFaults(_ registry: FormRegistry) -> [FormFault] {
        guard let formType, registry.knows(formType) else { return [] }
        let fieldType = fieldTypes(in: registry)
        return (fields + (reported ?? [])).compactMap { field in
            guard let name = field.name, !field.isNamed(FormField.formTypeName), fieldType(field) != .fixed,
                !name.utf8.starts(with: "x-".utf8), !name.utf8.starts(with: "{".utf8),
                registry.type(of: name, in: formType) == nil
            else { return nil }
            return FormFault(name, .unregisteredField(formType: formType))
        }
    }

    private func fieldFaults(
        of fields: [FormField], _ fieldType: (FormField) -> FieldType
    ) -> [FormFault] {
        var faults: [FormFault] = []
        var seen: Set<ExactString> = []
        for field in fields {
            if let name = field.name {
                let isNew = seen.insert(ExactString(name)).inserted
                if !isNew, !field.isNamed(FormField.formTypeName) { faults.append(FormFault(name, .repeatedField)) }
            }
            faults += field.faults(as: fieldType(field))
        }
        return faults
    }

    private var hasTable: Bool { reported != nil || !items.isEmpty }

    private func tableFaults(_ fieldType: (FormField) -> FieldType) -> [FormFault] {
        var faults: [FormFault] = []
        // Report one field only: the faults of all would be the same.
        if hasTable, let field = fields.first(where: { !$0.isNamed(FormField.formTypeName) }) {
            faults.append(FormFault(field.name, .fieldBesideTable))
        }
        if let reported {
            faults += fieldFaults(of: reported, fieldType)
            faults += reported.filter { !$0.values.isEmpty }.map { FormFault($0.name, .valueInHeader) }
            if reported.isEmpty { faults.append(FormFault(nil, .emptyHeader)) }
        } else if !items.isEmpty {
            faults.append(FormFault(nil, .itemsWithoutHeader))
        }
        let columns = (reported ?? []).compactMap(\.name)
        let known = Set(columns.map(ExactString.init))
        for (index, item) in items.enumerated() {
            faults += fieldFaults(of: item.fields, fieldType)
            guard reported != nil else { continue }
            let names = item.fields.compactMap(\.name)
            let present = Set(names.map(ExactString.init))
            // Report the first missing column only: all of them could be columns times items.
            if let column = columns.first(where: { !present.contains(ExactString($0)) }) {
                faults.append(FormFault(column, .incompleteItem(index)))
            }
            for name in names where !known.contains(ExactString(name)) && name != FormField.formTypeName {
                faults.append(FormFault(name, .unknownColumn(item: index)))
            }
        }
        return faults
    }

    private var layoutFaults: [FormFault] {
        var faults: [FormFault] = []
        var seen: Set<ExactString?> = []
        let known = Set(fields.compactMap(\.name).map(ExactString.init))
        func visit(_ parts: [LayoutPart]) {
            for part in parts {
                switch part {
                case .text: break
                case .field(let name):
                    if !known.contains(ExactString(name)) { faults.append(FormFault(name, .danglingReference)) }
                    if !seen.insert(ExactString(name)).inserted { faults.append(FormFault(name, .repeatedReference)) }
                // Ignore references to a missing table (XEP-0141 §3.3).
                case .table: if !seen.insert(nil).inserted { faults.append(FormFault(nil, .repeatedReference)) }
                case .section(let section):
                    if !section.hasReference { faults.append(FormFault(nil, .emptySection(label: section.label))) }
                    visit(section.parts)
                }
            }
        }
        for page in pages { visit(page.parts) }
        return faults
    }
}

extension FormSection {
    /// Whether the section or one of its sections refers to a field or the table.
    fileprivate var hasReference: Bool {
        parts.contains { part in
            switch part {
            case .text: false
            case .field, .table: true
            case .section(let section): section.hasReference
            }
        }
    }
}

extension FormField {
    /// Returns the rules that the field breaks.
    ///
    /// - Parameter type: The effective type of the field.
    func faults(as type: FieldType) -> [FormFault] {
        var rules: [FormFault.Rule] = []
        if name == nil, type != .fixed { rules.append(.nameless) }
        if let typeName, FieldType(rawValue: typeName) == nil { rules.append(.unknownFieldType(typeName)) }
        // A field without a type in its XML may have any number of values.
        if self.type != nil, !type.allowsSeveralValues, values.count > 1 { rules.append(.severalValues(type)) }
        if type == .boolean {
            rules += values.filter { Bool(exactFieldValue: $0) == nil }.map { .wrongBoolean($0) }
        }
        if !type.isList, !options.isEmpty { rules.append(.unexpectedOptions(type)) }
        rules += repeatedOptions.map { .repeatedOption($0) }
        if let validation { rules += validation.rules(for: type, optionCount: optionCount(as: type)) }
        if let media, media.uris.isEmpty { rules.append(.mediaWithoutAddress) }
        for (attribute, size) in [("height", media?.height), ("width", media?.width)] {
            guard let size, !(0...FieldMedia.maximumSize).contains(size) else { continue }
            rules.append(.wrongMediaSize(attribute: attribute, value: "\(size)"))
        }
        for uri in media?.uris ?? [] {
            guard let type = uri.type else {
                rules.append(.mediaWithoutType)
                continue
            }
            if !MediaURI.isMIMEType(type) { rules.append(.wrongMediaType(type)) }
        }
        return rules.map { FormFault(name, $0) }
    }

    /// The number of values that the field offers; `nil` if it accepts others as well.
    func optionCount(as type: FieldType) -> Int? {
        guard type.isList, !options.isEmpty, validation?.method ?? .basic == .basic else { return nil }
        return Set(options.map { ExactString($0.value) }).count
    }

    private var repeatedOptions: [FieldOption] {
        var values: Set<ExactString> = []
        var labels: Set<ExactString> = []
        return options.filter { option in
            let isNewValue = values.insert(ExactString(option.value)).inserted
            let isNewLabel = option.label.map { labels.insert(ExactString($0)).inserted } ?? true
            return !isNewValue || !isNewLabel
        }
    }
}

extension FieldValidation {
    fileprivate func rules(for type: FieldType, optionCount: Int?) -> [FormFault.Rule] {
        var rules: [FormFault.Rule] = []
        if let name = datatype, !Datatype.isAllowed(name) { rules.append(.wrongDatatype(name)) }
        if !method.isSuited(to: type) { rules.append(.unsuitedMethod("\(method.name)", type)) }
        let isForeign = datatype.map(Datatype.isForeign) ?? false
        let datatype = Datatype(named: datatype)
        switch method {
        case .basic, .open: break
        // A foreign datatype defines the order of its own values, so its range is not checked.
        case .range where isForeign: break
        case .range(let min, let max):
            if !datatype.isOrdered {
                rules.append(.unorderedRange(datatype: datatype.name))
            } else if bounds(of: datatype) == nil {
                rules.append(.wrongBounds(min: min, max: max))
            }
        case .regex(let pattern):
            do throws(PosixExpression.Fault) {
                _ = try Regex.validating(pattern)
            } catch {
                rules.append(.wrongPattern(pattern, message: error.message))
            }
        }
        if let listRange {
            if type != .listMulti {
                rules.append(.unexpectedListRange(type))
            } else if listRange.possible(among: nil) != listRange {
                rules.append(.wrongListRange)
            }
            if let optionCount, let min = listRange.min, listRange.max ?? min >= min, min > optionCount {
                rules.append(.unreachableMinimum(min, options: optionCount))
            }
        }
        return rules
    }
}

extension FieldValidation.Method {
    /// Whether a type of field may have the method (XEP-0122 §4.6). The table forbids only the types that it names.
    fileprivate func isSuited(to type: FieldType) -> Bool {
        switch self {
        case .basic: ![.hidden, .jidMulti, .jidSingle].contains(type)
        case .open: type != .hidden
        case .range, .regex: ![.hidden, .jidMulti, .listMulti, .textMulti].contains(type)
        }
    }
}

extension FieldValidation.ListRange {
    /// Returns the bounds without impossible ones. Bounds are impossible if they are not positive, the wrong way round,
    /// or if the minimum exceeds the number of options.
    ///
    /// - Parameter optionCount: The number of values that a list offers; `nil` if it accepts others as well.
    func possible(among optionCount: Int?) -> Self {
        let min = min.flatMap { $0 > 0 ? $0 : nil }
        let max = max.flatMap { $0 > 0 ? $0 : nil }
        if let min, let max, min > max { return Self() }
        return Self(min: min.flatMap { $0 <= optionCount ?? $0 ? $0 : nil }, max: max)
    }
}

extension MediaURI {
    /// Whether a text begins with a type, a slash and a subtype (RFC 2045 §5.1). Parameters may follow.
    fileprivate static func isMIMEType(_ text: String) -> Bool {
        let type = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        let parts = String(Substring(type)).trimmingXMLSpace.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { (0x21..<0x7F).contains($0) && !"()<>@,:\\\"[]?=".utf8.contains($0) }
            }
    }
}

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
