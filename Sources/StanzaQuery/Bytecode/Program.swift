// A compiled query: instructions and constants, immutable and shared by all threads.
//
// ProgramBuilder.swift makes it, Verifier.swift checks it, Machine.swift runs it. It does not know the query's text.

import QuerySyntax
import XMLTree

/// The compiled form of a query. It does not depend on arguments (6.4).
///
/// Sendable although it holds raw memory: no code writes after `init`.
final class Program: @unchecked Sendable {
    /// In raw memory, so that the machine's loop checks no bounds: the compiler makes only programs that verify, and
    /// debug builds prove it.
    let instructions: UnsafePointer<Instruction>
    let instructionCount: Int
    /// The bytes of all strings; the length precedes each string.
    let strings: UnsafePointer<UInt8>
    let stringLists: [[StringIndex]]
    let patterns: [PatternConstant]
    let attributes: [ResolvedAttribute]
    let forms: [FormConstant]
    /// The steps that write the values of filters with specifiers: one contiguous list for all filters.
    let valueSteps: UnsafeBufferPointer<ValueStep>
    let valueCount: Int
    /// The kind of every result of the program.
    let resultKind: ResultKind
    let stringByteCount: Int
    /// The program that owns the strings, if another one does.
    private let stringOwner: Program?
    /// The program that owns these steps, if another one does.
    private let valueOwner: Program?
    /// Whether the program has prefixes, whose evaluation needs the namespace bindings around the tree.
    let usesPrefixes: Bool
    /// The number of specifiers in all values.
    let argumentCount: Int
    /// Whether every argument fits every specifier.
    let takesAnyArguments: Bool

    init(_ builder: ProgramBuilder, resultKind: ResultKind) {
        instructions = Self.copy(of: builder.instructions)
        instructionCount = builder.instructions.count
        strings = Self.copy(of: builder.strings)
        stringLists = builder.stringLists
        patterns = builder.patterns
        attributes = builder.attributes
        forms = builder.forms
        let steps = UnsafeMutableBufferPointer<ValueStep>.allocate(capacity: builder.valueSteps.count)
        _ = steps.initialize(fromContentsOf: builder.valueSteps)
        valueSteps = UnsafeBufferPointer(steps)
        valueCount = builder.valueCount
        self.resultKind = resultKind
        stringByteCount = builder.strings.count
        stringOwner = nil
        valueOwner = nil
        let specifiers = builder.valueSteps.compactMap(\.specifier)
        argumentCount = specifiers.count
        takesAnyArguments = specifiers.allSatisfy { $0.conversion == .any }
        usesPrefixes = builder.attributes.contains(where: \.needsPrefixes)
    }

    /// A program with constants of another one. It takes no arguments.
    ///
    /// - Parameter strings: Other strings, or more than those of `program`.
    convenience init(partOf program: Program, instructions part: [Instruction], strings: [UInt8]? = nil) {
        self.init(
            of: program, instructions: part, strings: strings, attributes: program.attributes, forms: program.forms,
            takesArguments: false)
    }

    /// Another program with its names bound: the same but for operands. It takes the same arguments.
    convenience init(binding program: Program, to bound: BoundNames) {
        self.init(
            of: program, instructions: bound.instructions, strings: bound.strings, attributes: bound.attributes,
            forms: bound.forms, takesArguments: true)
    }

    private init(
        of program: Program, instructions newInstructions: [Instruction], strings newStrings: [UInt8]?,
        attributes: [ResolvedAttribute], forms: [FormConstant], takesArguments: Bool
    ) {
        instructions = Self.copy(of: newInstructions)
        instructionCount = newInstructions.count
        if let newStrings {
            strings = Self.copy(of: newStrings)
            stringByteCount = newStrings.count
            stringOwner = nil
        } else {
            // Not copied: a query may have many parts.
            strings = program.strings
            stringByteCount = program.stringByteCount
            stringOwner = program
        }
        stringLists = program.stringLists
        patterns = program.patterns
        self.attributes = attributes
        self.forms = forms
        valueSteps = takesArguments ? program.valueSteps : UnsafeBufferPointer(start: nil, count: 0)
        valueOwner = takesArguments ? program : nil
        valueCount = takesArguments ? program.valueCount : 0
        resultKind = program.resultKind
        argumentCount = takesArguments ? program.argumentCount : 0
        takesAnyArguments = takesArguments ? program.takesAnyArguments : true
        usesPrefixes = attributes.contains(where: \.needsPrefixes)
        assert(Verifier.firstFault(in: self) == nil, "a program made of another one does not verify")
    }

    private static func copy<Element>(of elements: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        memory.initialize(from: elements, count: elements.count)
        return UnsafePointer(memory)
    }

    deinit {
        instructions.deallocate()
        if stringOwner == nil { strings.deallocate() }
        if valueOwner == nil { valueSteps.deallocate() }
    }

    /// The size of instructions and strings, without patterns, values with specifiers and form queries.
    var byteCount: Int { instructionCount * MemoryLayout<Instruction>.stride + stringByteCount }

    /// The instructions, for everything but the machine's loop.
    var listing: UnsafeBufferPointer<Instruction> {
        UnsafeBufferPointer(start: instructions, count: instructionCount)
    }

    /// The steps of each value, without its end.
    var values: [Slice<UnsafeBufferPointer<ValueStep>>] {
        valueSteps.split(separator: .end, maxSplits: valueCount, omittingEmptySubsequences: false)
    }

    /// The place of a pattern in the query.
    func range(of pattern: PatternIndex) -> SourceRange { patterns[Int(pattern.rawValue)].range }

    /// A constant string. It is valid as long as the program lives.
    @inline(__always)
    func string(_ index: StringIndex) -> UnsafeBufferPointer<UInt8> {
        strings.string(at: ByteReference(rawValue: index.rawValue))
    }
}
