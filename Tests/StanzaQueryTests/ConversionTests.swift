// Conversions (4.4, 4.5): tables of the page's statements, and random texts against the naive conversions.

import Foundation
import QuerySyntax
import TestSupport
import Testing
import TextValues

@testable import StanzaQuery

@Suite struct ConversionTests {
    /// The converted value of a text, with and without `strictConversions`.
    private func convert(
        _ text: String, _ conversion: Conversion, strictly: Bool = false
    ) throws -> QueryResult<MutableElement>? {
        let query = try Query(String("/a@k|\(conversion.rawValue)"), options: strictly ? .strictConversions : [])
        let holder = MutableElement("a", attributes: ["k": text])
        let value = try holder.findFirst(query)
        #expect(try holder.check(query) == (value != nil), "\(text.debugDescription)|\(conversion)")
        return value
    }

    @Test func bools() throws {
        for text in ["true", "1"] {
            #expect(try convert(text, .bool)?.bool == true)
            #expect(try convert(text, .bool, strictly: true)?.bool == true)
        }
        for text in ["false", "0"] {
            #expect(try convert(text, .bool)?.bool == false)
            #expect(try convert(text, .bool, strictly: true)?.bool == false)
        }
        for text in ["", "TRUE", "True", "yes", " true", "true ", "01", "1 ", "2", "true\n", "on"] {
            #expect(try convert(text, .bool)?.bool == false, "\(text.debugDescription)")
            #expect(try convert(text, .bool, strictly: true) == nil, "\(text.debugDescription)")
        }
    }

