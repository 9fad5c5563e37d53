// Prints programs for people: listings, the instructions of traces, statistics and sets, and the output that tests
// check.
//
// Mnemonics, effects and synopses come from the instruction set's definitions, names and places from the steps that
// the instructions were written from. The disassembler escapes invisible scalars in names and values: each instruction
// keeps its line, and the output holds nothing that a terminal would obey.

import QuerySyntax
import StanzaQuery
import XMLTree

extension Query {
    /// The annotated program, one instruction in a line: address, part of the query (UTF-8 offsets), name, operands,
    /// stack effect, synopsis.
    ///
    /// ```text
    /// 0  0-4  children.named.inherited  body  ( p -- p c )  children of that name in its namespace
    /// 1  4-5  yield.text                      ( c -- c )    the element's own text
    /// ```
    ///
    /// A query of `#query` whose evaluations throw has no program: this is its error's description.
    public var listing: String { listing(showingBytes: false) }

    /// The lines of ``listing``, each with the part of the query that it comes from. Empty without a program.
    public var listedInstructions: [ListedInstruction] {
        hasProgram ? Disassembler(program).lines : []
    }

    /// The annotated program.
    ///
    /// - Parameter showingBytes: Whether to show the encoding of the instructions, and the strings after them.
    public func listing(showingBytes: Bool) -> String {
        if let error { return error.description }
        let disassembler = Disassembler(program)
        return showingBytes ? disassembler.listingWithBytes : disassembler.listing
    }
}

/// A line of a program's listing.
public struct ListedInstruction: Sendable, Hashable {
    /// The line without its end, in columns that all lines of the program share.
    public let text: String
    /// The part of the query that the instruction comes from, in UTF-8 offsets.
    public let range: Range<Int>
}

/// Prints the program of one query.
struct Disassembler {
    private let program: Program
    /// The place of each instruction's step in the program.
    private let places: [Int]
    private let values: [Slice<UnsafeBufferPointer<ValueStep>>]

    init(_ program: Program) {
        self.program = program
        values = program.values
        places = program.stepOfEachInstruction
    }

    var listing: String { texts.joined(separator: "\n") }

    var lines: [ListedInstruction] {
        zip(texts, places).map { ListedInstruction(text: $0, range: program.steps[$1].range) }
    }

    var listingWithBytes: String {
        var lines: [String] = []
        for (instruction, line) in zip(program.listing, texts) {
            lines.append(line)
            lines.append("   " + withUnsafeBytes(of: instruction) { hexadecimal($0) })
        }
        let strings = UnsafeRawBufferPointer(start: program.strings, count: program.stringByteCount)
        lines.append("strings, each after its length:")
        for start in stride(from: 0, to: strings.count, by: 16) {
            let row = UnsafeRawBufferPointer(rebasing: strings[start..<min(start + 16, strings.count)])
            lines.append("   " + hexadecimal(row))
        }
        return lines.joined(separator: "\n")
    }

    /// One instruction's name and operands.
    func describe(at address: Int) -> String {
        let (mnemonic, operands) = (program.listing[address].definition.mnemonic, operands(at: address))
        return operands.isEmpty ? mnemonic : mnemonic + " " + operands
    }

    /// The instructions of a step.
    func describe(step: Int) -> String {
        places.indices.filter { places[$0] == step }.map(describe(at:)).joined(separator: ", ")
    }

    private func operands(at address: Int) -> String {
        let definition = program.listing[address].definition
        return definition.operands.compactMap { text(of: $0, in: step(at: address)) }.joined(separator: ", ")
    }

    /// The listing line by line: a line for each instruction.
    private var texts: [String] { alignedLines(of: rows, numbers: [0]) }

    private var rows: [[String]] {
        program.listing.enumerated().map { address, instruction in
            let definition = instruction.definition
            let range = range(at: address)
            return [
                String(address), "\(range.lowerBound)-\(range.upperBound)", definition.mnemonic,
                operands(at: address), definition.effect.notation, definition.synopsis,
            ]
        }
    }

    private func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    /// The part of the query that an instruction comes from.
    func range(at address: Int) -> SourceRange { step(at: address).range }

    private func step(at address: Int) -> QueryStep { program.steps[places[address]] }

    private func text(of operand: Operand, in step: QueryStep) -> String? {
        switch operand {
        case .name, .attribute: step.name == .none ? "?" : escapedText(program.name(of: step))
        case .string(let index): quoted(index)
        case .strings(let index): program.stringLists[Int(index.rawValue)].map(quoted).joined(separator: " | ")
        case .regex(let index), .literal(let index): describe(program.patterns[Int(index.rawValue)])
        case .argument(let index): values[Int(index.rawValue)].compactMap(describe).joined(separator: " ")
        case .form(let index), .formField(let index): describe(program.forms[Int(index.rawValue)])
        case .conversion(let conversion, let isStrict): conversion.rawValue + (isStrict ? " strictly" : "")
        case .outer(let outer?): "else \(outer.rawValue)"
        case .outer(nil): nil
        }
    }

    private func quoted(_ index: StringIndex) -> String { quotedText(string(index)) }

    private func string(_ index: StringIndex) -> String {
        String(decoding: program.string(index), as: UTF8.self)
    }

    private func describe(_ pattern: PatternConstant) -> String {
        let limit = pattern.isAnchored ? "" : " (unanchored)"
        return switch pattern.work {
        case .regex: "/" + escapedText(pattern.text) + "/" + limit
        case .literal(let string): quoted(string) + limit
        }
    }

    private func describe(_ step: ValueStep) -> String? {
        if case .text(let text) = step { quoted(text) } else { step.specifier?.description }
    }

    private func describe(_ form: FormConstant) -> String {
        var text = ""
        if let formType = form.formType { text += "{\(escapedText(string(formType)))}" }
        if let type = form.type { text += escapedText(string(type)) }
        if let item = form.item { text += "[\(item)]" }
        if let field = form.field { text += (text.isEmpty ? "" : " ") + quoted(field) }
        return text.isEmpty ? "any form" : text
    }
}
