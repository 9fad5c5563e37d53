// Hostile forms: the module reads, checks, renders, answers and writes any of them without a failure.

import TestSupport
import Testing
import XMLTree

@testable import DataForms

@Suite struct HostileFormTests {
    @Test(.timeLimit(.minutes(60))) func nothingBreaks() throws {
        for number in 0..<SeededGenerator.cases(default: 200) {
            var random = SeededGenerator(salt: 0xF0_4A_00 + UInt64(number))
            let element = try HostileForms.element(&random)
            let comment: Comment = "case \(number), STANZA_SEED=\(SeededGenerator.seed): \(element)"
            let form = try #require(DataForm(element), comment)
            #expect(try form.element() == element, comment)
            // Without a remembered element, only the properties remain, and they can be written.
            var forgetful = form
            forgetful.forgetElement()
            #expect(try DataForm(forgetful.element()) == form, comment)
            isSeenTheSame(form, element, comment)
            isFitForTerminals(form, comment)
            try isAnswered(form, element, &random, comment)
        }
    }

    /// Expects that the form as a value equals the form in place, in either kind of tree.
    private func isSeenTheSame(_ form: DataForm, _ element: Element, _ comment: Comment) {
        func check(_ inPlace: (any ReadableForm)?) {
            for name in form.keys {
                for item in [nil] + form.items.indices.map({ $0 }) + [form.items.count] {
                    #expect(inPlace?.value(of: name, inItem: item) == form.value(of: name, inItem: item), comment)
                    #expect(inPlace?.field(name, inItem: item) == form.field(name, inItem: item), comment)
                }
            }
            #expect(inPlace?.itemCount == form.items.count && inPlace?.rawKind == form.rawKind, comment)
        }
        check(DataFormElement(element))
        check(DataFormElement(element.thaw()))
    }

    private func isFitForTerminals(_ form: DataForm, _ comment: Comment) {
        let sentences =
            (form.faults(registry: .standard) + form.faults).map(\.description)
            + form.problems().map(\.description) + form.fields.map { "\($0)" } + form.items.map { "\($0)" }
        #expect(sentences.allSatisfy(isPrintable), comment)
        for width in [0, 33, 120] {
            let lines = form.rendered(width: width).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy(isPrintable), comment)
            #expect(lines.allSatisfy { $0.columnCount <= max(20, width) }, comment)
        }
    }

    private func isPrintable(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: scalar.value != 0x202E
            }
        }
    }

    private func isAnswered(
        _ form: DataForm, _ element: Element, _ random: inout SeededGenerator, _ comment: Comment
    ) throws {
        var answer = FormAnswer(to: form)
        for name in form.keys + ["more"] where random.chance(50) {
            answer.set(name, to: random.pick([[], [""], ["a", "b"], ["1"], ["a@b", "A@B"], ["x\ny"], ["true"]]))
        }
        #expect(isPrintable("\(answer)"), comment)
        do throws(FormRejection) {
            let submission = try answer.submission()
            #expect(form.problems(in: submission) == [], comment)
            let written = try? submission.element()
            #expect(written.flatMap { DataForm($0) } == submission, comment)
            if let formType = form.formType { #expect(submission.formType.isIdentical(to: formType), comment) }
        } catch {
            #expect(!error.problems.isEmpty && error.problems == answer.problems, comment)
            #expect(error.problems.allSatisfy { isPrintable($0.description) }, comment)
            #expect(error.errorElement().freeze().children.count == 2, comment)
        }
        let stanza = MutableElement("iq") { element }.freeze()
        #expect(try form.cancellation().reply(to: stanza, id: "1")?.children.count == 1, comment)
    }
}
