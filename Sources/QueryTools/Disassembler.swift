// Prints programs for people: listings, the steps of traces, statistics and sets, and the output that tests check.
//
// Names come from the query's text. The disassembler
// escapes invisible scalars in names and values: each step keeps its line, and the output holds nothing that a terminal
// would obey.

import QuerySyntax
import StanzaQuery
import XMLTree

extension Query {
    /// The annotated program, one step in a line: address, part of the query (UTF-8 offsets), name, operands, effect on
    /// the stack, synopsis.
    ///
    /// ```text
    /// 0  0-4  child  body  ( p -- p c )  the children that fit
    /// 1  4-5  yield  text  ( c -- c )    a result, if there is one
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
    /// - Parameter showingBytes: Whether to show the encoding of the steps, and the strings after them.
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
    /// The part of the query that the step comes from, in UTF-8 offsets.
    public let range: Range<Int>
}

/// Prints the program of one query.
struct Disassembler {
    private let program: Program
    private let values: [Slice<UnsafeBufferPointer<ValuePiece>>]

    init(_ program: Program) {
        self.program = program
        values = program.valueList
    }

    var listing: String { texts.joined(separator: "\n") }

    var lines: [ListedInstruction] {
        texts.enumerated().map { ListedInstruction(text: $1, range: range(at: $0)) }
    }

    var listingWithBytes: String {
        var lines: [String] = []
        for (step, line) in zip(program.steps, texts) {
            lines.append(line)
            lines.append("   " + withUnsafeBytes(of: step) { hexadecimal($0) })
        }
        let strings = UnsafeRawBufferPointer(start: program.strings, count: program.stringByteCount)
        lines.append("strings, each after its length:")
        for start in stride(from: 0, to: strings.count, by: 16) {
            let row = UnsafeRawBufferPointer(rebasing: strings[start..<min(start + 16, strings.count)])
            lines.append("   " + hexadecimal(row))
        }
        return lines.joined(separator: "\n")
    }

    /// One step's name and operands.
    func describe(at address: Int) -> String {
        let operands = operands(at: address)
        return operands.isEmpty ? "\(program.steps[address].op)" : "\(program.steps[address].op) \(operands)"
    }

    /// The same without the way back.
    func edge(at address: Int) -> String {
        let step = program.steps[address]
        return step.op == .child ? "child " + element(step, at: address) : describe(at: address)
    }

    func range(at address: Int) -> SourceRange { program.place(of: address).range }

    /// The listing line by line: a line for each step.
    private var texts: [String] {
        let rows = program.steps.enumerated().map { address, step in
            let range = range(at: address)
            return [
                String(address), "\(range.lowerBound)-\(range.upperBound)", "\(step.op)", operands(at: address),
                step.op.effect, step.op.synopsis,
            ]
        }
        return alignedLines(of: rows, numbers: [0])
    }

    private func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    // MARK: Operands

    private func operands(at address: Int) -> String {
        let step = program.steps[address]
        return switch step.op {
        case .child: element(step, at: address) + outer(of: step, after: ", ")
        case .own: filter(at: address) ?? element(step, at: address)
        case .not: program.name(of: address).map { escapedText($0.local) } ?? "…"
        case .leave: outer(of: step, after: "")
        case .ascend: ""
        case .filter: attribute(at: address) + " " + condition(of: step)
        case .yield: result(step, at: address)
        }
    }

    private func outer(of step: Step, after separator: String) -> String {
        step.outer == 0 ? "" : separator + "else \(step.outer - 1)"
    }

    /// The test of an element, as a query has it; `…` for what its text does not have.
    private func element(_ step: Step, at address: Int) -> String {
        let name = program.name(of: address).map { (escapedText($0.prefix), escapedText($0.local)) }
        return switch step.test {
        case .name: name.map { $0 + $1 } ?? "{…}…"
        case .inherited: name?.1 ?? "…"
        case .anywhere: "{*}" + (name?.1 ?? "…")
        case .namespace: (name?.0 ?? "{…}") + "*"
        case .inheritedNamespace: "*"
        case .any: "{*}*"
        }
    }

