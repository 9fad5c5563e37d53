// Floating-point numbers in `%f`, `%e` and `%g`: the digits of C's printf, with a point in every locale (6.1).

import Foundation
import QuerySyntax
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct FloatingPointFormattingTests {
    private static let conversions: [FormatSpecifier.Conversion] = [.fixed, .exponent, .general]

    /// Numbers at the edges: of the type, of rounding, and of the two styles of `%g`.
    private static let edges: [Double] = [
        0, -0.0, 0.5, 1.5, 2.5, 0.25, 0.125, 0.375, 9.5, 99.5, 999_999.5, 0.0001, 0.000_01, 9.9999e-5, 123_456,
        1_234_567, 1e15, 1e16, 1e22, 1e23, 1e100, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, .infinity, -.infinity, .nan, -.nan, .pi,
    ]

    /// The output of the C library in the locale "C", which is that of a program that has chosen none.
    private func printed(_ specifier: FormatSpecifier, _ value: Double) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = withVaList([value]) { vsnprintf(&buffer, buffer.count, specifier.description, $0) }
        #expect(count < buffer.count)
        return String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func randomNumber(_ random: inout SeededGenerator) -> Double {
        switch random.number(0...3) {
        case 0: Self.edges[random.number(0...Self.edges.count - 1)]
        case 1: Double(bitPattern: random.next())
        // Ties, and numbers of few digits.
        case 2: Double(random.number(-100_000...100_000)) / Double([1, 2, 8, 16, 32, 10, 1000][random.number(0...6)])
        default: Double(random.number(-20...20)) * pow(10, Double(random.number(-12...25)))
        }
    }

    /// Any specifier of floating-point numbers prints what C's printf prints.
    @Test func everySpecifierPrintsAsC() {
        var random = SeededGenerator(salt: 4409)
        for _ in 0..<SeededGenerator.cases(default: 20_000) {
            let value = randomNumber(&random)
            let specifier = FormatSpecifier(
                Self.conversions[random.number(0...2)],
                flags: .init(rawValue: UInt8(random.number(0...31))),
                width: random.number(0...1) == 0 ? nil : random.number(1...40),
                precision: [nil, random.number(0...12), random.number(0...400)][random.number(0...2)], range: 0..<0)
            let text = specifier.format(.floating(value))
            // glibc 2.36 drops the zeros that `%#g` keeps where rounding makes the exponent one more.
            if specifier.conversion == .general, specifier.flags.contains(.alternate), text?.contains("e") == true {
                continue
            }
            #expect(text == printed(specifier, value), "\(specifier) of \(value)")
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
    @Test func allDigits() {
        for conversion in Self.conversions {
            let specifier = FormatSpecifier(conversion, precision: 1_000, range: 0..<0)
            for value in [Double.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 0.1] {
                #expect(specifier.format(.floating(value)) == printed(specifier, value))
            }
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
}
