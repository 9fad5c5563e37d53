// A compiled query: instructions and constants, immutable and shared by all threads.
//
// ProgramBuilder.swift collects its parts, Verifier.swift checks it, Machine.swift runs it. It does not know the text
// of the query.

import QuerySyntax
import XMLTree

/// The compiled form of a query. It does not depend on arguments (6.4).
///
/// Sendable although it holds raw memory: no code writes after `init`.
package final class Program: @unchecked Sendable {
    /// In raw memory, so that the machine's loop checks no bounds: the compiler makes only programs that verify, and
    /// debug builds prove it.
    let instructions: UnsafePointer<Instruction>
    let instructionCount: Int
    /// The bytes of all strings, then the names of the steps; the length precedes each string.
    package let strings: UnsafePointer<UInt8>
    package let stringLists: [[StringIndex]]
    package let patterns: [PatternConstant]
    let attributes: [ResolvedAttribute]
    package let forms: [FormConstant]
    /// The steps that write the values of filters with specifiers: one contiguous list for all filters.
    let valueSteps: UnsafeBufferPointer<ValueStep>
    let valueCount: Int
    /// The kind of every result of the program.
    let resultKind: ResultKind
    package let stringByteCount: Int
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
    /// The steps that the instructions were written from; none in a part of a program. Evaluations do not read them.
    package let steps: [QueryStep]
    private let nameByteCount: Int
    /// The first step that only a machine can run, with all steps after it.
    let firstMachineStep: Int

    convenience init(_ builder: borrowing ProgramBuilder, resultKind: ResultKind) {
        let writer = InstructionWriter(builder.steps)
        self.init(
            builder, writer.instructions, firstMachineStep: writer.firstMachineStep, resultKind: resultKind)
    }

    init(
        _ builder: borrowing ProgramBuilder, _ newInstructions: [Instruction], firstMachineStep: Int,
        resultKind: ResultKind
    ) {
        instructions = Self.copy(of: newInstructions)
        instructionCount = newInstructions.count
        // A copy: the builder's array may have room for more.
        steps = builder.steps.map { $0 }
        nameByteCount = builder.names.count
        self.firstMachineStep = firstMachineStep
        strings = Self.copy(of: builder.strings, builder.names)
        stringLists = builder.stringLists
        patterns = builder.patterns
        attributes = builder.attributes
        forms = builder.forms
        valueSteps = UnsafeBufferPointer(start: Self.copy(of: builder.valueSteps), count: builder.valueSteps.count)
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

    /// A program with constants of another one.
    ///
    /// - Parameters:
    ///   - steps: The steps of the instructions, unless they are only a part of a query.
    ///   - newStrings: The strings of the program and more; `nil`: those of the program.
    init(
        _ newInstructions: [Instruction], of program: Program, steps: [QueryStep] = [],
        strings newStrings: [UInt8]? = nil, attributes: [ResolvedAttribute]? = nil, forms: [FormConstant]? = nil,
        takesArguments: Bool = false
    ) {
        instructions = Self.copy(of: newInstructions)
        instructionCount = newInstructions.count
        self.steps = steps
        nameByteCount = program.nameByteCount
        firstMachineStep = program.firstMachineStep
        if let newStrings {
            strings = Self.copy(of: newStrings, program.names)
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
        self.attributes = attributes ?? program.attributes
        self.forms = forms ?? program.forms
        valueSteps = takesArguments ? program.valueSteps : UnsafeBufferPointer(start: nil, count: 0)
        valueOwner = takesArguments ? program : nil
        valueCount = takesArguments ? program.valueCount : 0
        resultKind = program.resultKind
        argumentCount = takesArguments ? program.argumentCount : 0
        takesAnyArguments = takesArguments ? program.takesAnyArguments : true
        usesPrefixes = self.attributes.contains(where: \.needsPrefixes)
        assert(steps.isEmpty || steps.instructions == newInstructions, "the steps are of other instructions")
        assert(Verifier.firstFault(in: self) == nil, "a program made of another one does not verify")
    }

    private static func copy<Element>(of elements: [Element], _ more: [Element] = []) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: elements.count + more.count)
        memory.initialize(from: elements, count: elements.count)
        (memory + elements.count).initialize(from: more, count: more.count)
        return UnsafePointer(memory)
    }

    private var names: [UInt8] {
        Array(UnsafeBufferPointer(start: strings + stringByteCount, count: nameByteCount))
    }

    deinit {
        instructions.deallocate()
        if stringOwner == nil { strings.deallocate() }
        if valueOwner == nil { valueSteps.deallocate() }
    }

    /// The size of instructions, steps, strings and names, without patterns, values with specifiers and form queries.
    var byteCount: Int {
        instructionCount * MemoryLayout<Instruction>.stride + steps.count * MemoryLayout<QueryStep>.stride
            + stringByteCount + nameByteCount
    }

    /// The instructions, for everything but the machine's loop.
    package var listing: UnsafeBufferPointer<Instruction> {
        UnsafeBufferPointer(start: instructions, count: instructionCount)
    }

    /// The place of each instruction's step.
    package var stepOfEachInstruction: [Int] {
        steps.indices.flatMap { repeatElement($0, count: [steps[$0]].instructions.count) }
    }

    /// The steps of each value, without its end.
    package var values: [Slice<UnsafeBufferPointer<ValueStep>>] {
        valueSteps.split(separator: .end, maxSplits: valueCount, omittingEmptySubsequences: false)
    }

    /// The name of a step, as the query has it; empty without one.
    package func name(of step: QueryStep) -> String {
        let (prefix, local) = nameParts(of: step)
        return String(decoding: prefix, as: UTF8.self) + String(decoding: local, as: UTF8.self)
    }

    /// The name of a step without its namespace or prefix; empty without one.
    package func localName(of step: QueryStep) -> String { String(decoding: nameParts(of: step).local, as: UTF8.self) }

    private func nameParts(
        of step: QueryStep
    ) -> (prefix: UnsafeBufferPointer<UInt8>, local: UnsafeBufferPointer<UInt8>) {
        let prefix = string(StringIndex(rawValue: UInt32(stringByteCount) + step.name.rawValue))
        let length = LengthPrefix.size(of: prefix.count) + prefix.count
        return (prefix, string(StringIndex(rawValue: UInt32(stringByteCount + length) + step.name.rawValue)))
    }

    /// The place of a pattern in the query.
    func range(of pattern: PatternIndex) -> SourceRange { patterns[Int(pattern.rawValue)].range }

    /// A constant string. It is valid as long as the program lives.
    @inline(__always)
    package func string(_ index: StringIndex) -> UnsafeBufferPointer<UInt8> {
        strings.string(at: ByteReference(rawValue: index.rawValue))
    }
}
