// The typed text for a field, and its values.

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
        // No number ends the dialog.
        for number in [Int.min, .min + 1, -1, .max] {
            #expect(list.values(of: "\(number)") == ["\(number)"])
        }
        // A number that is an option selects that option, and not the one with that number.
        #expect(question(.listSingle, ["2", "1"]).values(of: "1") == ["1"])
        #expect(question(.listMulti, ["a", "b", "c"]).values(of: " 1, c ,,x") == ["a", "c", "x"])
        #expect(question(.jidMulti).values(of: "a@b,  c@d") == ["a@b", "c@d"])
        for type in [FieldType.textSingle, .textPrivate, .jidSingle] {
            #expect(question(type).values(of: "a, b") == ["a, b"])
        }
        for type in FieldType.allCases { #expect(question(type).values(of: "-") == []) }
    }

    @Test("accept a canonically equivalent text for an option or a label")
    func equivalents() {
        let list = question(.listSingle, ["e\u{301}", FieldOption("x", label: "u\u{308}")])
        #expect(list.values(of: "\u{E9}").map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
        #expect(list.values(of: "e\u{301}") == ["e\u{301}"])
        #expect(list.values(of: "\u{FC}") == ["x"])
        // The identical text takes precedence.
        let both = question(.listSingle, ["e\u{301}", "\u{E9}"])
        #expect(both.values(of: "\u{E9}").map { Array($0.utf8) } == [Array("\u{E9}".utf8)])
        // A comma separates values, before any character.
        #expect(question(.jidMulti).values(of: "a,\u{301}b") == ["a", "\u{301}b"])
    }

    @Test("know possible continuations of a line")
    func completions() {
        #expect(question(.boolean).completion(of: "Ye") == "yes")
        #expect(question(.boolean).completion(of: "may") == nil)
        let list = question(.listSingle, ["red", FieldOption("b", label: "Blue")])
        #expect(list.completion(of: "re") == "red")
        #expect(list.completion(of: "Bl") == "Blue")
        #expect(list.completion(of: "x") == nil)
        let several = question(.listMulti, ["red", "blue"])
        #expect(several.completion(of: "red, bl") == "red,blue")
        #expect(several.completion(of: "red, x") == nil)
        #expect(question(.jidSingle).completion(of: "a@") == "a@x")
        #expect(question(.textSingle).completion(of: "a") == nil)
    }

    @Test("show the values of a yes or no as they are typed")
    func shownValues() {
        #expect(["1", "true", "0", "false", "x"].map(question(.boolean).shown) == ["yes", "yes", "no", "no", "x"])
        #expect(question(.textSingle).shown("1") == "1")
    }

    @Test("show how to answer")
    func hints() {
        #expect(question(.boolean).hint == "yes/no")
        #expect(question(.listSingle, ["a", "b"]).hint == "1-2")
        #expect(question(.listMulti, ["a", "b"]).hint == "1-2, separated by commas")
        #expect(question(.textSingle).hint == nil)
        #expect(question(.listSingle, ["a", FieldOption("b", label: "B")]).numberedOptions == ["1) a", "2) B"])
        #expect(question(.textSingle, ["a"]).numberedOptions == [])
    }
}
