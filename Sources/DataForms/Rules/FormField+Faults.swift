// Finds the rules that a field breaks by itself, independent of other fields.

import FormModel
import StanzaPatterns

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
