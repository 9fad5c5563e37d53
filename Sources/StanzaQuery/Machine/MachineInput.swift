// The input of a machine, which it never changes: the program, the tree and the arguments, all borrowed. The machine's
// loop finds and tests values here, for all conditions but plain comparisons.
//
// Plain pointers without reference counts, so that the loop retains nothing. The caller keeps the query and the element
// alive during the evaluation: `Evaluation.run` and the sets extend their lifetimes, and the fast path has them as
// arguments. No other thread can release these references, so none of them dangles.

import FormModel
import QuerySyntax
import StanzaPatterns
import XMLTree

/// A program, a tree and arguments, borrowed for one evaluation.
struct MachineInput {
    let code: UnsafePointer<Step>
    let strings: UnsafePointer<UInt8>
    let view: TreeView
    private let unmanagedProgram: Unmanaged<Program>
    private let unmanagedBindings: Unmanaged<SharedNamespaceContext>?
    let arguments: ArgumentValues

    @inline(__always)
    init(
        _ program: Unmanaged<Program>, view: TreeView, bindings: Unmanaged<SharedNamespaceContext>?,
        arguments: ArgumentValues
    ) {
        (code, strings) = program._withUnsafeGuaranteedRef { ($0.code, $0.strings) }
        self.view = view
        unmanagedProgram = program
        unmanagedBindings = bindings
        self.arguments = arguments
    }

    /// The program, for steps that need more of it than code and strings.
    var program: Program { unmanagedProgram.takeUnretainedValue() }

    /// The namespace bindings around the tree, for prefixes.
    var bindings: SharedNamespaceContext? { unmanagedBindings?.takeUnretainedValue() }

    /// The text that a condition compares with.
    @inline(__always)
    func operand(of step: Step) -> UnsafeBufferPointer<UInt8> {
        if step.takesArgument { return arguments[Int(step.operand)] }
        return strings.string(at: ByteReference(rawValue: step.operand))
    }
}

/// One result of a program.
enum Hit {
    case element(NodeIndex)
    case attributes(NodeIndex)
    /// A text that the conversion, if there is one, takes.
    case string(UnsafeBufferPointer<UInt8>, Conversion?)
    /// The own text of an element, not joined yet, that the conversion, if there is one, takes.
    case text(NodeIndex, Conversion?)
    case form(NodeIndex)
    case field(FormReader.FieldPlace)
}

/// A match that could not be decided (3.8), and its step.
struct RegexFault: Error {
    let step: Int
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func hasPrefix(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        count >= prefix.count && UnsafeBufferPointer(rebasing: self[..<prefix.count]).equals(prefix)
    }

    fileprivate func hasSuffix(_ suffix: UnsafeBufferPointer<UInt8>) -> Bool {
        count >= suffix.count && UnsafeBufferPointer(rebasing: self[(count - suffix.count)...]).equals(suffix)
    }

    fileprivate func contains(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count >= part.count else { return false }
        for start in 0...(count - part.count)
        where UnsafeBufferPointer(rebasing: self[start..<start + part.count]).equals(part) {
            return true
        }
        return false
    }
}

extension MachineInput {
    // MARK: Attributes

    /// The namespace, or an attribute by Clark notation, by its name as written, or by a prefix in scope (4.3).
    @inline(never)
    func value(of step: Step, at node: NodeIndex, _ prefixes: inout PrefixMemo) -> UnsafeBufferPointer<UInt8>? {
        switch step.source {
        case .plain: return view.attribute(qualified: step.key, of: node).map { view.string($0) }
        case .expanded: return view.attribute(expanded: step.key, of: node).map { view.string($0) }
        case .namespace:
            let namespace = view.namespace(of: node)
            return namespace.isEmpty ? nil : namespace
        case .prefixed:
            let name = program.parts.constants.prefixed[Int(step.key.rawValue)]
            if let written = view.attribute(qualified: name.qualified, of: node) { return view.string(written) }
            // An attribute in a namespace has a prefix: without attributes no lookup is needed.
            guard view[node].attributeCount > 0,
                let namespace = prefixes.namespace(ofPrefix: name.prefix, at: node, in: view, bindings: bindings)
            else { return nil }
            return view.attribute(expanded: namespace + name.local, of: node).map { view.string($0) }
        }
    }

