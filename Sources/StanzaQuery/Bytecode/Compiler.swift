// Turns a syntax tree into a program.
//
// Segments become steps or tests, filters become tests. Instruction.swift defines the instructions,
// Compiler+Filters.swift compiles filters, and PatternReduction.swift and StanzaPatterns handle regular expressions.
// The compiler also compiles a syntax tree with mistakes: it checks the patterns, so that the error reports the
// leftmost mistake of all.

import QuerySyntax
import XMLTree

/// Compiles one query.
struct Compiler {
    let source: String
    let options: QueryOptions
    var builder = ProgramBuilder()
    var diagnostics: [Diagnostic]
    /// The steps whose cursors are on the stack, apart from the context's.
    private var steps: [Address] = []

    /// The program of a query, or all its mistakes, the leftmost first.
    static func compile(_ query: ParsedQuery, options: QueryOptions) -> Result<Program, QueryError> {
        var noSlots: SlotUses?
        return compile(query, options: options, slots: &noSlots)
    }

    /// The program of a query.
    ///
    /// - Parameter slots: The places in the program that need the values of slots before it runs; `nil` if it has none.
    static func compile(
        _ query: ParsedQuery, options: QueryOptions, slots: inout SlotUses?
    ) -> Result<Program, QueryError> {
        var compiler = Compiler(source: query.source, options: options, diagnostics: query.diagnostics)
        let resultKind = compiler.compile(query.tree)
        guard compiler.diagnostics.isEmpty else {
            let sorted = compiler.diagnostics.enumerated().sorted {
                ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
            }
            let reported = sorted.prefix(QueryLimits.diagnostics).map(\.element)
            return .failure(QueryError(source: query.source, diagnostics: reported))
        }
        let program = Program(compiler.builder, resultKind: resultKind)
        assert(Verifier.firstFault(in: program) == nil, "the compiler made a program that does not verify")
        slots = compiler.builder.slotUses
        return .success(program)
    }

    /// The part of the query that each instruction of its program comes from.
    static func ranges(of query: ParsedQuery, options: QueryOptions) -> [SourceRange] {
        var compiler = Compiler(source: query.source, options: options, diagnostics: [])
        _ = compiler.compile(query.tree)
        return compiler.builder.ranges
    }

    private init(source: String, options: QueryOptions, diagnostics: [Diagnostic]) {
        self.source = source
        self.options = options
        self.diagnostics = diagnostics
    }

    // MARK: The path

    private mutating func compile(_ tree: QueryTree) -> ResultKind {
        for (position, segment) in tree.segments.enumerated() {
            let end = segment.filters.first?.range.lowerBound ?? segment.range.upperBound
            builder.range = segment.range.lowerBound..<end
            switch segment.step {
            case .ascend: ascend()
            case .selfNode: break
            case .elements(let test): compile(test, onContext: tree.isRooted && position == 0)
            }
            for filter in segment.filters {
                builder.range = filter.range
                compile(filter)
            }
        }
        builder.range = tree.extractionRange ?? 0..<source.utf8.count
        guard let extraction = tree.extraction else {
            builder.emit(.yieldElement)
            return .element
        }
        return compile(extraction, conversion: tree.conversion, at: tree.conversionRange)
    }

    private mutating func ascend() {
        if steps.popLast() != nil {
            builder.emit(.leave(outer: steps.last))
        } else {
            builder.emit(.ascend)
        }
    }

    private mutating func compile(_ test: ElementTest, onContext: Bool) {
        if onContext {
            if let instruction = contextTest(test) { builder.emit(instruction, binding: test) }
        } else {
            steps.append(builder.emit(step(test), binding: test))
        }
        switch test.name {
        case .not(let name): builder.emit(.isNotNamed(NameKey(.local, name)))
        case .notSlot(let slot):
            builder.emit(.isNotNamed(.unbound), binding: ElementTest(name: .slot(slot), namespace: .any))
        case .any, .named, .slot: break
        }
    }

