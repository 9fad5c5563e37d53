// A compiled query: instructions and constants, immutable and shared by all threads.
//
// Made by ProgramBuilder.swift, checked by Verifier.swift, run by Machine.swift. It does not know the query's text.

import QuerySyntax
import XMLTree

/// The compiled form of a query. It does not depend on arguments (6.4).
///
/// Sendable although it holds raw memory: nothing is written after `init`.
final class Program: @unchecked Sendable {
    /// In raw memory, so that the machine's loop has no bounds to check: the compiler makes only programs that verify, and
    /// debug builds prove it.
    let instructions: UnsafePointer<Instruction>
    let instructionCount: Int
    /// The bytes of all strings, each behind its length.
    let strings: UnsafePointer<UInt8>
    let stringLists: [[StringIndex]]
    let patterns: [PatternConstant]
    let attributes: [ResolvedAttribute]
    let forms: [FormConstant]
    /// The steps of all templates behind each other.
    let templateSteps: UnsafeBufferPointer<TemplateStep>
    let templateCount: Int
    /// What every result of the program is.
    let resultKind: ResultKind
    let stringByteCount: Int
    /// The program that the strings belong to, if they are another one's.
    private let stringOwner: Program?
    /// The program that the templates belong to, if they are another one's.
    private let templateOwner: Program?
    /// Whether prefixes have to be looked up, for which an evaluation needs what surrounds the tree.
    let usesPrefixes: Bool
    /// The number of specifiers in all templates.
    let argumentCount: Int
    /// Whether every argument fits every specifier.
    let takesAnyArguments: Bool

    init(_ builder: ProgramBuilder, resultKind: ResultKind) {
        let instructions = UnsafeMutablePointer<Instruction>.allocate(capacity: builder.instructions.count)
        instructions.initialize(from: builder.instructions, count: builder.instructions.count)
        self.instructions = UnsafePointer(instructions)
        instructionCount = builder.instructions.count
        let strings = UnsafeMutablePointer<UInt8>.allocate(capacity: builder.strings.count)
        strings.initialize(from: builder.strings, count: builder.strings.count)
        self.strings = UnsafePointer(strings)
        stringLists = builder.stringLists
        patterns = builder.patterns
        attributes = builder.attributes
        forms = builder.forms
        let steps = UnsafeMutableBufferPointer<TemplateStep>.allocate(capacity: builder.templateSteps.count)
        _ = steps.initialize(fromContentsOf: builder.templateSteps)
        templateSteps = UnsafeBufferPointer(steps)
        templateCount = builder.templateCount
        self.resultKind = resultKind
        stringByteCount = builder.strings.count
        stringOwner = nil
        templateOwner = nil
        let specifiers = builder.templateSteps.compactMap(\.specifier)
        argumentCount = specifiers.count
        takesAnyArguments = specifiers.allSatisfy { $0.conversion == .any }
        usesPrefixes = builder.attributes.contains(where: \.needsPrefixes)
    }

    /// A program with constants of another one. It takes no arguments.
    ///
    /// - Parameter strings: Other strings, or more than those of `program`.
    init(partOf program: Program, instructions part: [Instruction], strings newStrings: [UInt8]? = nil) {
        let instructions = UnsafeMutablePointer<Instruction>.allocate(capacity: part.count)
        instructions.initialize(from: part, count: part.count)
        self.instructions = UnsafePointer(instructions)
        instructionCount = part.count
        if let newStrings {
            let strings = UnsafeMutablePointer<UInt8>.allocate(capacity: newStrings.count)
            strings.initialize(from: newStrings, count: newStrings.count)
            self.strings = UnsafePointer(strings)
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
        attributes = program.attributes
        forms = program.forms
        templateSteps = UnsafeBufferPointer(start: nil, count: 0)
        templateOwner = nil
        templateCount = 0
        resultKind = program.resultKind
        argumentCount = 0
        takesAnyArguments = true
        usesPrefixes = program.usesPrefixes
        assert(Verifier.firstFault(in: self) == nil, "a part of a program does not verify")
    }

    /// Another program with its names bound: the same but for operands. It takes the same arguments.
    init(binding program: Program, to bound: BoundNames) {
        let instructions = UnsafeMutablePointer<Instruction>.allocate(capacity: bound.instructions.count)
        instructions.initialize(from: bound.instructions, count: bound.instructions.count)
        self.instructions = UnsafePointer(instructions)
        instructionCount = bound.instructions.count
        if let newStrings = bound.strings {
            let strings = UnsafeMutablePointer<UInt8>.allocate(capacity: newStrings.count)
            strings.initialize(from: newStrings, count: newStrings.count)
            self.strings = UnsafePointer(strings)
            stringByteCount = newStrings.count
            stringOwner = nil
        } else {
            strings = program.strings
            stringByteCount = program.stringByteCount
            stringOwner = program
        }
        stringLists = program.stringLists
        patterns = program.patterns
        attributes = bound.attributes
        forms = bound.forms
        templateSteps = program.templateSteps
        templateOwner = program
        templateCount = program.templateCount
        resultKind = program.resultKind
        argumentCount = program.argumentCount
        takesAnyArguments = program.takesAnyArguments
        usesPrefixes = bound.attributes.contains(where: \.needsPrefixes)
        assert(Verifier.firstFault(in: self) == nil, "a program with bound names does not verify")
    }

    deinit {
        instructions.deallocate()
        if stringOwner == nil { strings.deallocate() }
        if templateOwner == nil { templateSteps.deallocate() }
    }

    /// The size of instructions and strings; patterns, argument templates and form queries come on top.
    var byteCount: Int { instructionCount * MemoryLayout<Instruction>.stride + stringByteCount }

    /// The instructions, for everything but the machine's loop.
    var listing: UnsafeBufferPointer<Instruction> {
        UnsafeBufferPointer(start: instructions, count: instructionCount)
    }

    /// The steps of each template, without its end.
    var templates: [Slice<UnsafeBufferPointer<TemplateStep>>] {
        templateSteps.split(separator: .end, maxSplits: templateCount, omittingEmptySubsequences: false)
    }

    /// A constant string. It is valid as long as the program is.
    @inline(__always)
    func string(_ index: StringIndex) -> UnsafeBufferPointer<UInt8> {
        strings.string(at: ByteReference(rawValue: index.rawValue))
    }
}