    @Test func ints() throws {
        let table: [(String, Int, isStrict: Bool)] = [
            ("0", 0, true), ("42", 42, true), ("-42", -42, true), ("+42", 42, true), ("007", 7, true), ("-0", 0, true),
            ("+0", 0, true),
            ("9223372036854775807", .max, true), ("-9223372036854775808", .min, true),
            ("00000000000000000000000000001", 1, true),
            ("9223372036854775808", .max, false), ("-9223372036854775809", .min, false),
            ("99999999999999999999999999", .max, false),
            ("-99999999999999999999999999", .min, false),
            ("", 0, false), ("x", 0, false), ("-", 0, false), ("+", 0, false), ("--1", 0, false), ("+-1", 0, false),
            ("- 1", 0, false),
            (" 42", 42, false), ("42 ", 42, false), ("\t\n\r\u{20}7", 7, false), ("\u{A0}7", 0, false),
            ("12abc", 12, false), ("1.9", 1, false),
            ("0x10", 0, false), ("1e3", 1, false), ("٣", 0, false), ("1_000", 1, false), ("1,000", 1, false),
            ("−5", 0, false),
        ]
        for (text, value, isStrict) in table {
            #expect(try convert(text, .int)?.int == value, "\(text.debugDescription)")
            #expect(
                try convert(text, .int, strictly: true)?.int == (isStrict ? value : nil), "\(text.debugDescription)")
        }
    }

    @Test func uints() throws {
        let table: [(String, UInt, isStrict: Bool)] = [
            ("0", 0, true), ("42", 42, true), ("+42", 42, true), ("007", 7, true), ("18446744073709551615", .max, true),
            ("18446744073709551616", .max, false), ("99999999999999999999999999", .max, false),
            ("9223372036854775808", 1 << 63, true),
            ("-1", 0, false), ("-0", 0, false), ("-99999999999999999999999999", 0, false), ("", 0, false),
            ("-", 0, false),
            (" 42", 42, false), ("42 ", 42, false), ("12abc", 12, false), (" -3", 0, false), ("+", 0, false),
            ("1.9", 1, false),
        ]
        for (text, value, isStrict) in table {
            #expect(try convert(text, .uint)?.uint == value, "\(text.debugDescription)")
            #expect(
                try convert(text, .uint, strictly: true)?.uint == (isStrict ? value : nil), "\(text.debugDescription)")
        }
    }

    @Test func doubles() throws {
        let largest = Double.greatestFiniteMagnitude
        let table: [(String, Double, isStrict: Bool)] = [
            ("0", 0, true), ("1.5", 1.5, true), ("-1.5", -1.5, true), ("+1.5", 1.5, true), (".5", 0.5, true),
            ("5.", 5, true), ("1e3", 1000, true),
            ("1E-3", 0.001, true), ("1e+3", 1000, true), ("-.5e1", -5, true), ("0.1", 0.1, true), ("007.50", 7.5, true),
            ("179769313486231570814527423731704356798070e267", largest, true), ("1e-400", 0, true),
            ("0.00000000000000000000000000000000000000000000001e47", 1, true),
            ("1e400", largest, false), ("-1e400", -largest, false),
            (String(repeating: "9", count: 400), largest, false),
            ("", 0, false), ("x", 0, false), (".", 0, false), ("-", 0, false), ("+.", 0, false), ("e5", 0, false),
            (".e5", 0, false),
            ("1e", 1, false), ("1e+", 1, false), ("1ex", 1, false), ("1.5.5", 1.5, false), ("inf", 0, false),
            ("-inf", 0, false),
            ("nan", 0, false), ("infinity", 0, false), ("0x10", 0, false), ("0x1p3", 0, false), (" 1.5", 1.5, false),
            ("1.5 ", 1.5, false),
            ("1,5", 1, false), ("1 000", 1, false), ("\u{A0}1", 0, false), ("1e5000000000000000000000", largest, false),
            ("1d3", 1, false),
        ]
        for (text, value, isStrict) in table {
            #expect(try convert(text, .double)?.double == value, "\(text.debugDescription)")
            #expect(
                try convert(text, .double, strictly: true)?.double == (isStrict ? value : nil),
                "\(text.debugDescription)")
        }
        #expect(try convert("-0", .double)?.double?.sign == .minus)
    }

    @Test func points() throws {
        let table: [(String, Double)] = [
            ("1970-01-01T00:00:00Z", 0), ("2002-09-10T23:08:25Z", 1_031_699_305), ("20020910T23:08:25", 1_031_699_305),
            ("2002-09-10T23:08:25.5Z", 1_031_699_305.5),
            ("2002-09-10T23:08:25.123456789012345Z", 1_031_699_305.123456789),
            ("2002-09-11T01:08:25+02:00", 1_031_699_305), ("2002-09-10T17:38:25-05:30", 1_031_699_305),
            ("1970-01-01T14:00:00+14:00", 0),
            ("1969-12-31T10:00:00-14:00", 0), ("2000-02-29T00:00:00Z", 951_782_400),
            ("2004-02-29T00:00:00Z", 1_078_012_800),
            ("1969-12-31T23:59:59Z", -1), ("1969-12-31T23:59:59.25Z", -0.75), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2038-01-19T03:14:08Z", 2_147_483_648), ("1970-01-01T00:00:00-00:00", 0), ("1970-01-01T00:00:00+00:00", 0),
            ("00010101T00:00:00", -62_135_596_800), ("20000229T23:59:59", 951_868_799),
            // Proleptic Gregorian: October 1582 has ten days more than in the history books.
            ("1582-10-15T00:00:00Z", -12_219_292_800), ("1582-10-14T00:00:00Z", -12_219_379_200),
            ("1500-03-01T00:00:00Z", -14_826_672_000),
        ]
        for (text, seconds) in table {
            let date = try convert(text, .datetime)?.date
            #expect(
                date.map { abs($0.timeIntervalSince1970 - seconds) < 0.0005 } == true,
                "\(text) gave \(String(describing: date))")
            #expect(try convert(text, .datetime, strictly: true)?.date == date, "\(text)")
        }
    }

    @Test func noPoints() throws {
        let texts = [
            "", "2002-09-10", "23:08:25Z", "2002-09-10T23:08:25", "2002-09-10T23:08Z", "2002-09-10 23:08:25Z",
            "2002-09-10t23:08:25z",
            "2002-09-10T23:08:25.Z", "2002-09-10T23:08:25,5Z", "2002-09-10T23:08:25+0200", "2002-09-10T23:08:25+02",
            "2002-09-10T23:08:25+2:00",
            "2002-09-10T23:08:25+14:01", "2002-09-10T23:08:25-15:00", "2002-09-10T23:08:25+02:60",
            "2002-09-10T24:00:00Z",
            "2002-09-10T23:60:00Z", "2002-09-10T23:59:60Z", "2002-13-10T00:00:00Z", "2002-00-10T00:00:00Z",
            "2002-09-00T00:00:00Z",
            "2002-09-31T00:00:00Z", "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "0000-01-01T00:00:00Z",
            " 2002-09-10T23:08:25Z", "2002-09-10T23:08:25Z ", "+2002-09-10T23:08:25Z", "12002-09-10T23:08:25Z",
            "2002-9-10T23:08:25Z",
            "20020910T23:08:25Z", "20020910T23:08:25.5", "20020910T230825", "2002-09-10T23:08:25ZZ",
            "2002-09-10T23:08:25Z+01:00",
            "-002-09-10T23:08:25Z", "2002-09-10T-3:08:25Z", "٢٠٠٢-09-10T23:08:25Z", "2002-W37-2T23:08:25Z",
            "20020231T00:00:00", "20020910 23:08:25",
        ]
        for text in texts { #expect(try convert(text, .datetime) == nil, "\(text)") }
    }

    @Test func bytes() throws {
        let table: [(String, [UInt8]?, strictly: [UInt8]?)] = [
            ("", [], []), ("QQ==", [65], [65]), ("QUI=", [65, 66], [65, 66]), ("QUJD", [65, 66, 67], [65, 66, 67]),
            ("QUJDRA==", [65, 66, 67, 68], [65, 66, 67, 68]), ("+/+/", [0xFB, 0xFF, 0xBF], [0xFB, 0xFF, 0xBF]),
            ("QU\nJD", [65, 66, 67], [65, 66, 67]), (" Q U J D\t", [65, 66, 67], [65, 66, 67]), ("QQ=\n=", [65], [65]),
            ("Q-U_J!D", [65, 66, 67], nil), ("éQUJD", [65, 66, 67], nil), ("...", [], nil), (" ", [], []),
            ("QR==", [65], [65]), ("QUJ=", [65, 66], [65, 66]),
            ("QQ", nil, nil), ("QQ=", nil, nil), ("QUI", nil, nil), ("Q", nil, nil), ("Q===", nil, nil),
            ("QUJDR", nil, nil), ("=", nil, nil),
            ("====", nil, nil), ("QQ===", nil, nil), ("QUJD=", nil, nil), ("QQ==QUJD", nil, nil), ("Q=Q=", nil, nil),
            ("=QQ=", nil, nil),
            ("QUI==", nil, nil),
        ]
        for (text, value, strict) in table {
            #expect(try convert(text, .base64)?.data == value.map { Data($0) }, "\(text.debugDescription)")
            #expect(
                try convert(text, .base64, strictly: true)?.data == strict.map { Data($0) }, "\(text.debugDescription)")
        }
    }

    @Test func uuids() throws {
        let text = "01234567-89AB-cdef-0123-456789abcDEF"
        #expect(try convert(text, .uuid)?.uuid == UUID(uuidString: text))
        #expect(try convert(text, .uuidcast)?.uuid == UUID(uuidString: text))
        let others = [
            "", "x", "0123456789ABcdef0123456789abcDEF", "{\(text)}", text + " ", " " + text, String(text.dropLast()),
            text + "0",
            "01234567-89AB-cdef-0123-456789abcDEg", "012345678-9AB-cdef-0123-456789abcDEF",
            "01234567_89AB_cdef_0123_456789abcDEF",
            "urn:uuid:" + text, "٠1234567-89AB-cdef-0123-456789abcD",
        ]
        for other in others {
            #expect(try convert(other, .uuid) == nil, "\(other)")
            let cast = try #require(try convert(other, .uuidcast)?.uuid, "\(other)")
            #expect(cast.uuidString.dropFirst(14).first == "4", "\(other)")
            #expect("89AB".contains(cast.uuidString.dropFirst(19).first ?? "-"), "\(other)")
        }
        // The first 16 bytes of the SHA-256 of nothing, and of "abc" (FIPS 180-2), with version and variant set.
        #expect(try convert("", .uuidcast)?.uuid?.uuidString == "E3B0C442-98FC-4C14-9AFB-F4C8996FB924")
        #expect(try convert("abc", .uuidcast)?.uuid?.uuidString == "BA7816BF-8F01-4FEA-8141-40DE5DAE2223")
        #expect(
            try convert("abc", .uuidcast, strictly: true)?.uuid?.uuidString == "BA7816BF-8F01-4FEA-8141-40DE5DAE2223")
    }

    /// 4.2: the nodes that contribute no result before any conversion.
    @Test func nothingToConvert() throws {
        let root = try element("<r><a k=''/><b>1</b><b/><b> </b></r>")
        #expect(try root.find("a@k|int").map(\.int) == [0])
        #expect(try root.find("a@none|int").isEmpty)
        #expect(try root.find("b#|int").map(\.int) == [1, 0])
        #expect(try root.find("b#|bool").map(\.bool) == [true, false])
        #expect(try root.find("a@k|base64").map(\.data) == [Data()])
        #expect(try root.find("a@k|uuidcast").count == 1)
    }

    /// The evaluation omits results without a value, at any position.
    @Test func failedConversionsLeaveNoGaps() throws {
        let root = try element("<r><a k='x'/><a k='2'/><a k='y'/><a k='4'/></r>")
        let query = try Query("a@k|int", options: .strictConversions)
        #expect(try root.find(query).map(\.int) == [2, 4])
        #expect(try root.findFirst(query)?.int == 2)
        #expect(try root.check(query))
        let none = try Query("a<k~^[xy]$>@k|int", options: .strictConversions)
        #expect(try !root.check(none))
        #expect(try root.findFirst(none) == nil)
    }

    // MARK: Random texts

    private static let pieces = [
        "0", "1", "9", "5", "00", "42", ".", "-", "+", "e", "E", " ", "\t", "\n", "x", "e5", "E-3",
        "922337203685477580", "8", "7",
        "18446744073709551615", "true", "false", "é", "_", "inf",
    ]

    @Test func numbersAgreeWithTheNaiveConversions() {
        for salt in 0..<SeededGenerator.cases(default: 20_000) {
            var random = SeededGenerator(salt: UInt64(salt) &+ 0xC0)
            let text = (0..<Int.random(in: 0...5, using: &random)).map { _ in random.pick(Self.pieces) }.joined()
            let note = Comment(rawValue: "\(text.debugDescription), seed \(SeededGenerator.seed)")
            for isStrict in [false, true] {
                withBytes(text) { bytes in
                    #expect(
                        NumberText.bool(bytes, isStrict: isStrict)
                            == NaiveConversions.bool(text, isStrict: isStrict), note)
                    #expect(
                        NumberText.int(bytes, isStrict: isStrict)
                            == NaiveConversions.int(text, isStrict: isStrict), note)
                    #expect(
                        NumberText.uint(bytes, isStrict: isStrict)
                            == NaiveConversions.uint(text, isStrict: isStrict), note)
                    let double = NumberText.double(bytes, isStrict: isStrict)
                    let expected = NaiveConversions.double(text, isStrict: isStrict)
                    #expect(double?.bitPattern == expected?.bitPattern, note)
                }
            }
        }
    }

    @Test func base64AgreesWithFoundation() {
        for salt in 0..<SeededGenerator.cases(default: 5_000) {
            var random = SeededGenerator(salt: UInt64(salt) &+ 0xB64)
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var text = Data(bytes).base64EncodedString()
            let isWhole = random.chance(50)
            if !isWhole {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    var characters = Array(text)
                    let place = Int.random(in: 0...characters.count, using: &random)
                    characters.replaceSubrange(
                        place..<min(characters.count, place + 1), with: random.pick(["", "=", "-", " ", "A", "é"]))
                    text = String(characters)
                }
            }
            let note = Comment(rawValue: "\(text), seed \(SeededGenerator.seed)")
            for isStrict in [false, true] {
                withBytes(text) { buffer in
                    let decoded = Base64Text.decode(buffer, isStrict: isStrict)
                    #expect(decoded == NaiveConversions.base64(text, isStrict: isStrict), note)
                    #expect(Base64Text.isValid(buffer, isStrict: isStrict) == (decoded != nil), note)
                    if isWhole { #expect(decoded == bytes, note) }
                }
            }
        }
    }

    @Test func pointsAgreeWithFoundation() throws {
        let formatter = ISO8601DateFormatter()
        for salt in 0..<SeededGenerator.cases(default: 2_000) {
            var random = SeededGenerator(salt: UInt64(salt) &+ 0xDA7E)
            // Foundation's formatter follows the Julian calendar before 1582.
            let seconds = Int.random(in: -12_000_000_000...253_402_300_799, using: &random)
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(withBytes(text) { DateTimeText.secondsSince1970($0) } == Double(seconds), "\(text)")
            let legacy = text.replacing("-", with: "").dropLast()
            #expect(
                withBytes(String(legacy)) { DateTimeText.secondsSince1970($0) } == Double(seconds), "\(legacy)")
        }
    }

    @Test func pointsAgreeWithTheNaiveConversion() {
        var valid = 0
        let total = SeededGenerator.cases(default: 4_000)
        for salt in 0..<total {
            var random = SeededGenerator(salt: UInt64(salt) &+ 0xDA7F)
            func digits(_ range: ClosedRange<Int>, _ width: Int, _ random: inout SeededGenerator) -> String {
                let text = String(Int.random(in: range, using: &random))
                return String(repeating: "0", count: max(0, width - text.count)) + text
            }
            let isLegacy = random.chance(20)
            let dash = isLegacy ? "" : "-"
            var text =
                digits(0...9999, 4, &random) + dash + digits(0...13, 2, &random) + dash + digits(0...32, 2, &random)
            text += random.chance(95) ? "T" : " "
            text += digits(0...24, 2, &random) + ":" + digits(0...60, 2, &random) + ":" + digits(0...60, 2, &random)
            if random.chance(30) { text += "." + random.pick(["", "0", "25", "125000"]) }
            if !isLegacy || random.chance(5) {
                text += random.pick([
                    "Z", "Z", "+0\(Int.random(in: 0...9, using: &random)):30", "-14:00", "+14:01", "+0100", "",
                ])
            }
            let expected = NaiveConversions.datetime(text)
            let found = withBytes(text) { DateTimeText.secondsSince1970($0) }
            #expect(found.map { Int(($0 * 1000).rounded()) } == expected, "\(text), seed \(SeededGenerator.seed)")
            if expected != nil { valid += 1 }
        }
        #expect(valid * 3 > total, "\(valid) of \(total) texts were points in time")
    }
}
