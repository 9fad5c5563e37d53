// Turns a syntax tree into a program.
//
// Segments become steps or tests, filters become tests; what each instruction does is Instruction.swift, what a filter
// becomes is Compiler+Filters.swift, and regular expressions are PatternReduction.swift's and StanzaPatterns'. A syntax
// tree with mistakes is compiled as well: its patterns are checked, so that the leftmost mistake of all is reported.

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

    /// The program of a query, or everything that is wrong with it, the leftmost first.
    static func compile(_ query: ParsedQuery, options: QueryOptions) -> Result<Program, QueryError> {
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
        return .success(program)
    }

    /// Which part of the query each instruction of its program comes from.
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
            if let instruction = contextTest(test) { builder.emit(instruction) }
        } else {
            steps.append(builder.emit(step(test)))
        }
        if case .not(let name) = test.name { builder.emit(.isNotNamed(NameKey(.local, name))) }
    }

    private func step(_ test: ElementTest) -> Instruction {
        let outer = steps.last
        switch (test.namespace, test.name) {
        case (.named(let namespace), .named(let name)):
            return .childrenNamed(NameKey(.namespace, namespace) + NameKey(.local, name), outer: outer)
        case (.inherited, .named(let name)): return .childrenNamedInherited(NameKey(.local, name), outer: outer)
        case (.any, .named(let name)): return .childrenNamedAnywhere(NameKey(.local, name), outer: outer)
        case (.named(let namespace), .any), (.named(let namespace), .not):
            return .childrenInNamespace(NameKey(.namespace, namespace), outer: outer)
        case (.inherited, .any), (.inherited, .not): return .childrenInInherited(outer: outer)
        case (.any, .any), (.any, .not): return .childrenAll(outer: outer)
        }
    }

    /// `nil` when every element passes.
    private func contextTest(_ test: ElementTest) -> Instruction? {
        switch (test.namespace, test.name) {
        case (.named(let namespace), .named(let name)):
            .isNamed(NameKey(.namespace, namespace) + NameKey(.local, name))
        case (.inherited, .named(let name)): .isNamedInherited(NameKey(.local, name))
        case (.any, .named(let name)): .isNamedAnywhere(NameKey(.local, name))
        case (.named(let namespace), .any), (.named(let namespace), .not):
            .isInNamespace(NameKey(.namespace, namespace))
        case (.inherited, .any), (.inherited, .not): .isInInherited
        case (.any, .any), (.any, .not): nil
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
            case .value where conversion == nil:
                builder.emit(.yieldFieldText(index))
                return .string
            case .value: builder.emit(.loadField(index))
            case .none:
                builder.emit(.yieldForm(index))
                return .form
            case .description:
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
        let field: String? =
            switch form.access {
            case .none: nil
            case .value(let field), .description(let field): field
            }
        return builder.form(
            FormConstant(
                formType: form.formType.map { builder.string($0) }, type: form.type.map { builder.string($0) },
                item: form.index, field: field.map { builder.string($0) }))
    }

    /// Emits what puts an attribute's value on the stack (1.3, 4.3).
    mutating func load(_ name: AttributeName) {
        switch name {
        case .qualified("xmlns"): builder.emit(.loadNamespace)
        case .expanded(let namespace, let name):
            let key = NameKey(.namespace, namespace) + NameKey(.local, name)
            builder.emit(.loadResolvedAttribute(builder.attribute(.expanded(key))))
        case .qualified(let name):
            let key = NameKey(.qualified, name)
            guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                builder.emit(.loadAttribute(key))
                return
            }
            let prefix = NameKey(.declaration, String(name[..<colon]))
            let local = NameKey(.local, String(name[name.utf8.index(after: colon)...]))
            builder.emit(
                .loadResolvedAttribute(
                    builder.attribute(.prefixed(qualified: key, prefix: prefix, local: local))))
        }
    }
}
