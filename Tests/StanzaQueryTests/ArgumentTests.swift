// Arguments of queries (6): the output of each specifier for each type of argument, the mismatches, and the places of
// errors.

import Foundation
import QuerySyntax
import QueryTools
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct ArgumentTests {
    /// Any other text stays one.
    @Test(
        arguments: [
            ("", nil), ("+", nil), ("-", nil), ("-0", .integer(0)), ("+7", .integer(7)), (" 1", nil), ("1 ", nil),
            ("1x", nil), ("007", .integer(7)), ("٣", nil), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .unsigned(1 << 63)), ("-9223372036854775808", .integer(.min)),
            ("-9223372036854775809", nil), ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", nil),
        ] as [(String, QueryArgumentValue?)]) func integersOfTheCommandLine(text: String, value: QueryArgumentValue?)
        throws
    {
        #expect(try Query("/<a=%d>").arguments(from: [text]) == [value ?? .text(text)])
    }

    /// The output of a specifier, found with a filter; `nil` if the argument does not fit.
    private func printed(_ specifier: String, _ argument: any QueryArgument) throws -> String? {
        let tree = ParsedQuery(parsing: "a<k=\(specifier)>").tree
        guard tree.nodes.count == 3, case .part(.specifier(let parsed)) = tree.nodes[2].content else {
            Issue.record("\(specifier) is not a specifier")
            return nil
        }
        let text = parsed.format(argument.queryArgument)
        if let text {
            // The filter compares with the printed text.
            if (try? XMLTreeError.check(text: text)) != nil {
                let holder = MutableElement("a", attributes: ["k": text])
                let query = try Query(String("/a<k=\(specifier)>"))
                #expect(try check(query, argument, on: holder), "\(specifier) \(argument)")
                #expect(try holder.check(query.binding(arguments: [argument])), "\(specifier) \(argument)")
            }
        } else {
            let holder = MutableElement("a")
            let error = queryError { _ = try check(Query(String("/b<k=\(specifier)>")), argument, on: holder) }
            #expect(error?.kind == .arguments, "\(specifier) \(argument)")
            #expect(error?.range == 5..<(5 + specifier.utf8.count), "\(specifier) \(argument)")
        }
        return text
    }

    /// With an argument whose type the caller knows, on both kinds of elements.
    private func check(_ query: Query<QueryValue>, _ argument: some QueryArgument, on element: MutableElement) throws
        -> Bool
    {
        let isFound = try element.check(query, argument)
        #expect(try element.freeze().check(query, argument) == isFound)
        return isFound
    }

    /// Every conversion with every kind of argument; `nil`: does not fit.
    @Test func everySpecifierWithEveryType() throws {
        let arguments: [any QueryArgument] = ["x", "text", 65, -7, UInt64.max, 2.5, 3.0, true, false]
        let table: [(String, [String?])] = [
            ("%@", ["x", "text", "65", "-7", "18446744073709551615", "2.5", "3.0", "true", "false"]),
            ("%s", ["x", "text", nil, nil, nil, nil, nil, nil, nil]),
            ("%c", ["x", nil, "A", nil, nil, nil, nil, nil, nil]),
            ("%d", [nil, nil, "65", "-7", "18446744073709551615", nil, nil, "1", "0"]),
            ("%i", [nil, nil, "65", "-7", "18446744073709551615", nil, nil, "1", "0"]),
            ("%u", [nil, nil, "65", nil, "18446744073709551615", nil, nil, "1", "0"]),
            ("%x", [nil, nil, "41", nil, "ffffffffffffffff", nil, nil, "1", "0"]),
            ("%X", [nil, nil, "41", nil, "FFFFFFFFFFFFFFFF", nil, nil, "1", "0"]),
            ("%o", [nil, nil, "101", nil, "1777777777777777777777", nil, nil, "1", "0"]),
            (
                "%f",
                [
                    nil, nil, "65.000000", "-7.000000", "18446744073709551616.000000", "2.500000", "3.000000",
                    "1.000000", "0.000000",
                ]
            ),
            (
                "%e",
                [
                    nil, nil, "6.500000e+01", "-7.000000e+00", "1.844674e+19", "2.500000e+00", "3.000000e+00",
                    "1.000000e+00", "0.000000e+00",
                ]
            ),
            ("%g", [nil, nil, "65", "-7", "1.84467e+19", "2.5", "3", "1", "0"]),
        ]
        #expect(table.count == FormatSpecifier.Conversion.allCases.count)
        for (specifier, texts) in table {
            for (argument, text) in zip(arguments, texts) {
                #expect(try printed(specifier, argument) == text, "\(specifier) of \(argument)")
            }
        }
    }

    @Test func typesOfArguments() throws {
        let values: [(any QueryArgument, QueryArgumentValue)] = [
            ("a", .text("a")), ("ab".dropFirst(), .text("b")), (Character("é"), .text("é")),
            (Unicode.Scalar("é"), .text("é")),
            (1, .integer(1)), (Int8(-1), .integer(-1)), (Int16(2), .integer(2)), (Int32(3), .integer(3)),
            (Int64.min, .integer(.min)), (UInt(4), .unsigned(4)), (UInt8(5), .unsigned(5)), (UInt16(6), .unsigned(6)),
            (UInt32(7), .unsigned(7)), (UInt64.max, .unsigned(.max)), (1.5, .floating(1.5)),
            (Float(0.5), .floating(0.5)),
            (true, .boolean(true)), (QueryArgumentValue.text("v"), .text("v")),
        ]
        for (argument, value) in values { #expect(argument.queryArgument == value) }
        let root = MutableElement("a", attributes: ["k": "-9223372036854775808"])
        #expect(try root.check("/<k=%d>", Int64.min))
        #expect(try root.check("/<k=%@>", Int64.min))
    }

    /// `%@` prints the shortest form that reads back as the same number.
    @Test func shortestFloatingPointNumbers() throws {
        let numbers: [(Double, String)] = [
            (0.1, "0.1"), (1.0 / 3, "0.3333333333333333"), (-0.0, "-0.0"), (1e22, "1e+22"),
            (Double.leastNonzeroMagnitude, "5e-324"), (100, "100.0"),
        ]
        for (number, text) in numbers { #expect(try printed("%@", number) == text) }
        #expect(try printed("%@", Float(0.1)) == "0.1")
        #expect(try printed("%@", Float(1) / 3) == "0.33333334")
        #expect(try printed("%@", Float(2.5)) == "2.5")
        #expect(try printed("%.3f", Float(0.1)) == "0.100")
    }

    @Test func flagsWidthAndPrecision() throws {
        let table: [(String, any QueryArgument, String)] = [
            // Text.
            ("%5@", "ab", "   ab"), ("%-5@", "ab", "ab   "), ("%.1@", "ab", "a"), ("%.0@", "ab", ""), ("%.@", "ab", ""),
            ("%5.1s", "ab", "    a"), ("%-5.1s", "ab", "a    "), ("%3s", "é", "  é"), ("%.1s", "e\u{301}x", "e"),
            ("%2@", "ab", "ab"), ("%05@", "ab", "   ab"), ("%+ #5@", "ab", "   ab"), ("%3c", "x", "  x"),
            ("%-3c", 0x1F600, "😀  "),
            ("%6@", true, "  true"), ("%.2@", 1234, "12"), ("%5@", -7, "   -7"),
            // Integers.
            ("%5d", 42, "   42"), ("%-5d", 42, "42   "), ("%05d", 42, "00042"), ("%+d", 42, "+42"), ("% d", 42, " 42"),
            ("%+05d", 42, "+0042"), ("%05d", -42, "-0042"), ("%.4d", 42, "0042"), ("%6.4d", -42, " -0042"),
            ("%06.4d", 42, "  0042"), ("%-06d", 42, "42    "), ("%.0d", 0, ""), ("%+.0d", 0, "+"), ("%3.0d", 0, "   "),
            ("%+ d", 42, "+42"), ("%#d", 42, "42"), ("%+u", 42, "42"),
            ("%1000d", 1, String(repeating: " ", count: 999) + "1"),
            ("%.1000d", 1, String(repeating: "0", count: 999) + "1"),
            ("%x", 255, "ff"), ("%#x", 255, "0xff"), ("%#X", 255, "0XFF"), ("%#x", 0, "0"), ("%#o", 8, "010"),
            ("%#o", 0, "0"),
            ("%#.0o", 0, "0"), ("%#.0x", 0, ""), ("%#08x", 255, "0x0000ff"), ("%#8x", 255, "    0xff"),
            ("%-#8x", 255, "0xff    "),
            ("%#.4x", 255, "0x00ff"), ("%#.3o", 8, "010"), ("%#.2o", 8, "010"),
            // Floating-point numbers.
            ("%.2f", 3.14159, "3.14"), ("%8.2f", 3.14159, "    3.14"), ("%-8.2f", 3.14159, "3.14    "),
            ("%08.2f", -3.14159, "-0003.14"),
            ("%+.0f", 2.0, "+2"), ("%#.0f", 2.0, "2."), ("% .1f", 2.0, " 2.0"), ("%.3e", 12345.678, "1.235e+04"),
            ("%g", 1e-5, "1e-05"),
            ("%g", 1e100, "1e+100"), ("%#g", 1.0, "1.00000"), ("%.3f", 2, "2.000"), ("%.0f", 0.5, "0"),
            ("%.0f", 1.5, "2"),
            ("%.20f", 0.1, "0.10000000000000000555"),
        ]
        for (specifier, argument, text) in table {
            #expect(try printed(specifier, argument) == text, "\(specifier) of \(argument)")
        }
    }

    /// Length modifiers are accepted and mean nothing.
    @Test func lengthModifiers() throws {
        for length in ["hh", "h", "l", "ll", "q", "j", "t", "z", "L"] {
            #expect(try printed("%\(length)d", Int64.min) == "-9223372036854775808", "\(length)")
            #expect(try printed("%\(length)u", UInt64.max) == "18446744073709551615", "\(length)")
            #expect(try printed("%4.1\(length)f", 1.25) == " 1.2", "\(length)")
            #expect(try printed("%\(length)@", "text") == "text", "\(length)")
            #expect(try printed("%\(length)s", "text") == "text", "\(length)")
        }
    }

    /// Random specifiers for numbers against C's printf.
    @Test func numbersAreLikePrintf() throws {
        var random = SeededGenerator(salt: 0xA26)
        for _ in 0..<(SeededGenerator.cases(default: 20_000) / 4) {
            var flags = ""
            for flag in "-+0# " where random.chance(30) { flags.append(flag) }
            let width = random.chance(50) ? String(Int.random(in: 1...12, using: &random)) : ""
            let precision = random.chance(50) ? "." + random.pick(["", "0", "1", "3", "9"]) : ""
            let conversion = random.pick(["d", "i", "u", "x", "X", "o", "f", "e", "g"])
            let start = "%" + flags + width + precision
            let argument: any QueryArgument
            let expected: String
            if "feg".contains(conversion) {
                let number = random.pick([0, 1, -1, 0.5, 3.14159, 1e10, -2.5e-7, 123456.789, 1e300])
                argument = number
                expected = String(format: start + conversion, number)
            } else if "di".contains(conversion) {
                let number = random.pick([0, 1, -1, 42, -12345, Int.max, Int.min])
                argument = number
                expected = String(format: start + "ll" + conversion, number)
            } else {
                let number: UInt = random.pick([0, 1, 8, 255, 4096, .max])
                argument = number
                expected = String(format: start + "ll" + conversion, number)
            }
            let note = Comment(rawValue: "\(start + conversion) of \(argument), seed \(SeededGenerator.seed)")
            #expect(try printed(start + conversion, argument) == expected, note)
        }
    }

    // MARK: Errors (6.3)

    @Test func errorsNameTheSpecifier() throws {
        let root = MutableElement("a")
        let cases: [(String, [any QueryArgument], Range<Int>, String)] = [
            ("/b<k=%d>", [], 5..<7, "%d"), ("/b<k=x%dy%5s>", [1], 9..<12, "%5s"), ("b<k=%d>", ["x"], 4..<6, "%d"),
            ("b<k=%u>", [-1], 4..<6, "%u"), ("b<k=%d><j=%c>", [1, "xy"], 10..<12, "%c"),
            ("b<k=%+05lld>", [1.5], 4..<11, "%+05lld"),
            ("b<k=%@>", ["x", "y"], 0..<7, "1"), ("b", [1], 0..<1, "0"), ("", [1], 0..<0, "0"),
            ("b<k=%%>", [1], 0..<7, "0"),
            ("b<k~%d>", [1], 0..<7, "0"), ("b<k=é%d>", ["é"], 6..<8, "%d"),
        ]
        for (text, arguments, range, mention) in cases {
            let query = try Query(text)
            for evaluation in 0..<3 {
                let error = queryError(text) {
                    switch evaluation {
                    case 0: _ = try root.find(query.binding(arguments: arguments))
                    case 1: _ = try root.findFirst(query.binding(arguments: arguments))
                    default: _ = try root.check(query.binding(arguments: arguments))
                    }
                }
                #expect(error?.kind == .arguments, "\(text)")
                #expect(error?.range == range, "\(text)")
                #expect(
                    error?.description.contains(mention) == true,
                    "\(text): \(error.map(String.init(describing:)) ?? "")")
            }
        }
    }

    /// The error names the first specifier whose argument does not fit, before a specifier without argument, and before
    /// too many arguments.
    @Test func theLeftmostErrorIsReported() throws {
        let root = MutableElement("a")
        #expect(queryError { _ = try root.find("b<k=%d><j=%d>", "x") }?.range == 4..<6)
        #expect(queryError { _ = try root.find("b<k=%d><j=%d>", 1, "x") }?.range == 10..<12)
        #expect(queryError { _ = try root.find("b<k=%d><j=%d>", "x") }?.range == 4..<6)
        // Too many concern the whole query, which begins first.
        #expect(queryError { _ = try root.find("b<k=%d><j=%d>", 1, "x", 3) }?.range == 0..<13)
    }

    @Test func argumentsAreTakenInOrder() throws {
        let root = try element("<r><a k='1-2' j='3'><b l='4'/></a></r>")
        #expect(try root.check("a<k=%d-%d><j=%@>/b<l=%u>", 1, 2, "3", 4))
        #expect(try !root.check("a<k=%d-%d><j=%@>/b<l=%u>", 2, 1, "3", 4))
        let template = try Query("a<k=%d-%d>")
        #expect(template.argumentCount == 2)
        #expect(try root.find(template.binding(arguments: [1, 2])).count == 1)
        // In any case, the second filter's argument is the second one, although the first filter does not hold.
        #expect(try root.find("a<none=%d><j=%d>", 3, 3).isEmpty)
    }

    @Test func onlyValuesOfEqualityTakeArguments() throws {
        let root = try element("<r><a k='%d'/><b k='x%dy'/></r>")
        #expect(try root.check("a<k~^%d$>"))
        #expect(try root.check("b<k~%d>"))
        #expect(try root.check("a<k=%%d>"))
        #expect(try Query("{%d}a<{%s}k=x>@{%u}k").argumentCount == 0)
        #expect(try Query("\\{%d}@%s\\").argumentCount == 0)
    }

    // MARK: Injection (6.3)

    /// Everything that means something to the language.
    private static let fragments = [
        ">", "<", "><k=x", ">@k", ">/..", ">#", ">$", "/", "..", "*", "!a", "{u}", "{*}", "@k", "@@", "#", "$", "|int",
        "\\", "\\\\",
        "\\@f\\", "[0]", "%", "%%", "%@", "%d", "%1$@", "%n", "=", "~", "^.*$", ".*", "(", ")", "[", "(?i)x", "(*UCP)",
        "\\E", "\\Qx", "&f",
        "'", "\"", "&amp;", " ", "\t", "\n", "é", "e\u{301}", "😀", "", "x", "a<k=x>", "//", "_", "\u{FFFD}",
    ]

    @Test func argumentsAreNeverQueryText() throws {
        for value in Self.fragments {
            let root = MutableElement("r") {
                MutableElement("a", attributes: ["k": value, "j": "1"])
                MutableElement("a", attributes: ["k": value + "y", "j": "2"])
                MutableElement("a", attributes: ["k": "x", "j": "3"])
                MutableElement("a", attributes: ["j": "4"])
            }
            let expected = value == "x" ? ["1", "3"] : ["1"]
            for options: QueryOptions in [[], .caseInsensitiveFilters] {
                for specifier in ["%@", "%s"] {
                    let found = try root.find(Query(String("a<k=\(specifier)>@j"), options: options), value).compactMap(
                        \.string)
                    #expect(found == expected, "\(specifier) \(value.debugDescription) \(options)")
                }
                let inText = try root.find(Query("a<k=%@y>@j", options: options), value).compactMap(\.string)
                #expect(inText == ["2"], "\(value.debugDescription) \(options)")
            }
        }
    }

    /// With `caseInsensitiveFilters` arguments ignore case by simple folding, and nothing else.
    @Test func argumentsThatIgnoreCase() throws {
        let query = try Query("/<k=%@>", options: .caseInsensitiveFilters)
        let pairs = [
            ("ABC", "abc", true), ("É", "é", true), ("\u{212A}", "k", true), ("ß", "ss", false),
            ("é", "e\u{301}", false), ("a.c", "abc", false),
        ]
        for (value, argument, isEqual) in pairs {
            let root = MutableElement("r", attributes: ["k": value])
            #expect(try root.check(query, argument) == isEqual, "\(value) \(argument)")
            #expect(try root.freeze().check(query, argument) == isEqual, "\(value) \(argument)")
        }
    }

    @Test func canonicalEquivalentsDiffer() throws {
        let root = MutableElement("r", attributes: ["k": "\u{E9}"])
        #expect(try root.check("/<k=%@>", "\u{E9}"))
        #expect(try !root.check("/<k=%@>", "e\u{301}"))
    }

    /// Longer than a pattern of PCRE2 can be.
    @Test func longTextsThatIgnoreCase() throws {
        for count in [1, 4095, 4096, 4097, 8192, 40_000, 100_000] {
            // Folding changes the number of bytes: the Kelvin sign has three.
            let lower = String(repeating: "ké", count: count)
            let upper = String(repeating: "\u{212A}É", count: count)
            let root = MutableElement("r", attributes: ["k": upper])
            let template = try Query("/<k=%@>", options: .caseInsensitiveFilters)
            let literal = try Query(String("/<k=\(lower)>"), options: .caseInsensitiveFilters)
            #expect(literal.argumentCount == 0)
            #expect(try root.check(template, lower), "\(count)")
            #expect(try root.check(literal), "\(count)")
            #expect(try root.freeze().check(literal), "\(count)")
            #expect(try !root.check(template, lower + "k"), "\(count)")
            #expect(try !root.check(template, String(lower.dropLast())), "\(count)")
            root["k"] = upper + "x"
            #expect(try !root.check(literal), "\(count)")
            root["k"] = String(upper.dropLast())
            #expect(try !root.check(literal), "\(count)")
        }
    }

    /// Values of the lengths at each border of their storage.
    @Test func lengthsOfArguments() throws {
        let lengths = [
            0, 1, 126, 127, 128, 129, 382, 383, 384, 510, 511, 512, 513, 1023, 1024, 16_383, 16_384, 16_385, 70_000,
        ]
        for first in lengths {
            for second in lengths {
                let (one, other) = (String(repeating: "a", count: first), String(repeating: "b", count: second))
                let root = MutableElement("r", attributes: ["k": one, "j": other + "!"])
                #expect(try root.check("/<k=%@><j=%@!>", one, other), "\(first) \(second)")
                #expect(try !root.check("/<k=%@><j=%@!>", one, other + "b"), "\(first) \(second)")
                #expect(try !root.check("/<k=%@><j=%@!>", one + "a", other), "\(first) \(second)")
            }
        }
    }

    @Test func hugeArguments() throws {
        let value = String(repeating: "x", count: 1 << 20)
        let root = MutableElement("r", attributes: ["k": value + "y"])
        #expect(try root.check("/<k=%@y>", value))
        #expect(try !root.check("/<k=%@z>", value))
    }
}
