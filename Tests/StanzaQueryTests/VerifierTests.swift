// Programs that the compiler never makes, and the verifier's faults for them; and all programs that it does make.

import Foundation
import QuerySyntax
import StanzaPatterns
import TestSupport
import Testing
import XMLTree

@testable import StanzaQuery

@Suite struct VerifierTests {
    private static let name = NameKey(.local, "a")

    private func fault(
        _ instructions: [Instruction], _ build: (inout ProgramBuilder) -> Void = { _ in }
    ) -> Verifier.Fault? {
        var builder = ProgramBuilder(range: 0..<0, steps: 0)
        build(&builder)
        return Verifier.firstFault(in: Program(builder, instructions, firstMachineStep: 0, resultKind: .element))
    }

    @Test func goodPrograms() {
        #expect(fault([.yieldElement]) == nil)
        #expect(fault([.childrenAll(outer: nil), .yieldElement]) == nil)
        #expect(fault([.childrenAll(outer: nil), .leave(outer: nil), .yieldAttributes]) == nil)
        #expect(fault([.childrenAll(outer: nil), .childrenAll(outer: Address(rawValue: 0)), .yieldElement]) == nil)
        #expect(fault([.loadText, .yieldString]) == nil)
        #expect(fault([.loadText, .drop, .loadName, .yieldConverted(.int, isStrict: false)]) == nil)
    }

    @Test func ends() {
        #expect(fault([]) == Verifier.Fault(address: 0, problem: .misplacedEnd))
        #expect(fault([.childrenAll(outer: nil)]) == Verifier.Fault(address: 0, problem: .misplacedEnd))
        #expect(fault([.yieldElement, .yieldElement]) == Verifier.Fault(address: 0, problem: .misplacedEnd))
        #expect(fault([.loadText, .yieldString, .ascend]) == Verifier.Fault(address: 1, problem: .misplacedEnd))
        #expect(fault([.ascend, .loadText]) == Verifier.Fault(address: 1, problem: .misplacedEnd))
    }

    @Test func stackDepth() {
        let faults: [([Instruction], Int)] = [
            // A missing value.
            ([.yieldString], 0),
            ([.drop, .yieldElement], 0),
            ([.childrenAll(outer: nil), .equals(StringIndex(rawValue: 0)), .yieldElement], 1),
            ([.loadText, .drop, .yieldString], 2),
            // A value that remains.
            ([.loadText, .yieldElement], 1),
            ([.loadText, .loadText, .yieldString], 1),
            ([.loadText, .isInInherited, .yieldString], 1),
            ([.loadText, .childrenAll(outer: nil), .yieldElement], 1),
            // A missing cursor.
            ([.leave(outer: nil), .yieldElement], 0),
            ([.childrenAll(outer: nil), .leave(outer: nil), .leave(outer: nil), .yieldElement], 2),
            // The context's cursor is not the top one.
            ([.childrenAll(outer: nil), .ascend, .yieldElement], 1),
        ]
        for (program, address) in faults {
            #expect(fault(program) == Verifier.Fault(address: address, problem: .stackDepth), "\(program)")
        }
    }

    @Test func outerSteps() {
        let first = Address(rawValue: 0)
        let faults: [([Instruction], Int)] = [
            ([.childrenAll(outer: first), .yieldElement], 0),
            ([.childrenAll(outer: nil), .childrenAll(outer: nil), .yieldElement], 1),
            ([.childrenAll(outer: nil), .childrenAll(outer: Address(rawValue: 1)), .yieldElement], 1),
            ([.childrenAll(outer: nil), .leave(outer: first), .yieldElement], 1),
            ([.childrenAll(outer: nil), .childrenAll(outer: first), .leave(outer: nil), .yieldElement], 2),
            ([.childrenNamed(Self.name, outer: Address(rawValue: 7)), .yieldElement], 0),
            ([.isInInherited, .childrenAll(outer: first), .yieldElement], 1),
        ]
        for (program, address) in faults {
            #expect(fault(program) == Verifier.Fault(address: address, problem: .outerStep), "\(program)")
        }
    }

