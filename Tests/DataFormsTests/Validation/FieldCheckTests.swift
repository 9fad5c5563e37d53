// Values against the definitions of their fields (XEP-0004 §3.3, XEP-0122), with the sentences for their problems.

import TestSupport
import Testing

@testable import DataForms

@Suite struct FieldCheckTests {
    private func problem(_ field: FormField, _ values: [String], isComplete: Bool = true) -> String? {
        FieldCheck(field, as: field.type ?? .textSingle).problem(with: values, isComplete: isComplete)?.description
    }

    private static func field(
        _ type: FieldType, _ validation: FieldValidation? = nil, options: [FieldOption] = [], isRequired: Bool = false
    ) -> FormField {
        FormField("f", type, label: "F", isRequired: isRequired, options: options, validation: validation)
    }

    private static func typed(
        _ datatype: String?, _ method: FieldValidation.Method = .basic, _ type: FieldType = .textSingle,
        options: [FieldOption] = []
    ) -> FormField {
        field(type, FieldValidation(datatype, method), options: options)
    }

    private static func range(_ datatype: String?, _ min: String?, _ max: String?) -> FormField {
        typed(datatype, .range(min: min, max: max))
    }

    private static func bounded(_ min: Int?, _ max: Int?, _ type: FieldType = .listMulti) -> FormField {
        field(type, FieldValidation(listRange: .init(min: min, max: max)), options: ["1", "2", "3", "4"])
    }

    private static let options: [FieldOption] = ["a", "b", FieldOption("c", label: "C")]
    private static let ssn = typed("xs:string", .regex("([0-9]{3})-([0-9]{2})-([0-9]{4})"))
    private static let missing = "is required: give it a value."
    private static let slow = String(repeating: "a", count: 40) + "!"
    private static let forbidden = "has a character that XML cannot hold, such as a control character: leave it out."

