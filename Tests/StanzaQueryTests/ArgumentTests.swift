// Arguments of queries (6): their types, the numbers that specifiers print, and long values.
//
// The suites have the output of each specifier for each type of argument, and the errors.

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

    // MARK: Numbers

    /// The output of the C library in the locale "C", which is that of a program that has chosen none.
    private func printed(_ specifier: FormatSpecifier, _ value: any CVarArg, length: String = "") -> String {
        let text = specifier.description
        let format = "\(text.dropLast())\(length)\(text.suffix(1))"
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = withVaList([value]) { vsnprintf(&buffer, buffer.count, format, $0) }
        #expect(count < buffer.count)
        return String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Numbers at the edges: of the type, of rounding, and of the two styles of `%g`.
    private static let edges: [Double] = [
        0, -0.0, 0.5, 1.5, 2.5, 0.25, 0.125, 0.375, 9.5, 99.5, 999_999.5, 0.0001, 0.000_01, 9.9999e-5, 123_456,
        1_234_567, 1e15, 1e16, 1e22, 1e23, 1e100, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, .infinity, -.infinity, .nan, -.nan, .pi,
    ]

    private func randomNumber(_ random: inout SeededGenerator) -> Double {
        switch random.number(0...3) {
        case 0: Self.edges[random.number(0...Self.edges.count - 1)]
        case 1: Double(bitPattern: random.next())
        // Ties, and numbers of few digits.
        case 2: Double(random.number(-100_000...100_000)) / Double([1, 2, 8, 16, 32, 10, 1000][random.number(0...6)])
        default: Double(random.number(-20...20)) * pow(10, Double(random.number(-12...25)))
        }
    }

    /// Any specifier of numbers prints what C's printf prints.
    @Test func numbersPrintAsInC() {
        var random = SeededGenerator(salt: 4409)
        for _ in 0..<SeededGenerator.cases(default: 20_000) {
            let specifier = FormatSpecifier(
                random.pick([
                    .decimal, .integer, .unsigned, .hexadecimal, .upperHexadecimal, .octal, .fixed, .exponent, .general,
                ]),
                flags: .init(rawValue: UInt8(random.number(0...31))),
                width: random.chance(50) ? nil : random.number(1...40),
                precision: [nil, random.number(0...12), random.number(0...400)][random.number(0...2)], range: 0..<0)
            let (value, expected): (QueryArgumentValue, String)
            switch specifier.conversion {
            case .fixed, .exponent, .general:
                let number = randomNumber(&random)
                (value, expected) = (.floating(number), printed(specifier, number))
                // glibc 2.36 drops the zeros that `%#g` keeps where rounding makes the exponent one more.
                if specifier.conversion == .general, specifier.flags.contains(.alternate), expected.contains("e") {
                    continue
                }
            case .decimal, .integer:
                let number = random.pick([0, 1, -1, 42, -12345, Int64.max, .min])
                (value, expected) = (.integer(number), printed(specifier, number, length: "ll"))
            default:
                let number = random.pick([0, 1, 8, 255, 4096, UInt64.max])
                (value, expected) = (.unsigned(number), printed(specifier, number, length: "ll"))
            }
            #expect(specifier.format(value) == expected, "\(specifier) of \(value), seed \(SeededGenerator.seed)")
        }
    }

    /// The program's rounding mode does not count, and stays.
    @Test(arguments: [FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO] as [Int32]) func roundingModes(mode: Int32) {
        let known = fegetround()
        defer { fesetround(known) }
        fesetround(mode)
        for (value, digits, text) in [(0.5, 0, "0"), (1.5, 0, "2"), (0.26, 1, "0.3"), (0.24, 1, "0.2")] {
            #expect(FormatSpecifier(.fixed, precision: digits, range: 0..<0).format(.floating(value)) == text)
            #expect(FormatSpecifier(.fixed, precision: digits, range: 0..<0).format(.floating(-value)) == "-" + text)
        }
        #expect(fegetround() == mode)
    }

    /// `%#g` keeps zeros, also where rounding makes one more digit before the point.
    @Test func alternateGeneralNumbers() {
        let specifier = FormatSpecifier(.general, flags: .alternate, range: 0..<0)
        for (value, text) in [
            (999_999.5, "1.00000e+06"), (999_999, "999999."), (1e6, "1.00000e+06"), (0.5, "0.500000"), (0, "0.00000"),
        ] {
            #expect(specifier.format(.floating(value)) == text)
        }
    }

    /// All digits of the smallest and of the largest number, with the longest precision.
    @Test(arguments: [.fixed, .exponent, .general] as [FormatSpecifier.Conversion])
    func allDigits(of conversion: FormatSpecifier.Conversion) {
        let specifier = FormatSpecifier(conversion, precision: 1_000, range: 0..<0)
        for value in [Double.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 0.1] {
            #expect(specifier.format(.floating(value)) == printed(specifier, value))
        }
    }

    #if canImport(Glibc)
    /// A thread whose locale has a decimal comma, where the system has such a locale: the C library prints the comma,
    /// queries do not.
    @Test func everyLocaleHasThePoint() throws {
        let specifier = FormatSpecifier(.fixed, precision: 1, range: 0..<0)
        let element = try element("<a k='2.5'/>")
        for name in ["C", "de_DE.UTF-8", "fr_FR.UTF-8"] {
            guard let locale = newlocale(1 << LC_NUMERIC, name, nil) else { continue }
            defer { freelocale(locale) }
            let before = uselocale(locale)
            defer { uselocale(before) }
            #expect(printed(specifier, 2.5) == (name == "C" ? "2.5" : "2,5"))
            #expect(specifier.format(.floating(2.5)) == "2.5")
            #expect(try element.check("/<k=%g>", 2.5))
        }
    }
    #endif

    @Test func thePointOfAnotherLocale() {
        for (digits, text) in [
            ("2,5", "2.5"), ("2\u{66B}5e+10", "2.5e+10"), ("25", "25"), ("2,", "2."), ("2.5e-07", "2.5e-07"),
        ] {
            #expect(FormatSpecifier.withPoint(digits.utf8) == text)
        }
    }

    // MARK: Evaluations

    @Test func errorsNameTheSpecifier() throws {
        let root = MutableElement("a")
        for (text, arguments, mention) in [
            ("/b<k=x%dy%5s>", [1], "%5s"), ("b<k=%+05lld>", [1.5], "%+05lld"), ("b<k=%@>", ["x", "y"], "1"),
        ] as [(String, [any QueryArgument], String)] {
            let error = queryError(text) { _ = try root.find(Query(text).binding(arguments: arguments)) }
            #expect(error?.kind == .arguments && error?.description.contains(mention) == true, "\(text)")
        }
        // Too many concern the whole query, which begins first.
        #expect(queryError { _ = try root.find("b<k=%d><j=%d>", "x", 3) }?.range == 4..<6)
        #expect(queryError { _ = try root.find("b<k=%d><j=%d>", 1, "x", 3) }?.range == 0..<13)
    }

    @Test func argumentsAreTakenInOrder() throws {
        let root = try element("<r><a k='1-2' j='3'><b l='4'/></a></r>")
        #expect(try root.check("a<k=%d-%d><j=%@>/b<l=%u>", 1, 2, "3", 4))
        #expect(try !root.check("a<k=%d-%d><j=%@>/b<l=%u>", 2, 1, "3", 4))
        // The second filter's argument is the second one, although the first filter does not hold.
        #expect(try root.find("a<none=%d><j=%d>", 3, 3).isEmpty)
    }

    /// Values of the lengths at each border of their storage, and long ones.
    @Test func lengthsOfArguments() throws {
        let lengths = [
            0, 1, 126, 127, 128, 129, 382, 383, 384, 510, 511, 512, 513, 1023, 1024, 16_383, 16_384, 16_385, 1 << 20,
        ]
        for first in lengths {
            for second in lengths where first < 1 << 20 || second < 2 {
                let (one, other) = (String(repeating: "a", count: first), String(repeating: "b", count: second))
                let root = MutableElement("r", attributes: ["k": one, "j": other + "!"])
                #expect(try root.check("/<k=%@><j=%@!>", one, other), "\(first) \(second)")
                #expect(try !root.check("/<k=%@><j=%@!>", one, other + "b"), "\(first) \(second)")
                #expect(try !root.check("/<k=%@><j=%@!>", one + "a", other), "\(first) \(second)")
            }
        }
    }

    /// Longer than a pattern of PCRE2 can be. Folding changes the number of bytes: the Kelvin sign has three.
    @Test(arguments: [1, 4095, 4096, 100_000]) func longTextsThatIgnoreCase(count: Int) throws {
        let (lower, upper) = (String(repeating: "ké", count: count), String(repeating: "\u{212A}É", count: count))
        let template = try Query("/<k=%@>", options: .caseInsensitiveFilters)
        let literal = try Query(String("/<k=\(lower)>"), options: .caseInsensitiveFilters)
        for (value, isEqual) in [(upper, true), (upper + "x", false), (String(upper.dropLast()), false)] {
            let root = MutableElement("r", attributes: ["k": value])
            #expect(try root.check(literal) == isEqual && root.freeze().check(literal) == isEqual)
            #expect(try root.check(template, lower) == isEqual && root.freeze().check(template, lower) == isEqual)
        }
    }
}
