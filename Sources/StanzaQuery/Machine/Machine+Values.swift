// How the machine reads values and tests them. Loads return false when there is no value.

import DataForms
import XMLTree

/// A match that could not be decided (3.8).
struct RegexFault: Error {
    let pattern: PatternIndex
}

extension Machine {
    // MARK: Loads

    @inline(__always)
    mutating func load(_ reference: ByteReference?) -> Bool {
        guard let reference else { return false }
        value = view.string(reference)
        return true
    }

    mutating func load(nonEmpty bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        value = bytes
        return !bytes.isEmpty
    }

    /// An element's own text, if it is not empty (4.2).
    mutating func loadText(of element: NodeIndex) -> Bool {
        switch view.ownText(of: element) {
        case .none: return false
        case .single(let text): value = text
        case .several(let byteCount): value = joined.join(view, textOf: element, byteCount: byteCount)
        }
        return true
    }

    /// Finds an attribute by Clark notation, by its name as written, or by a prefix in scope (4.3).
    func resolve(_ index: AttributeIndex) -> ByteReference? {
        switch program.attributes[Int(index.rawValue)] {
        case .expanded(let name): return view.attribute(expanded: name, of: node)
        case .prefixed(let qualified, let prefix, let local):
            if let written = view.attribute(qualified: qualified, of: node) { return written }
            guard let namespace = view.namespaceKey(forPrefix: prefix, at: node, bindings: bindings) else {
                return nil
            }
            return view.attribute(expanded: namespace + local, of: node)
        }
    }

    // MARK: Tests

    @inline(__always)
    func attribute(_ name: NameKey, equals text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let reference = view.attribute(qualified: name, of: node) else { return false }
        return view.string(reference).equals(text)
    }

    func valueIsOneOf(_ index: StringListIndex) -> Bool {
        for string in program.stringLists[Int(index.rawValue)] where value.equals(program.string(string)) {
            return true
        }
        return false
    }

    func valueHasPrefix(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        value.count >= prefix.count && UnsafeBufferPointer(rebasing: value[..<prefix.count]).equals(prefix)
    }

    func valueHasSuffix(_ index: PatternIndex) throws(RegexFault) -> Bool {
        let suffix = try literal(index)
        return value.count >= suffix.count
            && UnsafeBufferPointer(rebasing: value[(value.count - suffix.count)...]).equals(suffix)
    }

    func valueContains(_ index: PatternIndex) throws(RegexFault) -> Bool {
        let part = try literal(index)
        guard value.count >= part.count else { return false }
        for start in 0...(value.count - part.count)
        where UnsafeBufferPointer(rebasing: value[start..<start + part.count]).equals(part) {
            return true
        }
        return false
    }

    func valueMatches(_ index: PatternIndex) throws(RegexFault) -> Bool {
        guard case .regex(let regex) = program.patterns[Int(index.rawValue)].work else {
            preconditionFailure("only regular expressions are matched")
        }
        switch regex.match(value) {
        case .match: return true
        case .noMatch: return false
        case .limit: throw RegexFault(pattern: index)
        }
    }

    /// A caseless literal pattern, made of the argument.
    func valueEqualsIgnoringCase(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let regex = try? Regex(text, syntax: .wholeLiteral, isCaseless: true) else { return value.equals(text) }
        return regex.match(value) == .match
    }

    /// The literal that does a pattern's work; on a value that an unanchored pattern is not tried on, its fault.
    private func literal(_ index: PatternIndex) throws(RegexFault) -> UnsafeBufferPointer<UInt8> {
        let pattern = program.patterns[Int(index.rawValue)]
        guard case .literal(let string) = pattern.work else {
            preconditionFailure("a regular expression is no literal")
        }
        if !pattern.isAnchored, value.count > RegexLimits.unanchoredValue { throw RegexFault(pattern: index) }
        return program.string(string)
    }

    // MARK: Forms

    /// The form at the top cursor, if it is one and has the FORM_TYPE, type and item that are asked for (5.2, 5.3).
    private func form(_ constant: FormConstant) -> FormReader? {
        guard let reader = FormReader(view, node) else { return nil }
        if let type = constant.type, !reader.hasType(program.string(type)) { return nil }
        if let formType = constant.formType, !reader.hasFormType(program.string(formType)) { return nil }
        if let item = constant.item, reader.item(at: item) == nil { return nil }
        return reader
    }

    func hasForm(_ index: FormIndex) -> Bool {
        form(program.forms[Int(index.rawValue)]) != nil
    }

    func fieldPlace(_ index: FormIndex) -> FormReader.FieldPlace? {
        let constant = program.forms[Int(index.rawValue)]
        guard let field = constant.field else { return nil }
        return form(constant)?.field(program.string(field), item: constant.item)
    }

    mutating func loadField(_ index: FormIndex) -> Bool {
        guard let place = fieldPlace(index), let reader = FormReader(view, node),
            let value = reader.firstValue(of: place.field)
        else { return false }
        return loadText(of: value)
    }
}