    /// Fields, each with values and the sentence for their problem, without its subject.
    private static let checks: [(field: FormField, values: [String], problem: String?)] = [
        // Required fields. An option can be the empty text. Users do not fill in hidden fields and text to read.
        (field(.textSingle, isRequired: true), [], missing), (field(.textSingle, isRequired: true), [""], missing),
        (field(.textSingle, isRequired: true), ["x"], nil), (field(.textMulti, isRequired: true), ["", ""], missing),
        (field(.listMulti, options: ["a"], isRequired: true), [], missing),
        (field(.listSingle, options: ["", "a"], isRequired: true), [""], nil),
        (field(.hidden, isRequired: true), [], nil), (field(.fixed, isRequired: true), [], nil),
        (FormField("f", .listMulti, isRequired: true), [], "'f' is required: give it a value."),
        // Types.
        (field(.boolean), ["maybe"], "'maybe' is neither yes nor no; expected true, 1, false or 0."),
        (field(.boolean), ["true"], nil), (field(.boolean), ["1"], nil), (field(.boolean), ["false"], nil),
        (field(.boolean), ["0"], nil),
        (field(.boolean), ["TRUE"], "'TRUE' is neither yes nor no; expected true, 1, false or 0."),
        (field(.boolean), ["1", "0"], "has 2 values, but a field of type boolean has one: leave the others out."),
        (field(.jidSingle), ["a@@b"], "'a@@b' \(noAddress)"), (field(.jidMulti), ["a@b", "c"], nil),
        (field(.jidMulti), ["a@b", "c d"], "'c d' \(noAddress)"),
        (field(.listSingle, options: options), ["d"], "'d' is none of the options; expected 'a', 'b' or 'c'."),
        (field(.listSingle, options: ["a"]), ["A"], "'A' is none of the options; expected 'a'."),
        (
            field(.listSingle, options: (1...20).map { FieldOption("\($0)") }), ["x"],
            "'x' is none of the options; expected '1', '2', '3', '4', '5', '6', '7', '8' or one of the others."
        ), (field(.listMulti, options: options), ["a", "c"], nil),
        // The check compares code points.
        (
            field(.listSingle, options: ["\u{E9}"]), ["e\u{301}"],
            "'e\u{301}' is none of the options; expected '\u{E9}'."
        ),
        // A submission has no options for a comparison.
        (field(.listSingle), ["d"], nil),
        (
            field(.textPrivate), ["a\nb"],
            "has a line break, which a field of type text-private cannot have: write one line."
        ), (field(.textMulti), ["a", "", "b"], nil), (field(.hidden), ["a", "b"], nil),
        (field(.fixed), ["a\nb", "c"], nil),
        // Datatypes. An empty line is not a value, so it fits every one. An unknown one is text.
        (typed("xs:unsignedShort"), ["80"], nil), (typed("xs:unsignedShort"), [""], nil),
        (typed("x:own"), ["anything"], nil),
        (
            typed("xs:unsignedShort"), ["70000"],
            "'70000' is not a valid xs:unsignedShort; expected a whole number from 0 to 65535."
        ),
        (
            typed("xs:positiveInteger"), ["0"],
            "'0' is not a valid xs:positiveInteger; expected a whole number, at least 1."
        ),
        (
            typed("xs:negativeInteger"), ["0"],
            "'0' is not a valid xs:negativeInteger; expected a whole number, at most -1."
        ), (typed("xs:integer"), ["x"], "'x' is not a valid xs:integer; expected a whole number."),
        (typed("xs:decimal"), ["x"], "'x' is not a valid xs:decimal; expected a decimal number."),
        (
            typed("xs:dateTime"), ["today"],
            "'today' is not a valid xs:dateTime; expected a date and time, such as 2002-09-10T23:08:25Z."
        ),
        // The datatype applies to every type of field, in addition to the type itself.
        (
            typed("xs:byte", .basic, .listSingle, options: ["1000"]), ["1000"],
            "'1000' is not a valid xs:byte; expected a whole number from -128 to 127."
        ),
        (typed("xs:integer", .basic, .jidSingle), ["a@b"], "'a@b' is not a valid xs:integer; expected a whole number."),
        // Without `<open/>`, the lines are one value. With it, each line is a separate one, and lists accept other
        // values.
        (
            typed("xs:integer", .basic, .textMulti), ["1", "2"],
            "'1 2' is not a valid xs:integer; expected a whole number."
        ), (typed("xs:integer", .open, .textMulti), ["1", "2", ""], nil),
        (
            typed("xs:integer", .open, .textMulti), ["1", "x"],
            "'x' is not a valid xs:integer; expected a whole number."
        ), (typed("xs:byte", .open, .listSingle, options: ["1"]), ["3"], nil),
        (typed(nil, .open, .listMulti, options: ["a"]), ["a", "own"], nil),
        (typed(nil, .basic, .listSingle, options: ["a"]), ["own"], "'own' is none of the options; expected 'a'."),
        // Every method but basic opens lists (XEP-0122 §3.2).
        (typed("xs:byte", .range(min: "1", max: "9"), .listSingle, options: ["1"]), ["5"], nil),
        (typed(nil, .regex("a+"), .listMulti, options: ["b"]), ["aa"], nil),
        (
            typed(nil, .regex("a+"), .listMulti, options: ["b"]), ["b"],
            "'b' does not have the right form; expected a match of a+."
        ),
        // Ranges. An invalid one does not count, nor does one of a datatype without order.
        (range("xs:integer", "1", "65535"), ["1"], nil), (range("xs:integer", "1", "65535"), ["065535"], nil),
        (range("xs:integer", "1", "65535"), [" 80 "], nil),
        (range("xs:integer", "1", "65535"), ["0"], "'0' is out of range; expected 1 to 65535."),
        (range("xs:integer", "1", "65535"), ["65536"], "'65536' is out of range; expected 1 to 65535."),
        (range("xs:integer", "5", nil), ["4"], "'4' is out of range; expected at least 5."),
        (range("xs:integer", nil, "5"), ["6"], "'6' is out of range; expected at most 5."),
        (range("xs:integer", "5", "5"), ["6"], "'6' is out of range; expected exactly 5."),
        (range("xs:integer", nil, nil), ["6"], nil), (range("xs:integer", "x", "5"), ["9"], nil),
        (range("xs:integer", "9", "5"), ["1"], nil), (range("xs:string", "a", "b"), ["c"], nil),
        (range(nil, "1", "2"), ["3"], nil),
        (range("xs:dateTime", "2003-10-05T00:00:00-07:00", nil), ["2003-10-05T07:00:00Z"], nil),
        (
            range("xs:dateTime", "2003-10-05T00:00:00-07:00", nil), ["2003-10-05T06:59:59Z"],
            "'2003-10-05T06:59:59Z' is out of range; expected at least 2003-10-05T00:00:00-07:00."
        ), (range("xs:double", "0", "1"), ["NaN"], "'NaN' is out of range; expected 0 to 1."),
        // Patterns. An invalid one does not count.
        (ssn, ["123-12-1234"], nil), (typed(nil, .regex("(")), ["x"], nil),
        (ssn, ["123"], "'123' does not have the right form; expected a match of ([0-9]{3})-([0-9]{2})-([0-9]{4})."),
        (typed("xs:integer", .regex("1.*")), ["1x"], "'1x' is not a valid xs:integer; expected a whole number."),
        (
            typed(nil, .regex("(a+)+")), [slow],
            "whether '\(slow)' matches (a+)+ takes too long to decide; expected something shorter or simpler."
        ),
        // Numbers of values. An optional field may be omitted, and the bounds count for lists only.
        (bounded(1, 3), ["1", "2", "3"], nil),
        (bounded(1, 3), ["1", "2", "3", "4"], "has 4 values; expected 1 to 3."),
        (bounded(2, nil), ["1"], "has 1 value; expected at least 2."),
        (bounded(nil, 1), ["1", "2"], "has 2 values; expected at most 1."),
        (bounded(2, 2), ["1"], "has 1 value; expected exactly 2."), (bounded(nil, nil), ["1"], nil),
        (bounded(2, 3), [], nil), (bounded(2, 2, .jidMulti), ["a@b"], nil),
        // A value that XML cannot hold is a problem of its field. Messages neither show hidden values nor print control
        // characters, and long values are cut.
        (field(.textSingle), ["a\u{1}"], "'a\u{FFFD}' \(forbidden)"),
        (field(.textMulti), ["a", "\u{1}"], "'a \u{FFFD}' \(forbidden)"),
        (field(.textPrivate), ["\u{0}"], "this value \(forbidden)"),
        (field(.textSingle), ["tab\t, \u{85}, \u{10FFFF}"], nil),
        (
            FormField("a\u{1B}[2J\n\u{202E}b", .boolean, label: ""), ["\u{7}\r"],
            "'a\u{FFFD}[2J \u{FFFD}b': '\u{FFFD}\u{FFFD}' is neither yes nor no; expected true, 1, false or 0."
        ),
        (
            field(.boolean), [String(repeating: "x", count: 500)],
            "'\(String(repeating: "x", count: 80))…' is neither yes nor no; expected true, 1, false or 0."
        ),
    ]

