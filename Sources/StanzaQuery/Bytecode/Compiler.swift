// Turns a syntax tree into the steps and constants of a program.
//
// The compiler also reads a syntax tree with mistakes: it checks the patterns, so that the error reports the leftmost
// mistake of all. PatternReduction.swift and StanzaPatterns handle regular expressions.

import QuerySyntax
import StanzaPatterns
import XMLTree

/// Compiles one query.
struct Compiler {
    private let options: QueryOptions
    private let reader: NameReader
    private var parts = ProgramParts()
    private var diagnostics: [Diagnostic]
    /// The part of the query that the compiler is at, and the end of its name.
    private var place = Place(0..<0, nameEnd: 0)
    /// The place after the step that pushed the top cursor; 0 if only the context's is left.
    private var cursor: UInt32 = 0

    /// The parts of a query's program, with the places that need the values of slots before it runs; or all mistakes,
    /// the leftmost first.
    static func compile(
        _ query: ParsedQuery, options: QueryOptions
    ) throws(QueryError) -> (parts: ProgramParts, slots: [SlotUse]) {
        let (parts, diagnostics) = query.source.withBytes { text in
            var compiler = Compiler(query, text, options)
            compiler.compile(query.tree, length: text.count)
            return (compiler.parts, compiler.diagnostics)
        }
        guard diagnostics.isEmpty else {
            let sorted = diagnostics.stablySorted { $0.range.lowerBound < $1.range.lowerBound }
            throw QueryError(source: query.source, diagnostics: Array(sorted.prefix(QueryLimits.diagnostics)))
        }
        return (parts, parts.slotUses)
    }

    private init(_ query: ParsedQuery, _ text: UnsafeBufferPointer<UInt8>, _ options: QueryOptions) {
        self.options = options
        reader = NameReader(text: text)
        diagnostics = query.diagnostics
        // A node makes one step, or two for a name after a '!'. Few names are.
        parts.steps.reserveCapacity(query.tree.nodes.count + 1)
    }

    private mutating func add(_ step: Step) { parts.steps.append((step, place)) }

    // MARK: The path

    private mutating func compile(_ tree: QueryTree, length: Int) {
        for (index, node) in tree.nodes.enumerated() {
            switch node.content {
            case .ascend:
                place = Place(node.range, nameEnd: node.range.upperBound)
                ascend()
            case .elements(let test):
                let filter = index + 1 < tree.nodes.count ? tree.nodes[index + 1] : node
                let end = if case .filter = filter.content { filter.range.lowerBound } else { node.range.upperBound }
                place = Place(node.range.lowerBound..<end, nameEnd: end)
                compile(test, onContext: tree.isRooted && index == 0)
            case .filter(let filter):
                place = Place(node.range, nameEnd: filter.name.range.upperBound)
                compile(filter, at: index, of: tree)
            case .selfNode, .part, .extraction, .conversion: break
            }
        }
        guard let extraction = tree.extraction, let range = tree.extractionRange else {
            place = Place(0..<length, nameEnd: length)
            return add(.yield(.element))
        }
        let end = tree.conversionRange?.upperBound ?? range.upperBound
        place = Place(range.lowerBound..<end, nameEnd: range.upperBound)
        compile(extraction, as: tree.conversion)
    }

    private mutating func ascend() {
        if cursor == 0 {
            parts.machineStart = min(parts.machineStart, parts.steps.count)
            return add(.ascend)
        }
        // A step and its `..` belong to one machine: the step's other candidates are dropped with the cursor.
        let step = Int(cursor) - 1
        parts.machineStart = min(parts.machineStart, step)
        cursor = parts.steps[step].step.outer
        add(.leave(outer: cursor))
    }

    private mutating func compile(_ element: ElementTest, onContext: Bool) {
        let demandsName = if case .named = element.name { true } else { false }
        let test: Step.Test =
            switch (element.namespace, demandsName) {
            case (.named, true): .name
            case (.inherited, true): .inherited
            case (.any, true): .anywhere
            case (.named, false): .namespace
            case (.inherited, false): .inheritedNamespace
            case (.any, false): .any
            }
        if element.hasSlots { parts.slotUses.append(.element(step: parts.steps.count, element)) }
        let key = reader.key(of: element)
        if !onContext {
            add(.child(test, key, outer: cursor))
            cursor = UInt32(parts.steps.count)
        } else if test != .any {
            // Every context passes.
            add(.own(test, key))
        }
        guard case .not(let name) = element.name else { return }
        let excluded = ElementTest(name: .named(name), namespace: .any)
        if excluded.hasSlots { parts.slotUses.append(.element(step: parts.steps.count, excluded)) }
        add(.not(reader.key(of: excluded)))
    }

    // MARK: Filters

    /// Compiles a filter (3.7), the node at an index of the tree, to one step.
    private mutating func compile(_ filter: Filter, at index: Int, of tree: QueryTree) {
        let ignoresCase = options.contains(.caseInsensitiveFilters)
        let value = UnsafeBufferPointer(rebasing: reader.text[filter.value.range])
        switch filter.condition {
        case .equals where value.contains(UInt8(ascii: "%")):
            compileEquals(filter.attribute, Array(tree.value(in: filter.value).utf8))
        case .equals: compileEquals(filter.attribute, value)
        case .equalsParts:
            let number = parts.addValue(tree.parts(ofFilterAt: index), of: tree)
            add(.equals, of: filter.attribute, operand: number, ignoringCase: ignoresCase, takesArgument: true)
        case .matches: compileMatch(filter, value)
        }
    }