    private func step(_ test: ElementTest) -> Instruction {
        let outer = steps.last
        switch (test.namespace, test.name) {
        case (.named(let namespace), .named(let name)):
            return .childrenNamed(NameKey(.namespace, namespace) + NameKey(.local, name), outer: outer)
        case (.named, .slot), (.slot, .named), (.slot, .slot): return .childrenNamed(test.key, outer: outer)
        case (.inherited, .named), (.inherited, .slot): return .childrenNamedInherited(test.key, outer: outer)
        case (.any, .named), (.any, .slot): return .childrenNamedAnywhere(test.key, outer: outer)
        case (.named, .any), (.named, .not), (.named, .notSlot), (.slot, .any), (.slot, .not), (.slot, .notSlot):
            return .childrenInNamespace(test.key, outer: outer)
        case (.inherited, .any), (.inherited, .not), (.inherited, .notSlot): return .childrenInInherited(outer: outer)
        case (.any, .any), (.any, .not), (.any, .notSlot): return .childrenAll(outer: outer)
        }
    }

    /// `nil` when every element passes.
    private func contextTest(_ test: ElementTest) -> Instruction? {
        switch (test.namespace, test.demandsName) {
        case (.named, true), (.slot, true): .isNamed(test.key)
        case (.inherited, true): .isNamedInherited(test.key)
        case (.any, true): .isNamedAnywhere(test.key)
        case (.named, false), (.slot, false): .isInNamespace(test.key)
        case (.inherited, false): .isInInherited
        case (.any, false): nil
        }
    }

    // MARK: Extractions

    private mutating func compile(
        _ extraction: Extraction, conversion: Conversion?, at conversionRange: SourceRange?
    ) -> ResultKind {
        switch extraction {
        case .attribute(let name): load(name)
        case .text:
            guard let conversion else {
                builder.emit(.yieldText)
                return .string
            }
            if conversion.isTotal(isStrict: options.contains(.strictConversions)) {
                builder.emit(.yieldConvertedText(conversion))
                return ResultKind(conversion)
            }
            builder.emit(.loadText)
        case .name: builder.emit(.loadName)
        case .attributes:
            builder.emit(.yieldAttributes)
            return .attributes
        case .form(let form):
            let index = constant(form)
            switch form.access {
            case .value where conversion == nil, .valueOfSlot where conversion == nil:
                builder.emit(.yieldFieldText(index))
                return .string
            case .value, .valueOfSlot: builder.emit(.loadField(index))
            case .none:
                builder.emit(.yieldForm(index))
                return .form
            case .description, .descriptionOfSlot:
                builder.emit(.yieldFieldDescription(index))
                return .field
            }
        }
        guard let conversion else {
            builder.emit(.yieldString)
            return .string
        }
        builder.range = conversionRange ?? builder.range
        builder.emit(.yieldConverted(conversion, isStrict: options.contains(.strictConversions)))
        return ResultKind(conversion)
    }

    private mutating func constant(_ form: FormQuery) -> FormIndex {
        let (field, slot): (String?, Slot?) =
            switch form.access {
            case .none: (nil, nil)
            case .value(let field), .description(let field): (field, nil)
            case .valueOfSlot(let slot), .descriptionOfSlot(let slot): ("", slot)
            }
        let constant = FormConstant(
            formType: form.formType.map { builder.string($0) }, type: form.type.map { builder.string($0) },
            item: form.index, field: field.map { builder.string($0) })
        return builder.form(constant, field: slot)
    }

    /// Emits the instruction that puts an attribute's value on the stack (1.3, 4.3).
    mutating func load(_ name: AttributeName) {
        switch AttributeSource(name) {
        case .namespace: builder.emit(.loadNamespace)
        case .plain(let key): builder.emit(.loadAttribute(key))
        case .resolved(let attribute): builder.emit(.loadResolvedAttribute(builder.attribute(attribute)))
        case nil: builder.emit(.loadAttribute(.unbound), binding: name)
        }
    }
}

extension ElementTest {
    /// Whether the test requires a certain name.
    fileprivate var demandsName: Bool {
        switch name {
        case .named, .slot: true
        case .any, .not, .notSlot: false
        }
    }
}