    /// The text of a filter that tests the namespace.
    private func filter(at address: Int) -> String? {
        let text = program.text(in: range(at: address))
        return text.first == "<" ? escapedText(text) : nil
    }

    private func attribute(at address: Int) -> String {
        program.name(of: address).map { escapedText($0.prefix + $0.local) } ?? "…"
    }

    private func condition(of step: Step) -> String {
        let condition =
            switch step.condition {
            case .exists: "exists"
            case .equals where step.takesArgument:
                "= " + values[Int(step.operand)].compactMap(describe).joined(separator: " ")
            case .equals: "= " + quoted(program.string(of: step))
            case .isOneOf: "= " + alternatives(of: step).joined(separator: " | ")
            case .hasPrefix: "begins with " + quoted(program.string(of: step))
            case .hasSuffix: "ends with " + quoted(program.string(of: step))
            case .contains: "contains " + quoted(program.string(of: step))
            case .matches:
                "~ /\(escapedText(program.pattern(of: step).text))/"
                    + (program.pattern(of: step).regex.isAnchored ? "" : " (unanchored)")
            }
        return condition + (step.ignoresCase ? " ignoring case" : "")
    }

    private func result(_ step: Step, at address: Int) -> String {
        let result =
            switch step.result {
            case .attribute: "@" + attribute(at: address)
            case .form: "form " + describe(program.form(of: step))
            case .field: "value of " + describe(program.form(of: step))
            case .description: "description of " + describe(program.form(of: step))
            default: "\(step.result)"
            }
        let manner = program.isStrict ? " strictly as " : " as "
        return result + (step.conversion.map { manner + $0.rawValue } ?? "")
    }

    private func alternatives(of step: Step) -> [String] {
        var rest = program.string(of: step)
        let prefix = rest.removeString().map(text) ?? ""
        return IteratorSequence(AnyIterator { rest.removeString() }).map { quotedText(prefix + text($0)) }
    }

    private func quoted(_ string: UnsafeBufferPointer<UInt8>) -> String { quotedText(text(string)) }

    private func text(_ string: UnsafeBufferPointer<UInt8>) -> String { String(decoding: string, as: UTF8.self) }

    private func describe(_ piece: ValuePiece) -> String? {
        if case .text(let text) = piece { quoted(program.string(text)) } else { piece.specifier?.description }
    }

    private func describe(_ form: FormConstant) -> String {
        var description = ""
        if let formType = form.formType { description += "{\(escapedText(text(program.string(formType))))}" }
        if let type = form.type { description += escapedText(text(program.string(type))) }
        if let item = form.item { description += "[\(item)]" }
        if let field = form.field { description += (description.isEmpty ? "" : " ") + quoted(program.string(field)) }
        return description.isEmpty ? "of any type" : description
    }
}

extension Step.Op {
    /// The effect on the stack, apart from failing.
    var effect: String {
        switch self {
        case .child: "( p -- p c )"
        case .leave: "( p c -- p )"
        case .ascend: "( c -- p )"
        case .own, .not, .filter, .yield: "( c -- c )"
        }
    }

    /// The step in a few words.
    var synopsis: String {
        switch self {
        case .child: "the children that fit"
        case .own: "fits itself"
        case .not: "has another name"
        case .leave: "back to the parent, once"
        case .ascend: "the context's parent; a root stays"
        case .filter: "has a value that fits"
        case .yield: "a result, if there is one"
        }
    }

    /// Whether the step leads to other elements.
    var moves: Bool { self == .child || self == .leave || self == .ascend }
}

extension Program {
    /// The pieces of each value, without its end.
    var valueList: [Slice<UnsafeBufferPointer<ValuePiece>>] {
        values.split(omittingEmptySubsequences: false) { if case .end = $0 { true } else { false } }
    }
}
