// Values against the definitions of their fields (XEP-0004 §3.3, XEP-0122), with the sentences for their problems.

import TestSupport
import Testing

@testable import DataForms

@Suite struct FieldCheckTests {
    private func problem(_ field: FormField, _ values: [String], isComplete: Bool = true) -> String? {
        FieldCheck(field, as: field.type ?? .textSingle).problem(with: values, isComplete: isComplete)?.description
    }

    private func field(_ type: FieldType, _ validation: FieldValidation? = nil, options: [FieldOption] = [])
        -> FormField
    {
        FormField("f", type, label: "F", options: options, validation: validation)
    }

    @Test func required() {
        let field = FormField("name", .textSingle, label: "Your name", isRequired: true)
        #expect(problem(field, []) == "'Your name' (name) is required: give it a value.")
        #expect(problem(field, [""]) == "'Your name' (name) is required: give it a value.")
        #expect(problem(field, ["x"]) == nil)
        // During typing, this is not a problem.
        #expect(problem(field, [], isComplete: false) == nil)
        #expect(
            problem(FormField("f", .listMulti, isRequired: true, options: ["a"]), [])
                == "'f' is required: give it a value.")
        #expect(problem(FormField("f", .textMulti, isRequired: true), ["", ""]) == "'f' is required: give it a value.")
        // An option can be the empty text.
        #expect(problem(FormField("f", .listSingle, isRequired: true, options: ["", "a"]), [""]) == nil)
        for type in FieldType.allCases { #expect(problem(self.field(type, options: ["a"]), []) == nil) }
        // Users do not fill in hidden fields and text to read.
        #expect(problem(FormField("f", .hidden, isRequired: true), []) == nil)
        #expect(problem(FormField("f", .fixed, isRequired: true), []) == nil)
    }