    // MARK: Conditions

    /// Whether a value meets a filter's condition.
    @inline(__always)
    func holds(_ step: Step, _ value: UnsafeBufferPointer<UInt8>, at address: Int) throws(RegexFault) -> Bool {
        if step.condition == .equals, !step.ignoresCase { return value.equals(operand(of: step)) }
        if step.condition == .exists { return true }
        return try meets(step, value, at: address)
    }

    @inline(never)
    private func meets(_ step: Step, _ value: UnsafeBufferPointer<UInt8>, at address: Int) throws(RegexFault) -> Bool {
        switch step.condition {
        case .exists: return true
        case .equals: return CaselessComparison.areEqual(value, operand(of: step))
        case .isOneOf:
            var texts = operand(of: step)
            guard let prefix = texts.removeString(), value.hasPrefix(prefix) else { return false }
            let rest = UnsafeBufferPointer(rebasing: value[prefix.count...])
            while let text = texts.removeString() { if rest.equals(text) { return true } }
            return false
        case .hasPrefix: return value.hasPrefix(operand(of: step))
        case .hasSuffix, .contains:
            // The limit of a pattern that is not anchored.
            if value.count > RegexLimits.unanchoredValue { throw RegexFault(step: address) }
            let part = operand(of: step)
            return step.condition == .contains ? value.contains(part) : value.hasSuffix(part)
        case .matches:
            switch program.pattern(of: step).regex.match(value) {
            case .match: return true
            case .noMatch: return false
            case .limit: throw RegexFault(step: address)
            }
        }
    }

    // MARK: Conversions

    /// A text as a result; `nil` if it does not convert.
    @inline(__always)
    func convertible(_ text: UnsafeBufferPointer<UInt8>, _ conversion: Conversion?) -> Hit? {
        if let conversion, !conversion.converts(text, isStrict: program.isStrict) { return nil }
        return .string(text, conversion)
    }

    func converts(_ text: UnsafeBufferPointer<UInt8>, _ conversion: Conversion) -> Bool {
        conversion.converts(text, isStrict: program.isStrict)
    }

    /// Only a conversion that may fail needs the own text of an element in one piece.
    @inline(never)
    func convertsText(of node: NodeIndex, _ conversion: Conversion) -> Bool {
        conversion.isTotal(isStrict: program.isStrict) || view.withText(of: node) { converts($0, conversion) }
    }

    // MARK: Forms

    /// Whether the element is a form with the requested FORM_TYPE, type and item (5.2, 5.3).
    @inline(never)
    func hasForm(_ step: Step, at node: NodeIndex) -> Bool { form(program.form(of: step), at: node) != nil }

    @inline(never)
    func fieldPlace(_ step: Step, at node: NodeIndex) -> FormReader.FieldPlace? {
        let constant = program.form(of: step)
        guard let reader = form(constant, at: node) else { return nil }
        return fieldPlace(constant, in: reader)
    }

    /// The first value of the requested field.
    @inline(never)
    func fieldValue(_ step: Step, at node: NodeIndex) -> NodeIndex? {
        let constant = program.form(of: step)
        guard let reader = form(constant, at: node), let place = fieldPlace(constant, in: reader) else { return nil }
        return reader.firstValue(of: place.field)
    }

    private func fieldPlace(_ constant: FormConstant, in reader: FormReader) -> FormReader.FieldPlace? {
        constant.field.flatMap { reader.field(strings.string(at: $0), item: constant.item) }
    }

    private func form(_ constant: FormConstant, at node: NodeIndex) -> FormReader? {
        guard let reader = FormReader(view, node) else { return nil }
        if let type = constant.type, !reader.hasType(strings.string(at: type)) { return nil }
        if let formType = constant.formType, !reader.hasFormType(strings.string(at: formType)) { return nil }
        if let item = constant.item, reader.item(at: item) == nil { return nil }
        return reader
    }
}