    private func expect(
        _ operand: Operand, at address: Int, _ instructions: [Instruction],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ build: (inout ProgramBuilder) -> Void = { _ in }
    ) {
        #expect(
            fault(instructions, build) == Verifier.Fault(address: address, problem: .operand(operand)),
            sourceLocation: sourceLocation)
    }

    @Test func operands() throws {
        let regex = try withBytes("a") { try Regex($0) }
        let string = StringIndex(rawValue: 9)
        expect(.string(string), at: 0, [.attributeEquals(Self.name, string), .yieldElement])
        expect(.string(string), at: 1, [.loadText, .equals(string), .yieldElement]) {
            _ = $0.string("1234567")
        }
        expect(
            .strings(StringListIndex(rawValue: 1)), at: 1,
            [.loadText, .isOneOf(StringListIndex(rawValue: 1)), .yieldElement]
        ) {
            let list = [$0.string("a")]
            _ = $0.stringList(list)
        }
        expect(
            .regex(PatternIndex(rawValue: 1)), at: 1, [.loadText, .matches(PatternIndex(rawValue: 1)), .yieldElement]
        ) {
            _ = $0.pattern(
                PatternConstant(work: .regex(regex), text: "a", isAnchored: false, range: 0..<1))
        }
        expect(
            .argument(ArgumentIndex(rawValue: 0)), at: 0,
            [.attributeEqualsArgument(Self.name, ArgumentIndex(rawValue: 0)), .yieldElement])
        expect(
            .attribute(AttributeIndex(rawValue: 0)), at: 0,
            [.loadResolvedAttribute(AttributeIndex(rawValue: 0)), .yieldString])
        expect(.form(FormIndex(rawValue: 0)), at: 0, [.yieldForm(FormIndex(rawValue: 0))])
        expect(.formField(FormIndex(rawValue: 1)), at: 0, [.loadField(FormIndex(rawValue: 1)), .yieldString]) {
            _ = $0.form(FormConstant())
        }
    }

    @Test func operandsAreOfTheRightKind() throws {
        let regex = try withBytes("a+") { try Regex($0) }
        let string = StringIndex(rawValue: 3)
        expect(.string(string), at: 1, [.loadText, .equals(string), .yieldElement]) {
            _ = $0.string("inside of a string")
        }
        expect(
            .strings(StringListIndex(rawValue: 0)), at: 1,
            [.loadText, .isOneOf(StringListIndex(rawValue: 0)), .yieldElement]
        ) {
            _ = $0.stringList([StringIndex(rawValue: 9)])
        }
        expect(
            .literal(PatternIndex(rawValue: 0)), at: 1,
            [.loadText, .contains(PatternIndex(rawValue: 0)), .yieldElement]
        ) {
            _ = $0.pattern(
                PatternConstant(work: .regex(regex), text: "a", isAnchored: false, range: 0..<1))
        }
        expect(
            .regex(PatternIndex(rawValue: 0)), at: 1, [.loadText, .matches(PatternIndex(rawValue: 0)), .yieldElement]
        ) {
            let text = $0.string("a")
            _ = $0.pattern(PatternConstant(work: .literal(text), text: "a", isAnchored: false, range: 0..<1))
        }
        expect(.formField(FormIndex(rawValue: 0)), at: 0, [.yieldFieldText(FormIndex(rawValue: 0))]) {
            _ = $0.form(FormConstant())
        }
        expect(.form(FormIndex(rawValue: 0)), at: 0, [.yieldForm(FormIndex(rawValue: 0))]) {
            _ = $0.form(FormConstant(type: StringIndex(rawValue: 100)))
        }
    }

    /// Every query of the conformance suites that compiles gives a valid program, with every set of options.
    @Test func programsOfTheConformanceSuites() throws {
        let queries = try ConformanceCase.all().map(\.query)
        var verified = 0
        for query in queries {
            for options in 0..<4 {
                guard let compiled = try? Query(query, options: QueryOptions(rawValue: UInt8(options))) else {
                    continue
                }
                #expect(Verifier.firstFault(in: compiled.program) == nil, "\(query)")
                verified += 1
            }
        }
        #expect(verified > 1000, "of \(queries.count) queries")
    }
}
