// Turns a syntax tree into the steps of a program.
//
// QueryStep.swift defines the steps, Compiler+Filters.swift makes those of filters, and PatternReduction.swift and
// StanzaPatterns handle regular expressions. The compiler also reads a syntax tree with mistakes: it checks the
// patterns, so that the error reports the leftmost mistake of all.

import QuerySyntax
import XMLTree

/// Compiles one query.
struct Compiler {
    let options: QueryOptions
    var builder: ProgramBuilder
    var diagnostics: [Diagnostic]

    /// The program of a query, or all its mistakes, the leftmost first.
    static func compile(_ query: ParsedQuery, options: QueryOptions) -> Result<Program, QueryError> {
        var noSlots: [SlotUse] = []
        return compile(query, options: options, slots: &noSlots)
    }

    /// The program of a query.
    ///
    /// - Parameter slots: The places in the program that need the values of slots before it runs.
    static func compile(
        _ query: ParsedQuery, options: QueryOptions, slots: inout [SlotUse]
    ) -> Result<Program, QueryError> {
        // The result takes two steps at most. Few names begin with a '!'.
        let steps = query.tree.segments.reduce(query.tree.segments.count + 2) { $0 + $1.filters.count }
        let builder = ProgramBuilder(range: 0..<query.source.utf8.count, steps: steps)
        var compiler = Compiler(options: options, builder: builder, diagnostics: query.diagnostics)
        let resultKind = compiler.compile(query.tree)
        guard compiler.diagnostics.isEmpty else {
            let sorted = compiler.diagnostics.stablySorted { $0.range.lowerBound < $1.range.lowerBound }
            let reported = Array(sorted.prefix(QueryLimits.diagnostics))
            return .failure(QueryError(source: query.source, diagnostics: reported))
        }
        let program = Program(compiler.builder, resultKind: resultKind)
        assert(Verifier.firstFault(in: program) == nil, "the compiler made a program that does not verify")
        slots = compiler.builder.slotUses
        return .success(program)
    }

    private init(options: QueryOptions, builder: ProgramBuilder, diagnostics: [Diagnostic]) {
        self.options = options
        self.builder = builder
        self.diagnostics = diagnostics
    }

    // MARK: The path

    private mutating func compile(_ tree: QueryTree) -> ResultKind {
        let whole = builder.range
        for (position, segment) in tree.segments.enumerated() {
            let end = segment.filters.first?.range.lowerBound ?? segment.range.upperBound
            builder.range = segment.range.lowerBound..<end
            switch segment.step {
            case .ascend: builder.add(.ascend)
            case .selfNode: break
            case .elements(let test): compile(test, onContext: tree.isRooted && position == 0)
            }
            for filter in segment.filters {
                builder.range = filter.range
                compile(filter)
            }
        }
        builder.range = tree.extractionRange ?? whole
        guard let extraction = tree.extraction else {
            builder.add(.other(.yieldElement))
            return .element
        }
        return compile(extraction, conversion: tree.conversion, at: tree.conversionRange)
    }

    private mutating func compile(_ test: ElementTest, onContext: Bool) {
        switch (test.namespace, test.demandsName) {
        case (.named, true), (.slot, true): builder.add(onContext ? .own : .child, test)
        case (.inherited, true): builder.add(onContext ? .ownInherited : .childInherited, test)
        case (.any, true): builder.add(onContext ? .ownAnywhere : .childAnywhere, test)
        case (.named, false), (.slot, false): builder.add(onContext ? .ownNamespace : .childInNamespace, test)
        case (.inherited, false): builder.add(onContext ? .other(.isInInherited) : .anyChildInNamespace)
        // Every context passes.
        case (.any, false): if !onContext { builder.add(.anyChild) }
        }
        builder.addExclusion(of: test.name)
    }

    // MARK: Extractions

    private mutating func compile(
        _ extraction: Extraction, conversion: Conversion?, at conversionRange: SourceRange?
    ) -> ResultKind {
        switch extraction {
        case .attribute(let name): builder.addLoad(of: name)
        case .text:
            guard let conversion else {
                builder.add(.other(.yieldText))
                return .string
            }
            if conversion.isTotal(isStrict: options.contains(.strictConversions)) {
                builder.add(.other(.yieldConvertedText(conversion)))
                return ResultKind(conversion)
            }
            builder.add(.other(.loadText))
        case .name: builder.add(.other(.loadName))
        case .attributes:
            builder.add(.other(.yieldAttributes))
            return .attributes
        case .form(let form):
            let index = constant(form)
            switch form.access {
            case .value where conversion == nil, .valueOfSlot where conversion == nil:
                builder.add(.other(.yieldFieldText(index)))
                return .string
            case .value, .valueOfSlot: builder.add(.other(.loadField(index)))
            case .none:
                builder.add(.other(.yieldForm(index)))
                return .form
            case .description, .descriptionOfSlot:
                builder.add(.other(.yieldFieldDescription(index)))
                return .field
            }
        }
        guard let conversion else {
            builder.add(.other(.yieldString))
            return .string
        }
        builder.range = conversionRange ?? builder.range
        builder.add(.other(.yieldConverted(conversion, isStrict: options.contains(.strictConversions))))
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
