// Finds and tests values. The machine's loop calls these functions for all tests but plain comparisons.

import FormModel
import StanzaPatterns
import XMLTree

/// A match that could not be decided (3.8).
struct RegexFault: Error {
    let pattern: PatternIndex
}

extension UnsafeBufferPointer<UInt8> {
    func hasPrefix(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        count >= prefix.count && UnsafeBufferPointer(rebasing: self[..<prefix.count]).equals(prefix)
    }
}

extension MachineInput {
    // MARK: Attributes

    /// Finds an attribute by Clark notation, by its name as written, or by a prefix in scope (4.3).
    @inline(never)
    func resolve(_ index: AttributeIndex, at node: NodeIndex, _ prefixes: inout PrefixMemo) -> ByteReference? {
        switch program.attributes[Int(index.rawValue)] {
        case .expanded(let name): return view.attribute(expanded: name, of: node)
        case .prefixed(let qualified, let prefix, let local):
            if let written = view.attribute(qualified: qualified, of: node) { return written }
            // An attribute in a namespace has a prefix: without attributes no lookup is needed.
            guard view[node].attributeCount > 0,
                let namespace = prefixes.namespace(ofPrefix: prefix, at: node, in: view, bindings: bindings)
            else { return nil }
            return view.attribute(expanded: namespace + local, of: node)
        }
    }

    // MARK: Tests of values

    @inline(never)
    func isOneOf(_ value: UnsafeBufferPointer<UInt8>, _ index: StringListIndex) -> Bool {
        for candidate in program.stringLists[Int(index.rawValue)] where value.equals(string(candidate)) {
            return true
        }
        return false
    }

    @inline(never)
    func hasSuffix(_ value: UnsafeBufferPointer<UInt8>, _ index: PatternIndex) throws(RegexFault) -> Bool {
        let suffix = try literal(index, for: value)
        return value.count >= suffix.count
            && UnsafeBufferPointer(rebasing: value[(value.count - suffix.count)...]).equals(suffix)
    }

    @inline(never)
    func contains(_ value: UnsafeBufferPointer<UInt8>, _ index: PatternIndex) throws(RegexFault) -> Bool {
        let part = try literal(index, for: value)
        guard value.count >= part.count else { return false }
        for start in 0...(value.count - part.count)
        where UnsafeBufferPointer(rebasing: value[start..<start + part.count]).equals(part) {
            return true
        }
        return false
    }

    @inline(never)
    func matches(_ value: UnsafeBufferPointer<UInt8>, _ index: PatternIndex) throws(RegexFault) -> Bool {
        guard case .regex(let regex) = program.patterns[Int(index.rawValue)].work else {
            preconditionFailure("only regular expressions are matched")
        }
        switch regex.match(value) {
        case .match: return true
        case .noMatch: return false
        case .limit: throw RegexFault(pattern: index)
        }
    }

    /// The literal that replaces a pattern. A value that is too long for an unanchored pattern is a fault.
    private func literal(
        _ index: PatternIndex, for value: UnsafeBufferPointer<UInt8>
    ) throws(RegexFault) -> UnsafeBufferPointer<UInt8> {
        let pattern = program.patterns[Int(index.rawValue)]
        guard case .literal(let string) = pattern.work else {
            preconditionFailure("a regular expression is not a literal")
        }
        if !pattern.isAnchored, value.count > RegexLimits.unanchoredValue { throw RegexFault(pattern: index) }
        return self.string(string)
    }

    // MARK: Forms

    /// Whether the element is a form with the requested FORM_TYPE, type and item (5.2, 5.3).
    @inline(never)
    func hasForm(_ index: FormIndex, at node: NodeIndex) -> Bool {
        form(program.forms[Int(index.rawValue)], at: node) != nil
    }

    /// The requested field.
    @inline(never)
    func fieldPlace(_ index: FormIndex, at node: NodeIndex) -> FormReader.FieldPlace? {
        guard let reader = form(program.forms[Int(index.rawValue)], at: node) else { return nil }
        return fieldPlace(index, in: reader)
    }

    /// The first value of the requested field.
    @inline(never)
    func fieldValue(_ index: FormIndex, at node: NodeIndex) -> NodeIndex? {
        guard let reader = form(program.forms[Int(index.rawValue)], at: node) else { return nil }
        return fieldPlace(index, in: reader).flatMap { reader.firstValue(of: $0.field) }
    }

    private func fieldPlace(_ index: FormIndex, in reader: FormReader) -> FormReader.FieldPlace? {
        let constant = program.forms[Int(index.rawValue)]
        return constant.field.flatMap { reader.field(string($0), item: constant.item) }
    }

    private func form(_ constant: FormConstant, at node: NodeIndex) -> FormReader? {
        guard let reader = FormReader(view, node) else { return nil }
        if let type = constant.type, !reader.hasType(string(type)) { return nil }
        if let formType = constant.formType, !reader.hasFormType(string(formType)) { return nil }
        if let item = constant.item, reader.item(at: item) == nil { return nil }
        return reader
    }
}
