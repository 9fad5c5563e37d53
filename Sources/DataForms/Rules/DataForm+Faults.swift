// Finds the rules that a form breaks. DataForm+Problems.swift checks values, FormField+Faults.swift single fields.

import FormModel

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
