// Collects steps and constants during the compilation of a query.
//
// It knows the pieces of a syntax tree that become operands. Compiler.swift decides the order.

import QuerySyntax
import XMLTree

/// An unfinished program.
struct ProgramBuilder {
    private(set) var steps: [QueryStep] = []
    /// The names of the steps, each as two of `strings`. The first is empty.
    private(set) var names: [UInt8] = []
    /// Offset 0 is the empty string.
    private(set) var strings: [UInt8] = [0]
    private(set) var stringLists: [[StringIndex]] = []
    private(set) var patterns: [PatternConstant] = []
    private(set) var attributes: [ResolvedAttribute] = []
    private(set) var forms: [FormConstant] = []
    private(set) var valueSteps: [ValueStep] = []
    private(set) var valueCount = 0
    /// The places that need the values of slots.
    private(set) var slotUses: [SlotUse] = []
    /// The part of the query that the compiler is at.
    var range: SourceRange

    /// - Parameters:
    ///   - range: The whole query.
    ///   - steps: The expected number of steps.
    init(range: SourceRange, steps count: Int) {
        self.range = range
        steps.reserveCapacity(count)
        // Names rarely take more than their query, and the length of a second string each.
        names.reserveCapacity(range.count + count + 2)
        names.append(0)
        names.append(0)
    }

    // MARK: Steps

    mutating func add(_ action: QueryStep.Action, name: NameIndex = .none) {
        steps.append(QueryStep(action, name: name, range: range))
    }

    /// Adds a step that looks for a name and a namespace of which either may be a slot.
    mutating func add(_ kind: NamedTest, _ test: ElementTest) {
        if test.hasSlots {
            slotUses.append(.element(step: steps.count, test))
            add(.element(kind, test.key))
        } else {
            let local = if case .named(let local) = test.name { local } else { "" }
            if case .named(let uri) = test.namespace {
                add(.element(kind, test.key), name: name(in: uri, local))
            } else {
                add(.element(kind, test.key), name: name("", local))
            }
        }
    }

    /// Adds a step for a name with `!`.
    mutating func addExclusion(of name: ElementTest.NameTest) {
        switch name {
        case .not(let name): add(.isNotNamed(NameKey(.local, name)), name: self.name("", name))
        case .notSlot(let slot):
            slotUses.append(.element(step: steps.count, ElementTest(name: .slot(slot), namespace: .any)))
            add(.isNotNamed(.unbound))
        case .any, .named, .slot: break
        }
    }

    /// Adds a step that tests the value of an attribute.
    mutating func addFilter(_ test: Instruction, of attribute: AttributeName) {
        add(of: attribute) { .filter(test: test, of: $0) }
    }

    /// Adds a step that compares the value of an attribute, or the namespace, with a text.
    mutating func addEquality(_ attribute: AttributeName, _ text: some Collection<UInt8>) {
        // No element has the namespace "", and those without a namespace have no such attribute.
        if attribute.isNamespace, !text.isEmpty {
            let namespace = String(decoding: text, as: UTF8.self)
            add(.element(.ownNamespace, NameKey(.namespace, namespace)), name: name(in: namespace, ""))
        } else {
            addFilter(.equals(string(text)), of: attribute)
        }
    }

    /// Adds a step that reads an attribute for the result.
    mutating func addLoad(of attribute: AttributeName) { add(of: attribute) { .load($0) } }

    private mutating func add(of attribute: AttributeName, _ action: (AttributeSource) -> QueryStep.Action) {
        let source = AttributeSource(attribute, &attributes)
        switch attribute {
        case _ where attribute.isNamespace: add(action(source))
        case .qualified(let qualified):
            let name =
                if let (prefix, local) = qualified.splitAtColon { name(prefix, local) } else { name("", qualified) }
            add(action(source), name: name)
        case .expanded(let namespace, let local): add(action(source), name: name(in: namespace, local))
        case .slotted:
            slotUses.append(.attribute(step: steps.count, attribute))
            add(action(source))
        }
    }

    // MARK: Constants

    mutating func string(_ text: some Collection<UInt8>) -> StringIndex { Self.append(text, to: &strings) }

    /// Appends a text, preceded by its length, to a block of strings.
    static func append(_ text: some Collection<UInt8>, to strings: inout [UInt8]) -> StringIndex {
        if text.isEmpty { return .empty }
        let index = StringIndex(rawValue: UInt32(strings.count))
        begin(text.count, in: &strings)
        strings.append(contentsOf: text)
        return index
    }

    private static func begin(_ length: Int, in strings: inout [UInt8]) {
        let start = strings.count
        for _ in 0..<LengthPrefix.size(of: length) { strings.append(0) }
        strings.withUnsafeMutableBufferPointer { strings in
            if let base = strings.baseAddress { _ = LengthPrefix.write(length, to: base + start) }
        }
    }

    /// Adds a name of a step.
    private mutating func name(_ prefix: some StringProtocol, _ local: some StringProtocol) -> NameIndex {
        let index = NameIndex(rawValue: UInt32(names.count))
        Self.begin(prefix.utf8.count, in: &names)
        names.append(contentsOf: prefix.utf8)
        Self.begin(local.utf8.count, in: &names)
        names.append(contentsOf: local.utf8)
        return index
    }

    private mutating func name(in namespace: String, _ local: String) -> NameIndex {
        let index = NameIndex(rawValue: UInt32(names.count))
        Self.begin(namespace.utf8.count + 2, in: &names)
        names.append(UInt8(ascii: "{"))
        names.append(contentsOf: namespace.utf8)
        names.append(UInt8(ascii: "}"))
        Self.begin(local.utf8.count, in: &names)
        names.append(contentsOf: local.utf8)
        return index
    }

    mutating func string(_ text: String) -> StringIndex { string(text.utf8) }

    mutating func stringList(_ list: [StringIndex]) -> StringListIndex {
        stringLists.append(list)
        return StringListIndex(rawValue: UInt32(stringLists.count - 1))
    }

    mutating func pattern(_ pattern: PatternConstant) -> PatternIndex {
        patterns.append(pattern)
        return PatternIndex(rawValue: UInt32(patterns.count - 1))
    }

    /// - Parameter slot: The slot of the field's name.
    mutating func form(_ form: FormConstant, field slot: Slot? = nil) -> FormIndex {
        forms.append(form)
        let index = FormIndex(rawValue: UInt32(forms.count - 1))
        if let slot { slotUses.append(.field(index, slot)) }
        return index
    }

    /// Adds a value with specifiers or slots.
    mutating func value(_ parts: [ValuePart]) -> ArgumentIndex {
        for part in parts {
            switch part {
            case .text(let text): valueSteps.append(.text(string(text)))
            case .specifier(let specifier):
                valueSteps.append(specifier.isPlain ? .argument(specifier) : .formatted(specifier))
            case .slot(let slot):
                valueSteps.append(.argument(FormatSpecifier(.any, range: slot.range)))
                slotUses.append(.value(slot))
            }
        }
        valueSteps.append(.end)
        valueCount += 1
        return ArgumentIndex(rawValue: UInt32(valueCount - 1))
    }
}
