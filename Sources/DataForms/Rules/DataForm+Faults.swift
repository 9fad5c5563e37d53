// Looks a form over for rules that it breaks. Values are DataForm+Problems.swift's business.

import StanzaPatterns
import XMLTree

extension DataForm {
    /// The rules of the specifications that the form breaks, in the order of the form. Empty for a good form.
    ///
    /// Linear in the form.
    public var faults: [FormFault] {
        var faults: [FormFault] = []
        if type == nil { faults.append(FormFault(nil, .unknownType(typeName))) }
        if type == .cancel, !fields.isEmpty { faults.append(FormFault(nil, .fieldsInCancel)) }
        faults += formTypeFaults
        let fieldType = fieldTypes()
        faults += fieldFaults(of: fields, fieldType)
        faults += tableFaults(fieldType)
        faults += layoutFaults
        if let origin { faults += writtenFaults(of: origin) }
        return faults
    }

    private var formTypeFaults: [FormFault] {
        let fields = fields.filter { $0.isNamed(FormField.formTypeName) }
        var faults: [FormFault] = []
        if fields.count > 1 || fields.first.map({ $0.values.count > 1 }) == true {
            faults.append(FormFault(FormField.formTypeName, .severalFormTypes))
        }
        if demandsHiddenFormType, let first = fields.first, first.type != .hidden {
            faults.append(FormFault(FormField.formTypeName, .formTypeNotHidden))
        }
        return faults
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

    private func tableFaults(_ fieldType: (FormField) -> FieldType) -> [FormFault] {
        var faults: [FormFault] = []
        if let reported { faults += fieldFaults(of: reported, fieldType) }
        let columns = (reported ?? []).compactMap(\.name)
        let known = Set(columns.map(ExactString.init))
        for (index, item) in items.enumerated() {
            faults += fieldFaults(of: item.fields, fieldType)
            guard reported != nil else { continue }
            let names = item.fields.compactMap(\.name)
            let present = Set(names.map(ExactString.init))
            // The first that is missing: all of them would be columns times items.
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
                // A table that there is not is passed over (XEP-0141 §3.3).
                case .table: if !seen.insert(nil).inserted { faults.append(FormFault(nil, .repeatedReference)) }
                case .section(let section): visit(section.parts)
                }
            }
        }
        for page in pages { visit(page.parts) }
        return faults
    }
}

extension FormField {
    /// - Parameter type: What the field is taken for.
    fileprivate func faults(as type: FieldType) -> [FormFault] {
        var rules: [FormFault.Rule] = []
        if name == nil, type != .fixed { rules.append(.nameless) }
        if let typeName, FieldType(rawValue: typeName) == nil { rules.append(.unknownFieldType(typeName)) }
        // Of a type that is not written, nobody knows how many values it has.
        if self.type != nil, !type.allowsSeveralValues, values.count > 1 { rules.append(.severalValues(type)) }
        if !type.isList, !options.isEmpty { rules.append(.unexpectedOptions(type)) }
        rules += repeatedOptions.map { .repeatedOption($0) }
        if let validation { rules += validation.rules(for: type) }
        if let media, media.uris.contains(where: { $0.type == nil }) { rules.append(.mediaWithoutType) }
        return rules.map { FormFault(name, $0) }
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
    fileprivate func rules(for type: FieldType) -> [FormFault.Rule] {
        var rules: [FormFault.Rule] = []
        let datatype = Datatype(named: datatype)
        switch method {
        case .basic, .open: break
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
            if type != .listMulti { rules.append(.unexpectedListRange(type)) }
            if !listRange.isValid { rules.append(.wrongListRange) }
        }
        return rules
    }
}

extension FieldValidation.ListRange {
    /// Whether the bounds are positive, and not the wrong way round.
    fileprivate var isValid: Bool {
        [min, max].allSatisfy { $0.map { $0 > 0 } ?? true } && (min ?? 1) <= (max ?? .max)
    }
}
