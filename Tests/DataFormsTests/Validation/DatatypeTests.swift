// The datatypes of XML Schema (XEP-0122 §3.1): the form of their values, and their order.

import Testing

@testable import DataForms

@Suite struct DatatypeTests {
    /// Valid and invalid values of each datatype.
    private static let examples: [String: (valid: [String], invalid: [String])] = [
        "xs:string": (["", " a ", "é"], []),
        "xs:anyURI": (
            ["", "https://example.org/a?b#c", "urn:x", "../é", "a%20b", "http://a b", "<a>", "a\\b"],
            ["a%2", "a%", "%zz", "a#b#c"]
        ),
        "xs:boolean": (["true", "false", "1", "0", " 1 "], ["", "yes", "TRUE", "2"]),
        "xs:byte": (["-128", "127", "+0", "007", " 5\n"], ["128", "-129", "1.0", "", "-", "1e2", "٣"]),
        "xs:short": (["-32768", "32767"], ["32768", "-32769"]),
        "xs:int": (["-2147483648", "2147483647"], ["2147483648", "-2147483649"]),
        "xs:long": (["-9223372036854775808", "9223372036854775807"], ["9223372036854775808", "-9223372036854775809"]),
        "xs:unsignedLong": (["18446744073709551615", "0", "-0"], ["18446744073709551616", "-1"]),
        "xs:unsignedByte": (["255"], ["256", "-1"]), "xs:unsignedShort": (["65535"], ["65536"]),
        "xs:unsignedInt": (["4294967295"], ["4294967296"]),
        "xs:integer": (["123456789012345678901234567890", "-1"], ["1.", "1.5", "0x1", "1 2"]),
        "xs:positiveInteger": (["1"], ["0", "-1"]), "xs:nonNegativeInteger": (["0"], ["-1"]),
        "xs:negativeInteger": (["-1"], ["0"]), "xs:nonPositiveInteger": (["0"], ["1"]),
        "xs:decimal": (["1", "1.", ".5", "-0.10", "+123456789.987654321"], ["", ".", "-.", "1e5", "1,5", "INF"]),
        "xs:double": (
            ["1", "1.5e3", "-1.E-3", ".5E+2", "INF", "-INF", "NaN", "1e999"],
            ["", "e3", "1e", "0x1p3", "nan", "infinity", "1e1.5", "1e2e3"]
        ),
        "xs:float": (["1e-3"], ["1f"]),
        "xs:language": (["en", "de-AT", "i-klingon", "x-a-1"], ["", "en_US", "e1", "abcdefghi", "en-", "-en"]),
        "xs:Name": (["a", "a:b", "_1", "é"], ["", "1a", "a b"]), "xs:NCName": (["a-1"], ["a:b", ""]),
        "xs:QName": (["a", "a:b"], ["a:b:c", ":a", "a:"]), "xs:NMTOKEN": (["1a", "-", "a:b"], ["", "a b"]),
        "xs:hexBinary": (["", "0aFF"], ["0", "0g"]),
        "xs:base64Binary": (
            ["", "AQI=", "AQ ==", "AQIDBA=="], ["AQI", "AQ=I", "A===", "A_I=", "AB==", "AQJ=", "===="]
        ),
        "xs:duration": (
            ["P1Y", "-P1Y2M3DT4H5M6.7S", "PT0S", "P1DT1S", "PT1M"],
            ["", "P", "PT", "1Y", "P1YT", "P1M1Y", "P1S", "PT1.5M", "PT1H1H", "P-1Y", "P1Y1"]
        ),
        "xs:dateTime": (
            [
                "2002-09-10T23:08:25Z", "2002-09-10T23:08:25", "2002-09-10T23:08:25.125+02:00", "2000-02-29T00:00:00Z",
                "2002-09-10T24:00:00Z", "-0001-01-01T00:00:00Z", "12002-09-10T00:00:00-14:00",
            ],
            [
                "", "2002-09-10", "20020910T23:08:25", "2002-09-10T23:08Z", "2002-13-10T00:00:00Z",
                "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2002-09-10T24:00:01Z", "2002-09-10T25:00:00Z",
                "2002-09-10T00:60:00Z", "2002-09-10T00:00:60Z", "2002-09-10T00:00:00.Z", "2002-09-10T00:00:00+14:01",
                "2002-09-10T00:00:00+2:00", "0000-01-01T00:00:00Z", "02002-01-01T00:00:00Z", "2002-09-10t23:08:25Z",
                "2002-09-10T23:08:25z", "1234567890-01-01T00:00:00Z", "+2002-09-10T23:08:25Z",
            ]
        ),
        "xs:date": (["2002-09-10", "2002-09-10Z", "2002-09-10-07:00"], ["2002-9-10", "2002-09-31", "10.9.2002"]),
        "xs:time": (["23:08:25", "00:00:00.5Z", "24:00:00"], ["24:00:01", "23:08", "8:00:00"]),
        "xs:gYear": (["2002", "-0044", "2002Z"], ["02", "0000", "2002-"]),
        "xs:gYearMonth": (["2002-09"], ["2002-13", "2002"]), "xs:gMonth": (["--09"], ["--13", "-09", "--09--"]),
        "xs:gMonthDay": (["--02-29", "--12-31"], ["--02-30", "--04-31"]), "xs:gDay": (["---31"], ["---32", "--31"]),
    ]

