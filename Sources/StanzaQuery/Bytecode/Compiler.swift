// Turns a syntax tree into the steps and constants of a program.
//
// The compiler also reads a syntax tree with mistakes: it checks the patterns, so that the error reports the leftmost
// mistake of all. PatternReduction.swift and StanzaPatterns handle regular expressions.

import QuerySyntax
import StanzaPatterns
import XMLTree

/// Compiles one query.
struct Compiler: ~Copyable {
    private let options: QueryOptions
    private let reader: NameReader
    private var parts: ProgramParts
    /// The places that need the values of slots.
    private var slotUses: [SlotUse] = []
    private var diagnostics: [Diagnostic] = []
    /// The part of the query that the compiler is at, and the end of its name.
    private var place = Place(0..<0, nameEnd: 0)
    /// The place after the step that pushed the top cursor; 0 if only the context's is left.
    private var cursor: UInt32 = 0

    /// The program of a query, with the places that need the values of slots before it runs; or all mistakes, the
    /// leftmost first.
    ///
    /// - Parameter hasSlotsOnly: Whether specifiers are mistakes.
    static func compile(
        _ source: String, slots: [SourceRange] = [], _ options: QueryOptions, hasSlotsOnly: Bool = false
    ) throws(QueryError) -> (program: Program, slotUses: [SlotUse]) {
        var (program, slotUses, diagnostics): (Program?, [SlotUse]?, [Diagnostic]?) = (nil, nil, nil)
        Parser.read(source, slots: slots, hasSlotsOnly: hasSlotsOnly) { parser in
            var compiler = Compiler(ProgramSize(of: parser.nodes), parser.text, options)
            compiler.compile(parser.nodes.all, isRooted: parser.isRooted)
            if compiler.diagnostics.isEmpty, parser.diagnostics.isEmpty {
                if !compiler.slotUses.isEmpty { slotUses = compiler.slotUses }
                if !slots.isEmpty { compiler.parts.slots = (slots, []) }
                program = Program(compiler.parts, source: source, options: options)
            } else {
                diagnostics = parser.diagnostics + compiler.diagnostics
            }
        }
        if let program { return (program, slotUses ?? []) }
        let sorted = (diagnostics ?? []).stablySorted { $0.range.lowerBound < $1.range.lowerBound }
        throw QueryError(source: source, diagnostics: Array(sorted.prefix(QueryLimits.diagnostics)))
    }

    private init(_ room: ProgramSize, _ text: UnsafeBufferPointer<UInt8>, _ options: QueryOptions) {
        self.options = options
        reader = NameReader(text: text)
        parts = ProgramParts(room: room)
    }

    private mutating func add(_ step: Step) { parts.add(step, at: place) }

    // MARK: The path

    private mutating func compile(_ nodes: UnsafeBufferPointer<QueryNode>, isRooted: Bool) {
        for index in nodes.indices {
            let range = nodes[index].range
            switch nodes[index].content {
            case .ascend:
                place = Place(range, nameEnd: range.upperBound)
                ascend()
            case .elements(let test):
                var end = range.upperBound
                if index + 1 < nodes.count, case .filter = nodes[index + 1].content {
                    end = nodes[index + 1].range.lowerBound
                }
                place = Place(range.lowerBound..<end, nameEnd: end)
                compile(test, onContext: isRooted && index == 0)
            case .filter(let filter):
                place = Place(range, nameEnd: filter.name.range.upperBound)
                compile(filter, nodes[(index + 1)...])
            case .extraction(let extraction):
                var conversion: Conversion?
                if let last = nodes.last, case .conversion(let known) = last.content { conversion = known }
                let end = nodes[nodes.count - 1].range.upperBound
                place = Place(range.lowerBound..<end, nameEnd: range.upperBound)
                return compile(extraction, as: conversion)
            case .selfNode, .part, .conversion: break
            }
        }
        place = Place(reader.text.indices, nameEnd: reader.text.count)
        add(.yield(.element))
    }

    private mutating func ascend() {
        if cursor == 0 {
            parts.machineStart = min(parts.machineStart, parts.size.steps)
            return add(.ascend)
        }
        // A step and its `..` belong to one machine: the step's other candidates are dropped with the cursor.
        let step = Int(cursor) - 1
        parts.machineStart = min(parts.machineStart, step)
        cursor = parts.steps[step].outer
        add(.leave(outer: cursor))
    }

