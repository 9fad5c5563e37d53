// A compiled query: steps and constants, immutable and shared by all threads.
//
// Compiler.swift makes one of a text, Machine.swift runs it, Arguments and Slots make others with values in them.

import QuerySyntax
import XMLTree

/// The compiled form of a query, without its arguments and the type of its results. One reference, so that passing it
/// is cheap.
///
/// Sendable although it holds raw memory: no code writes after `init`.
@_documentation(visibility: internal)
public final class Program: @unchecked Sendable {
    package let source: String
    package let options: QueryOptions
    /// The machine's loop checks no bounds of the steps: every program ends with a yield, and its operands are
    /// constants that the compiler has just made.
    let parts: ProgramParts
    /// The number of arguments that an evaluation takes; -1 if it fails with any.
    let argumentCount: Int
    /// The first step in short, and whether arguments have to fit: what FastEvaluation.swift decides by.
    let opening: Opening
    /// Whether the program has prefixes, whose evaluation needs the namespace bindings around the tree.
    var usesPrefixes: Bool { parts.usesPrefixes }
    /// The kind of every result; none for a text that could not be compiled.
    @usableFromInline let resultKinds: ResultKinds
    /// The error of every evaluation, for a text that could not be compiled.
    package let error: QueryError?

    /// Takes over the memory of the parts.
    init(_ parts: consuming ProgramParts, source: String, options: QueryOptions, error: QueryError? = nil) {
        self.source = source
        self.options = options
        self.error = error
        if error == nil {
            let pieces = UnsafeBufferPointer(start: parts.pieces, count: parts.size.pieces)
            let specifiers = pieces.lazy.compactMap(\.specifier)
            argumentCount = specifiers.reduce(0) { count, _ in count + 1 }
            opening = Opening(
                parts.steps, argumentCount: specifiers.allSatisfy { $0.conversion == .any } ? argumentCount : -1)
            resultKinds = ResultKinds(parts.steps[parts.size.steps - 1].resultKind)
        } else {
            argumentCount = -1
            opening = Opening()
            resultKinds = []
        }
        self.parts = parts
    }

    /// A program whose evaluations throw an error: no arguments fit it.
    convenience init(failing error: QueryError) {
        self.init(ProgramParts(room: ProgramSize()), source: error.source, options: [], error: error)
    }

    /// The same query with other parts.
    func with(_ parts: consuming ProgramParts) -> Program { Program(parts, source: source, options: options) }

    // MARK: Parts

    var code: UnsafePointer<Step> { UnsafePointer(parts.steps) }
    package var stepCount: Int { parts.size.steps }
    /// The pieces of the values of filters with specifiers: one list for all filters.
    package var values: UnsafeBufferPointer<ValuePiece> {
        UnsafeBufferPointer(start: parts.pieces, count: parts.size.pieces)
    }
    /// The bytes of all strings; the length precedes each.
    package var strings: UnsafePointer<UInt8> { UnsafePointer(parts.strings) }
    package var stringByteCount: Int { parts.size.strings }
    /// The first step that only a machine can run, with all steps after it. The trie of a set follows those before.
    var machineStart: Int { parts.machineStart }

    // MARK: Reading, for everything but the machine's loop

    package var steps: UnsafeBufferPointer<Step> { UnsafeBufferPointer(start: code, count: stepCount) }

    package var isStrict: Bool { options.contains(.strictConversions) }

    /// The kind of every result.
    var resultKind: ResultKind { error == nil ? code[stepCount - 1].resultKind : .element }

    @usableFromInline var yieldsElements: Bool { code[stepCount - 1].result == .element }

    /// Whether an evaluation needs nothing but the program and the tree, and cannot end with an error.
    @usableFromInline var isSelfContained: Bool {
        error == nil && argumentCount == 0 && !usesPrefixes && !steps.contains(where: \.mayFail)
    }

    /// The size of steps, places and strings, without patterns, values with specifiers and form queries.
    var byteCount: Int { stepCount * (MemoryLayout<Step>.stride + MemoryLayout<Place>.stride) + stringByteCount }

    /// The place of a step in the query's text.
    package func place(of step: Int) -> Place { parts.places[step] }

    /// The part of the query that the results come from: the conversion, the extraction, or the whole query.
    var resultRange: SourceRange {
        if stepCount == 0 { return 0..<source.utf8.count }
        let (step, place) = (code[stepCount - 1], place(of: stepCount - 1))
        guard let conversion = step.conversion else { return place.head }
        let isText = step.result == .text && conversion.isTotal(isStrict: isStrict)
        return isText ? place.head : place.rest
    }

    /// The places of the slots in the text.
    package var slots: [SourceRange] { parts.slots?.places ?? [] }
    /// The values of the slots; empty until they are bound.
    var slotValues: [QueryArgumentValue] { parts.slots?.values ?? [] }

    package func pattern(of step: Step) -> Pattern { parts.constants.patterns[Int(step.operand)] }
    package func form(of step: Step) -> FormConstant { parts.constants.forms[step.form] }

    package func string(of step: Step) -> UnsafeBufferPointer<UInt8> { string(ByteReference(rawValue: step.operand)) }

    /// A constant string. It is valid as long as the program lives.
    @inline(__always)
    package func string(_ reference: ByteReference) -> UnsafeBufferPointer<UInt8> { strings.string(at: reference) }

    @inlinable
    func checkResults<Value: QueryDecodable>(are type: Value.Type) throws(QueryError) {
        if type.queryResultKinds.isDisjoint(with: resultKinds) { throw QueryError(self, decodedAs: type) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Removes the first of the strings that a string holds: see `ProgramParts.strings`.
    @inline(__always)
    package mutating func removeString() -> UnsafeBufferPointer<UInt8>? {
        guard let start = baseAddress, count > 0 else { return nil }
        let string = start.string(at: .empty)
        let end = string.baseAddress.unsafelyUnwrapped + string.count
        self = UnsafeBufferPointer(start: end, count: count &- (end - start))
        return string
    }
}

extension QueryError {
    /// Reports that a type does not take the results of a query, or the query's own error.
    @usableFromInline @inline(never)
    init(_ query: Program, decodedAs type: any QueryDecodable.Type) {
        if let error = query.error {
            self = error
            return
        }
        let kinds = ResultKind.allCases.filter { type.queryResultKinds.contains(ResultKinds($0)) }
        let problem = Diagnostic.Problem.resultType(
            String(describing: type), of: query.resultKind.rawValue,
            accepted: kinds.map(\.rawValue).stablySorted(by: <))
        self.init(source: query.source, Diagnostic(problem, at: query.resultRange))
    }
}