    @Test(arguments: examples.keys.sorted())
    func values(name: String) throws {
        let datatype = Datatype(named: name)
        let (valid, invalid) = try #require(Self.examples[name])
        #expect(datatype.name == name)
        for value in valid { #expect(datatype.isValid(value), "\(value.debugDescription) is a \(name)") }
        for value in invalid { #expect(!datatype.isValid(value), "\(value.debugDescription) is not a valid \(name)") }
        #expect(!datatype.expectation.isEmpty)
    }

    /// An unknown datatype is text (XEP-0122 §4.1). Names are compared code point by code point: the Kelvin sign is a
    /// canonical equivalent of K.
    @Test(arguments: [
        nil, "", "xs:", "xs:nothing", "x:own", "integer", "xs:Integer", "XS:integer", "xs:NMTO\u{212A}EN",
    ])
    func unknownDatatypes(name: String?) {
        let datatype = Datatype(named: name)
        #expect(datatype.name == "xs:string" && datatype.isValid("anything") && !datatype.isOrdered)
    }

    /// Values of each datatype, in ascending order.
    private static let ascending: [(String, [String])] = [
        ("xs:integer", ["-100000000000000000000", "-10", "-9", "-0", "+1", "002", "10", "99999999999999999999"]),
        ("xs:decimal", ["-1.5", "-1.25", "-.5", "0.0", "0.05", "0.1", "0.11", "0.5", "1", "1.5", "10"]),
        ("xs:double", ["-INF", "-1e3", "0", "1e-3", "1", "1e3", "INF"]),
        (
            "xs:dateTime",
            [
                "-0044-03-15T00:00:00Z", "-0001-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1999-12-31T23:59:59Z",
                "2000-01-01T00:00:00Z", "2000-01-01T00:00:00.5Z", "2000-01-01T00:00:00.55Z", "2000-01-01T00:00:01Z",
                "2000-02-28T24:00:00Z", "2000-03-01T00:00:00+12:00", "2000-03-01T00:00:00", "12000-01-01T00:00:00Z",
            ]
        ),
        ("xs:date", ["1999-12-31", "2000-01-01", "2000-02-29", "2000-03-01", "2000-12-31", "2001-01-01"]),
        ("xs:time", ["00:00:00", "08:00:00+01:00", "08:00:00", "23:59:59.999", "24:00:00"]),
        ("xs:gYear", ["-0001", "0001", "1999", "2000"]), ("xs:gYearMonth", ["1999-12", "2000-01"]),
        ("xs:gMonthDay", ["--01-31", "--02-29", "--03-01"]), ("xs:gDay", ["---01", "---31"]),
        ("xs:gMonth", ["--01", "--12"]),
    ]

    @Test func order() {
        for (name, values) in Self.ascending {
            let datatype = Datatype(named: name)
            #expect(datatype.isOrdered)
            for (index, one) in values.enumerated() {
                for (other, value) in values.enumerated() {
                    let isOrdered = datatype.isOrdered(one, before: value)
                    #expect(isOrdered == (index < other), "\(name): \(one) before \(value)")
                }
            }
        }
        for (name, one, other, isOrdered) in [
            ("xs:integer", "x", "1", nil), ("xs:integer", "1", "x", nil), ("xs:string", "a", "b", nil),
            // Equal numbers in different spellings.
            ("xs:decimal", "1.0", "01", false), ("xs:decimal", "-0", "0", false),
        ] {
            #expect(Datatype(named: name).isOrdered(one, before: other) == isOrdered)
        }
    }

    /// Every day of some years follows the one before. The year 0 does not exist.
    @Test func days() {
        for year in [-401, -400, -101, -100, -5, -4, -1, 1, 4, 100, 400, 1899, 1900, 1999, 2000] {
            var previous: TimePoint?
            for year in [year, year == -1 ? 1 : year + 1] {
                for day in (1...12).flatMap({ month in (1...31).map { (month, $0) } }) {
                    func padded(_ number: Int, _ count: Int) -> String { String(String(number + 10_000).suffix(count)) }
                    let date = "\(padded(abs(year), 4))-\(padded(day.0, 2))-\(padded(day.1, 2))"
                    guard let next = TimePoint(Substring((year < 0 ? "-" : "") + date), .date) else { continue }
                    if let previous { #expect(previous < next, "\(year), \(date)") }
                    previous = next
                }
            }
        }
    }
}
