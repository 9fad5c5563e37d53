// What is typed for a field, and the values that it means.

import DataForms
import Testing

@testable import StanzaCLI

@Suite("Questions for fields")
struct FieldQuestionTests {
    private func question(_ type: FieldType, _ options: [FieldOption] = []) -> FieldQuestion {
        FieldQuestion(field: FormField("f", type, options: options), type: type)
    }

    @Test("take values, labels and numbers")
    func values() {
        for text in ["y", "Yes", "true", "1"] { #expect(question(.boolean).values(of: text) == ["true"]) }
        for text in ["n", "NO", "false", "0"] { #expect(question(.boolean).values(of: text) == ["false"]) }
        #expect(question(.boolean).values(of: "maybe") == ["maybe"])
        let list = question(.listSingle, [FieldOption("a", label: "First"), "b", "10"])
        for (text, value) in [
            ("a", "a"), ("First", "a"), ("1", "a"), ("2", "b"), ("10", "10"), ("3", "10"), ("4", "4"), ("0", "0"),
        ] {
            #expect(list.values(of: text) == [value], "\(text)")
        }
        // A number that is an option is that option, and not the one of that number.
        #expect(question(.listSingle, ["2", "1"]).values(of: "1") == ["1"])
        #expect(question(.listMulti, ["a", "b", "c"]).values(of: " 1, c ,,x") == ["a", "c", "x"])
        #expect(question(.jidMulti).values(of: "a@b,  c@d") == ["a@b", "c@d"])
        for type in [FieldType.textSingle, .textPrivate, .jidSingle] {
            #expect(question(type).values(of: "a, b") == ["a, b"])
        }
        for type in FieldType.allCases { #expect(question(type).values(of: "-") == []) }
    }

    @Test("say what to type")
    func hints() {
        #expect(question(.boolean).hint == "yes/no")
        #expect(question(.listSingle, ["a", "b"]).hint == "1-2")
        #expect(question(.listMulti, ["a", "b"]).hint == "1-2, separated by commas")
        #expect(question(.textSingle).hint == nil)
        #expect(question(.listSingle, ["a", FieldOption("b", label: "B")]).numberedOptions == ["1) a", "2) B"])
        #expect(question(.textSingle, ["a"]).numberedOptions == [])
    }
}