    private mutating func add(
        _ condition: Step.Condition, of name: AttributeName, operand: UInt32 = 0, ignoringCase: Bool = false,
        takesArgument: Bool = false
    ) {
        let (source, key) = source(of: name)
        add(
            .filter(
                condition, of: source, key, operand: operand, ignoringCase: ignoringCase, takesArgument: takesArgument))
    }

    private mutating func source(of name: AttributeName) -> (Step.Source, NameKey) {
        if name.hasSlots { parts.slotUses.append(.attribute(step: parts.steps.count, name)) }
        return parts.source(of: name, reader)
    }

    private mutating func compileEquals(_ name: AttributeName, _ text: some Collection<UInt8>) {
        if options.contains(.caseInsensitiveFilters) {
            add(.equals, of: name, operand: parts.string(text), ignoringCase: true)
            return
        }
        let (source, key) = source(of: name)
        // No element has the namespace "", and those without a namespace have no such attribute.
        if source == .namespace, !text.isEmpty {
            let key = text.withContiguousStorageIfAvailable { NameKey(.namespace, $0) }
            add(.own(.namespace, key ?? NameKey(.namespace, String(decoding: text, as: UTF8.self))))
        } else {
            add(.filter(.equals, of: source, key, operand: parts.string(text)))
        }
    }

    /// PCRE2 sees only patterns that are not reduced: those that are need no check.
    private mutating func compileMatch(_ filter: Filter, _ pattern: UnsafeBufferPointer<UInt8>) {
        // The compiler reports the leftmost mistakes: the parser's, and as many bad patterns. It need not find more.
        guard diagnostics.count < 2 * QueryLimits.diagnostics else { return }
        let isCaseless = options.contains(.caseInsensitiveFilters)
        if let reduction = PatternReduction(pattern), reduction == .anything || !isCaseless {
            return compile(reduction, of: filter.attribute)
        }
        do throws(Regex.CompileError) {
            let regex = try Regex(pattern, isCaseless: isCaseless)
            parts.constants.patterns.append(Pattern(regex: regex, text: String(decoding: pattern, as: UTF8.self)))
            add(.matches, of: filter.attribute, operand: UInt32(parts.constants.patterns.count - 1))
        } catch {
            let problem = Diagnostic.Problem.invalidRegex(message: error.message, offset: error.offset)
            diagnostics.append(Diagnostic(problem, at: filter.value.range))
        }
    }

    private mutating func compile(_ reduction: PatternReduction, of name: AttributeName) {
        switch reduction {
        case .anything: add(.exists, of: name)
        case .equals(let text): compileEquals(name, text)
        case .oneOf(let texts): add(.isOneOf, of: name, operand: parts.strings(texts))
        case .prefix(let text): add(.hasPrefix, of: name, operand: parts.string(text))
        case .suffix(let text): add(.hasSuffix, of: name, operand: parts.string(text))
        case .contains(let text): add(.contains, of: name, operand: parts.string(text))
        }
    }

    // MARK: Extractions

    private mutating func compile(_ extraction: Extraction, as conversion: Conversion?) {
        if let conversion, !conversion.isTotal(isStrict: options.contains(.strictConversions)) {
            // The element has no result if the value does not convert.
            parts.machineStart = min(parts.machineStart, parts.steps.count)
        }
        switch extraction {
        case .attribute(let name):
            let (source, key) = source(of: name)
            add(.yield(.attribute, as: conversion, of: source, key))
        case .text: add(.yield(.text, as: conversion))
        case .name: add(.yield(.name, as: conversion))
        case .attributes: add(.yield(.attributes))
        case .form(let form):
            let key = NameKey(rawValue: UInt64(parts.constants.forms.count))
            let result: Step.Result =
                switch form.access {
                case .none: .form
                case .value: .field
                case .description: .description
                }
            add(.yield(result, as: conversion, key))
            parts.add(form, reader)
        }
    }
}

extension ProgramParts {
    /// Adds a value with specifiers or slots; returns its number.
    fileprivate mutating func addValue(_ nodes: ArraySlice<QueryNode>, of tree: QueryTree) -> UInt32 {
        for node in nodes {
            guard case .part(let part) = node.content else { continue }
            switch part {
            case .text:
                let text = tree.value(in: TextRange(node.range))
                values.append(.text(ByteReference(rawValue: string(text.utf8))))
            case .specifier(let specifier):
                values.append(specifier.isPlain ? .argument(specifier) : .formatted(specifier))
            case .slot(let slot):
                values.append(.argument(FormatSpecifier(.any, range: node.range)))
                slotUses.append(.value(slot: slot))
            }
        }
        values.append(.end)
        valueCount += 1
        return UInt32(valueCount - 1)
    }

    fileprivate mutating func add(_ form: FormQuery, _ reader: NameReader) {
        func constant(_ name: NamePiece) -> ByteReference {
            if case .slot(let slot) = name { slotUses.append(.field(constants.forms.count, slot: slot)) }
            return reader.withBytes(of: name) { ByteReference(rawValue: string($0)) } ?? .empty
        }
        var new = FormConstant(item: form.index)
        new.formType = form.formType.map { constant(.text($0)) }
        new.type = form.type.map { constant(.text($0)) }
        switch form.access {
        case .none: break
        case .value(let field), .description(let field): new.field = constant(field)
        }
        constants.forms.append(new)
    }
}

extension AttributeName {
    /// Whether the name or the namespace is a slot.
    fileprivate var hasSlots: Bool { name.isSlot || namespace?.isSlot == true }
}