    private static let noAddress = "is not an address; expected one such as juliet@example.org or example.org."

    @Test(arguments: checks.indices) func check(_ index: Int) {
        let (field, values, expected) = Self.checks[index]
        let found = problem(field, values)
        let sentence = found?.replacing("'F' (f): ", with: "").replacing("'F' (f) ", with: "")
        #expect(sentence == expected && (found == nil || found != sentence || field.label != "F"))
    }

    /// During input, the user may still add values.
    @Test func incompleteInput() {
        for (field, values, isProblem) in [
            (Self.field(.textSingle, isRequired: true), [], false), (Self.bounded(2, 3), ["1"], false),
            (Self.bounded(1, 2), ["1", "2", "3"], true), (Self.field(.boolean), ["maybe"], true),
        ] {
            #expect((problem(field, values, isComplete: false) != nil) == isProblem)
        }
        for type in FieldType.allCases { #expect(problem(Self.field(type, options: ["a"]), []) == nil) }
        // The first value that takes too long ends the check.
        let many = Self.typed(nil, .regex("(a+)+"), .textMulti)
        let growth = growth(
            from: { _ = problem(many, [Self.slow]) },
            to: { _ = problem(many, Array(repeating: Self.slow, count: 10_000)) },
            below: 100)
        #expect(growth < 100)
    }

    /// Impossible bounds do not count: otherwise the user could not submit the form.
    @Test func impossibleListRanges() throws {
        func field(_ min: Int?, _ max: Int?, _ method: FieldValidation.Method = .basic) -> FormField {
            FormField(
                "f", .listMulti, options: ["1", "2", "3"],
                validation: FieldValidation(nil, method, listRange: .init(min: min, max: max)))
        }
        for (min, max) in [(3, 1), (nil, 0), (nil, -1), (4, nil), (4, 9), (0, 0), (.max, .min)] as [(Int?, Int?)] {
            for chosen in [["1"], ["1", "2"], ["1", "2", "3"]] {
                var answer = FormAnswer(to: DataForm(.form, fields: [field(min, max)]))
                answer.set("f", to: chosen)
                #expect(try answer.submission().values(of: "f") == chosen, "\(String(describing: (min, max)))")
            }
        }
        // The possible bound counts. A list that accepts other values can have more values than options.
        for (field, values, isProblem) in [
            (field(-1, 1), ["1", "2"], true), (field(2, 0), ["1"], true), (field(4, 2, .open), ["1", "2", "3"], false),
            (field(4, nil, .open), ["1", "2", "3"], true), (field(4, nil, .open), ["1", "2", "3", "x"], false),
        ] {
            #expect((problem(field, values) != nil) == isProblem)
        }
    }

    /// Problems do not hold the values of private fields.
    @Test(arguments: [
        FieldValidation("xs:byte"), FieldValidation("xs:integer", .range(min: "1", max: "2")),
        FieldValidation(nil, .regex("x")),
    ])
    func secrets(validation: FieldValidation) throws {
        let secret = FormField("pin", .textPrivate, validation: validation)
        let problem = try #require(FieldCheck(secret, as: .textPrivate).problem(with: ["333"]))
        #expect(!String(reflecting: problem).contains("333") && problem.description.hasPrefix("'pin': this value "))
    }
}