    @inline(__always)
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
        if element.hasSlots { slotUses.append(.element(step: parts.size.steps, element)) }
        let key = reader.key(of: element)
        if !onContext {
            add(.child(test, key, outer: cursor))
            cursor = UInt32(parts.size.steps)
        } else if test != .any {
            // Every context passes.
            add(.own(test, key))
        }
        guard case .not(let name) = element.name else { return }
        let excluded = ElementTest(name: .named(name), namespace: .any)
        if excluded.hasSlots { slotUses.append(.element(step: parts.size.steps, excluded)) }
        add(.not(reader.key(of: excluded)))
    }

    // MARK: Filters

    /// Compiles a filter (3.7), which pieces of its value may follow, to one step.
    private mutating func compile(_ filter: Filter, _ rest: Slice<UnsafeBufferPointer<QueryNode>>) {
        switch filter.condition {
        case .equals: compileEquals(filter.attribute, reader.value(in: filter.value.range))
        case .equalsParts:
            let number = UInt32(parts.valueCount)
            for node in rest {
                guard case .part(let part) = node.content else { break }
                add(part, node.range)
            }
            parts.add(.end)
            add(
                .equals, of: filter.attribute, operand: number,
                ignoringCase: options.contains(.caseInsensitiveFilters), takesArgument: true)
        case .matches: compileMatch(filter, UnsafeBufferPointer(rebasing: reader.text[filter.value.range]))
        }
    }

    /// Adds a piece of a value with specifiers or slots.
    private mutating func add(_ part: ValuePart, _ range: SourceRange) {
        switch part {
        case .text: parts.add(.text(ByteReference(rawValue: parts.string(reader.value(in: range)))))
        case .specifier(let specifier): parts.add(specifier.isPlain ? .argument(specifier) : .formatted(specifier))
        case .slot(let slot):
            parts.add(.argument(FormatSpecifier(.any, range: range)))
            slotUses.append(.value(slot: slot))
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
        if name.hasSlots { slotUses.append(.attribute(step: parts.size.steps, name)) }
        return parts.source(of: name, reader)
    }

    private mutating func compileEquals(_ name: AttributeName, _ text: Unescaped) {
        let operand = parts.string(text)
        let ignoresCase = options.contains(.caseInsensitiveFilters)
        let (source, key) = source(of: name)
        // No element has the namespace "", and those without a namespace have no such attribute.
        if source == .namespace, operand != 0, !ignoresCase {
            add(.own(.namespace, NameKey(.namespace, parts.string(at: operand))))
        } else {
            add(.filter(.equals, of: source, key, operand: operand, ignoringCase: ignoresCase))
        }
    }

    /// PCRE2 sees only patterns that are not reduced: those that are need no check.
    private mutating func compileMatch(_ filter: Filter, _ pattern: UnsafeBufferPointer<UInt8>) {
        // The error reports the leftmost mistakes, so the compiler need not find more.
        guard diagnostics.count < QueryLimits.diagnostics else { return }
        let isCaseless = options.contains(.caseInsensitiveFilters)
        // Without PCRE2, all patterns are refused alike.
        if Regex.isAvailable, let reduction = PatternReduction(pattern), reduction.condition == .exists || !isCaseless {
            return compile(reduction, of: filter.attribute)
        }
        do throws(Regex.CompileError) {
            let regex = try Regex(pattern, isCaseless: isCaseless)
            let text = String(decoding: pattern, as: UTF8.self)
            parts.constants.patterns.append(Pattern(regex: regex, text: text))
            add(.matches, of: filter.attribute, operand: UInt32(parts.constants.patterns.count - 1))
        } catch {
            let problem = Diagnostic.Problem.invalidRegex(message: error.message, offset: error.offset)
            diagnostics.append(Diagnostic(problem, at: filter.value.range))
        }
    }

    private mutating func compile(_ reduction: PatternReduction, of name: AttributeName) {
        switch reduction.condition {
        case .exists: add(.exists, of: name)
        case .equals: compileEquals(name, reduction.literal)
        case .isOneOf: add(.isOneOf, of: name, operand: parts.strings(reduction.list))
        case let condition: add(condition, of: name, operand: parts.string(reduction.literal))
        }
    }

    // MARK: Extractions

    private mutating func compile(_ extraction: Extraction, as conversion: Conversion?) {
        if let conversion, !conversion.isTotal(isStrict: options.contains(.strictConversions)) {
            // The element has no result if the value does not convert.
            parts.machineStart = min(parts.machineStart, parts.size.steps)
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
            add(form)
        }
    }

    private mutating func add(_ form: FormQuery) {
        var new = FormConstant(item: form.index)
        new.formType = form.formType.map { constant(.text($0)) }
        new.type = form.type.map { constant(.text($0)) }
        switch form.access {
        case .none: break
        case .value(let field), .description(let field): new.field = constant(field)
        }
        parts.constants.forms.append(new)
    }

    private mutating func constant(_ name: NamePiece) -> ByteReference {
        if case .slot(let slot) = name { slotUses.append(.field(parts.constants.forms.count, slot: slot)) }
        return reader.bytes(of: name).map { ByteReference(rawValue: parts.string($0)) } ?? .empty
    }
}

extension ProgramSize {
    /// The room that the compiler needs. A list of strings fits in the room of the pattern that it is made of, because
    /// the pattern has more marks than the list has short prefixes.
    init(of nodes: borrowing NodeList) {
        steps = nodes.count &+ nodes.exclusionCount &+ 1
        pieces = nodes.pieceCount
        strings = nodes.valueLength &+ nodes.valueLength / 64 &+ 2 &* nodes.count &+ 1
    }
}

extension AttributeName {
    fileprivate var hasSlots: Bool { name.isSlot || namespace?.isSlot == true }
}