    @Test func types() {
        #expect(
            problem(field(.boolean), ["maybe"])
                == "'F' (f): 'maybe' is neither yes nor no; expected true, 1, false or 0.")
        for value in ["true", "1", "false", "0"] { #expect(problem(field(.boolean), [value]) == nil) }
        #expect(problem(field(.boolean), ["TRUE"]) != nil)
        #expect(
            problem(field(.boolean), ["1", "0"])
                == "'F' (f) has 2 values, but a field of type boolean has one: leave the others out.")
        #expect(
            problem(field(.jidSingle), ["a@@b"])
                == "'F' (f): 'a@@b' is not an address; expected one such as juliet@example.org or example.org.")
        #expect(problem(field(.jidMulti), ["a@b", "c"]) == nil)
        #expect(problem(field(.jidMulti), ["a@b", "c d"])?.contains("'c d'") == true)
        let options: [FieldOption] = ["a", "b", FieldOption("c", label: "C")]
        #expect(
            problem(field(.listSingle, options: options), ["d"])
                == "'F' (f): 'd' is none of the options; expected 'a', 'b' or 'c'.")
        #expect(
            problem(field(.listSingle, options: ["a"]), ["A"]) == "'F' (f): 'A' is none of the options; expected 'a'.")
        let many = (1...20).map { FieldOption("\($0)") }
        #expect(
            problem(field(.listSingle, options: many), ["x"])?.hasSuffix(
                "expected '1', '2', '3', '4', '5', '6', '7', '8' or one of the others.") == true)
        #expect(problem(field(.listMulti, options: options), ["a", "c"]) == nil)
        // The check compares code points.
        #expect(problem(field(.listSingle, options: ["\u{E9}"]), ["e\u{301}"]) != nil)
        // A submission has no options for a comparison.
        #expect(problem(field(.listSingle), ["d"]) == nil)
        for type in [FieldType.textSingle, .textPrivate] {
            #expect(
                problem(field(type), ["a\nb"])
                    == "'F' (f) has a line break, which a field of type \(type.rawValue) cannot have: write one line.")
        }
        #expect(problem(field(.textMulti), ["a", "", "b"]) == nil)
        #expect(problem(field(.hidden), ["a", "b"]) == nil)
        #expect(problem(field(.fixed), ["a\nb", "c"]) == nil)
    }

    @Test func datatypes() {
        let port = field(.textSingle, FieldValidation("xs:unsignedShort"))
        #expect(problem(port, ["80"]) == nil)
        #expect(
            problem(port, ["70000"])
                == "'F' (f): '70000' is not a valid xs:unsignedShort; expected a whole number from 0 to 65535.")
        #expect(
            problem(field(.textSingle, FieldValidation("xs:positiveInteger")), ["0"])?.hasSuffix(
                "expected a whole number, at least 1.") == true)
        #expect(
            problem(field(.textSingle, FieldValidation("xs:negativeInteger")), ["0"])?.hasSuffix(
                "expected a whole number, at most -1.") == true)
        #expect(
            problem(field(.textSingle, FieldValidation("xs:integer")), ["x"])?.hasSuffix("expected a whole number.")
                == true)
        #expect(
            problem(field(.textSingle, FieldValidation("xs:decimal")), ["x"])?.hasSuffix("expected a decimal number.")
                == true)
        #expect(
            problem(field(.textSingle, FieldValidation("xs:dateTime")), ["today"])
                == "'F' (f): 'today' is not a valid xs:dateTime; expected a date and time, such as 2002-09-10T23:08:25Z."
        )
        // An empty line is not a value, so it fits every datatype.
        #expect(problem(port, [""]) == nil)
        // An unknown datatype is text.
        #expect(problem(field(.textSingle, FieldValidation("x:own")), ["anything"]) == nil)
        // The datatype applies to every type of field, in addition to the type itself.
        #expect(problem(field(.listSingle, FieldValidation("xs:byte"), options: ["1000"]), ["1000"]) != nil)
        #expect(problem(field(.jidSingle, FieldValidation("xs:integer")), ["a@b"]) != nil)
        #expect(problem(field(.textMulti, FieldValidation("xs:integer")), ["1", "2"]) != nil)
    }

    /// With `<open/>`, lists accept other values of the datatype, and each line is a separate value.
    @Test func open() {
        let list = field(.listSingle, FieldValidation("xs:byte", .open), options: ["1", "2"])
        #expect(problem(list, ["3"]) == nil)
        #expect(problem(list, ["1000"]) != nil)
        #expect(problem(field(.listMulti, FieldValidation(nil, .open), options: ["a"]), ["a", "own"]) == nil)
        #expect(problem(field(.listSingle, FieldValidation(), options: ["a"]), ["own"]) != nil)
        let lines = field(.textMulti, FieldValidation("xs:integer", .open))
        #expect(problem(lines, ["1", "2", ""]) == nil)
        #expect(problem(lines, ["1", "x"]) == "'F' (f): 'x' is not a valid xs:integer; expected a whole number.")
        // Every method but basic opens lists (XEP-0122 §3.2).
        #expect(
            problem(field(.listSingle, FieldValidation("xs:byte", .range(min: "1", max: "9")), options: ["1"]), ["5"])
                == nil)
        #expect(problem(field(.listMulti, FieldValidation(nil, .regex("a+")), options: ["b"]), ["aa"]) == nil)
        #expect(problem(field(.listMulti, FieldValidation(nil, .regex("a+")), options: ["b"]), ["b"]) != nil)
    }

    @Test func ranges() {
        let range = { (datatype: String?, min: String?, max: String?) in
            self.field(.textSingle, FieldValidation(datatype, .range(min: min, max: max)))
        }
        let port = range("xs:integer", "1", "65535")
        for value in ["1", "80", "065535", " 80 "] { #expect(problem(port, [value]) == nil) }
        #expect(problem(port, ["0"]) == "'F' (f): '0' is out of range; expected 1 to 65535.")
        #expect(problem(port, ["65536"]) == "'F' (f): '65536' is out of range; expected 1 to 65535.")
        #expect(problem(port, ["1.5"]) == "'F' (f): '1.5' is not a valid xs:integer; expected a whole number.")
        #expect(problem(range("xs:integer", "5", nil), ["4"]) == "'F' (f): '4' is out of range; expected at least 5.")
        #expect(problem(range("xs:integer", nil, "5"), ["6"]) == "'F' (f): '6' is out of range; expected at most 5.")
        #expect(problem(range("xs:integer", "5", "5"), ["6"]) == "'F' (f): '6' is out of range; expected exactly 5.")
        #expect(problem(range("xs:integer", nil, nil), ["6"]) == nil)
        let date = range("xs:dateTime", "2003-10-05T00:00:00-07:00", "2003-10-24T23:59:59-07:00")
        #expect(problem(date, ["2003-10-06T11:22:00-07:00"]) == nil)
        #expect(problem(date, ["2003-10-05T06:59:59Z"]) != nil)
        #expect(problem(date, ["2003-10-05T07:00:00Z"]) == nil)
        #expect(problem(range("xs:double", "0", "1"), ["NaN"]) != nil)
        // An invalid range does not count, nor does one of a datatype without order.
        #expect(problem(range("xs:integer", "x", "5"), ["9"]) == nil)
        #expect(problem(range("xs:integer", "9", "5"), ["1"]) == nil)
        #expect(problem(range("xs:string", "a", "b"), ["c"]) == nil)
        #expect(problem(range(nil, "1", "2"), ["3"]) == nil)
        #expect(problem(range("xs:anyURI", "a", "b"), ["c"]) == nil)
    }

    @Test func patterns() {
        let ssn = field(.textSingle, FieldValidation("xs:string", .regex("([0-9]{3})-([0-9]{2})-([0-9]{4})")))
        #expect(problem(ssn, ["123-12-1234"]) == nil)
        #expect(
            problem(ssn, ["123"])
                == "'F' (f): '123' does not have the right form; expected a match of ([0-9]{3})-([0-9]{2})-([0-9]{4}).")
        #expect(
            problem(field(.textSingle, FieldValidation("xs:integer", .regex("1.*"))), ["2"])?.contains("right form")
                == true)
        #expect(
            problem(field(.textSingle, FieldValidation("xs:integer", .regex("1.*"))), ["1x"])?.contains("xs:integer")
                == true)
        // An invalid pattern does not count.
        #expect(problem(field(.textSingle, FieldValidation(nil, .regex("("))), ["x"]) == nil)
        let slow = field(.textSingle, FieldValidation(nil, .regex("(a+)+")))
        #expect(
            problem(slow, [String(repeating: "a", count: 40) + "!"])
                == "'F' (f): whether '\(String(repeating: "a", count: 40))!' matches (a+)+ takes too long to decide; "
                + "expected something shorter or simpler.")
        // The first value that takes too long ends the check.
        let many = Array(repeating: String(repeating: "a", count: 40) + "!", count: 10_000)
        let time = processorTime { _ = problem(field(.textMulti, FieldValidation(nil, .regex("(a+)+"))), many) }
        #expect(time < 10)
    }

    @Test func listRanges() {
        let range = { (min: Int?, max: Int?) in
            self.field(
                .listMulti, FieldValidation(listRange: .init(min: min, max: max)), options: ["1", "2", "3", "4"])
        }
        #expect(problem(range(1, 3), ["1", "2", "3"]) == nil)
        #expect(problem(range(1, 3), ["1", "2", "3", "4"]) == "'F' (f) has 4 values; expected 1 to 3.")
        #expect(problem(range(2, nil), ["1"]) == "'F' (f) has 1 value; expected at least 2.")
        #expect(problem(range(nil, 1), ["1", "2"]) == "'F' (f) has 2 values; expected at most 1.")
        #expect(problem(range(2, 2), ["1"]) == "'F' (f) has 1 value; expected exactly 2.")
        #expect(problem(range(nil, nil), ["1"]) == nil)
        // An optional field may be omitted; during input, the user may still add values.
        #expect(problem(range(2, 3), []) == nil)
        #expect(problem(range(2, 3), ["1"], isComplete: false) == nil)
        #expect(problem(range(1, 2), ["1", "2", "3"], isComplete: false) != nil)
        // The bounds do not count for any other type.
        #expect(problem(field(.jidMulti, FieldValidation(listRange: .init(min: 2, max: 2))), ["a@b"]) == nil)
    }

    /// Otherwise the user could not submit the form.
    @Test func impossibleListRangesDoNotCount() throws {
        let form = { (min: Int?, max: Int?, method: FieldValidation.Method) in
            DataForm(
                .form,
                fields: [
                    FormField(
                        "f", .listMulti, options: ["1", "2", "3"],
                        validation: FieldValidation(nil, method, listRange: .init(min: min, max: max)))
                ])
        }
        for (min, max) in [(3, 1), (nil, 0), (nil, -1), (4, nil), (4, 9), (0, 0), (.max, .min)] as [(Int?, Int?)] {
            for chosen in [["1"], ["1", "2"], ["1", "2", "3"]] {
                var answer = FormAnswer(to: form(min, max, .basic))
                answer.set("f", to: chosen)
                #expect(try answer.submission().values(of: "f") == chosen, "\(String(describing: (min, max)))")
            }
        }
        // The possible bound counts.
        #expect(problem(form(-1, 1, .basic).fields[0], ["1", "2"]) != nil)
        #expect(problem(form(2, 0, .basic).fields[0], ["1"]) != nil)
        #expect(problem(form(4, 2, .open).fields[0], ["1", "2", "3"]) == nil)
        // A list that accepts other values can have more values than options.
        #expect(problem(form(4, nil, .open).fields[0], ["1", "2", "3"]) != nil)
        #expect(problem(form(4, nil, .open).fields[0], ["1", "2", "3", "x"]) == nil)
    }

    /// A value that XML cannot hold is a problem of its field, not a late error. Messages neither show hidden values
    /// nor print terminal control characters.
    @Test func forbiddenCharacters() throws {
        let sentence = "has a character that XML cannot hold, such as a control character: leave it out."
        #expect(problem(field(.textSingle), ["a\u{1}"]) == "'F' (f): 'a\u{FFFD}' \(sentence)")
        #expect(problem(field(.textMulti), ["a", "\u{FFFE}"])?.hasSuffix(sentence) == true)
        #expect(problem(field(.textPrivate), ["\u{0}"]) == "'F' (f): this value \(sentence)")
        #expect(problem(field(.textSingle), ["tab\t, \u{85}, \u{10FFFF}"]) == nil)
        var answer = FormAnswer(to: DataForm(.form, fields: [field(.textSingle)]))
        answer["f"] = "\u{1B}"
        #expect(throws: FormRejection.self) { try answer.submission() }
    }

    @Test func sentences() {
        let secret = FormField("pin", .textPrivate, validation: FieldValidation("xs:integer"))
        let problem = FieldCheck(secret, as: .textPrivate).problem(with: ["hunter2"])
        #expect(problem?.description == "'pin': this value is not a valid xs:integer; expected a whole number.")
        #expect(!String(reflecting: problem as Any).contains("hunter2"))
        for validation in [
            FieldValidation("xs:integer", .range(min: "1", max: "2")), FieldValidation(nil, .regex("x")),
        ] {
            let secret = FormField("pin", .textPrivate, validation: validation)
            #expect(
                !String(reflecting: FieldCheck(secret, as: .textPrivate).problem(with: ["33"]) as Any).contains("33"))
        }
        let hostile = FormField("a\u{1B}[2J\n\u{202E}b", .boolean, label: "")
        #expect(
            self.problem(hostile, ["\u{7}\r"])?.hasPrefix("'a\u{FFFD}[2J \u{FFFD}b': '\u{FFFD}\u{FFFD}' is neither")
                == true)
        let long = self.problem(field(.boolean), [String(repeating: "x", count: 500)])
        #expect(long?.hasPrefix("'F' (f): '\(String(repeating: "x", count: 80))…' is neither") == true)
    }
}
