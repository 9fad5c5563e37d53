// The JSON reader and writer.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("JSON")
struct JSONTests {
    @Test(
        "is read and written",
        arguments: [
            ("null", "null"), ("true", "true"), (" false ", "false"), ("[]", "[]"), ("{}", "{}"),
            ("[1,2 , [3]]", "[1, 2, [3]]"), (#"{"b":1,"a":{"c":[]}}"#, #"{"b": 1, "a": {"c": []}}"#),
            (
                "[5,5.0,-0,5e0,1E+2,-1.5e-3,18446744073709551615]",
                "[5, 5.0, -0, 5e0, 1E+2, -1.5e-3, 18446744073709551615]"
            ),
            (#""\"\\\/\b\f\n\r\t\u0041\u00e9\u2028\ud83d\ude00é😀""#, #""\"\\/\u0008\u000c\n\r\tAé\u2028😀é😀""#),
            (#""""#, #""""#), (#""\u0000""#, #""\u0000""#),
        ])
    func roundTrip(text: String, written: String) throws {
        let value = try JSONReader.read(Array(text.utf8))
        #expect(value.text == written)
        #expect(try JSONReader.read(Array(written.utf8)).text == written)
        // Foundation reads the output.
        _ = try JSONSerialization.jsonObject(with: Data(written.utf8), options: .fragmentsAllowed)
    }

    @Test(
        "that is wrong reports its place",
        arguments: [
            ("", 0), ("  ", 2), ("x", 0), ("tru", 0), ("nul", 0), ("01", 1), ("-", 1), ("+1", 0), ("1.", 2), (".5", 0),
            ("1e", 2), ("[1,]", 3), ("[1 2]", 3), ("[", 1), ("{", 1), (#"{"a"}"#, 4), (#"{"a":}"#, 5), ("{a:1}", 1),
            (#"{"a":1,}"#, 7), (#"{"a":1"#, 6), (#""a"#, 2), ("\"a\nb\"", 2), (#""\x""#, 1), (#""\u12""#, 5),
            (#""\ud800""#, 1), (#""\ud800\u0041""#, 1), (#""\udc00""#, 1), ("1 2", 2), ("\u{FEFF}1", 0),
            ("'a'", 0), ("[1]]", 3), (#""\"#, 2),
        ])
    func wrong(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test("that is not UTF-8 is wrong")
    func invalidUTF8() {
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0x61, 0xC3, 0x22]) }
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test("strings with many escapes are linear work")
    func manyEscapes() throws {
        func read(_ count: Int) throws {
            let text = Array(("\"" + String(repeating: #"x\n"#, count: count) + "\"").utf8)
            #expect(try JSONReader.read(text).string?.utf8.count == count * 2)
        }
        // Sixteen times as many take sixteen times as long, not 256 times.
        #expect(try growth(from: { try read(10_000) }, to: { try read(160_000) }, below: 64) < 64)
    }

    @Test("is read to a limited depth")
    func depth() throws {
        let limit = JSONReader.maximumDepth
        func deep(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONReader.read(deep(limit))
        let error = #expect(throws: JSONError.self) { try JSONReader.read(deep(limit + 1)) }
        #expect(error?.message == "values are nested more than 256 deep; leave out the deeper ones")
        #expect(throws: JSONError.self) {
            try JSONReader.read(Array(String(repeating: "[{\"a\":", count: 100_000).utf8))
        }
    }

    @Test("numbers keep whether they are whole")
    func numbers() {
        #expect(JSONNumber(text: "5").int == 5)
        #expect(JSONNumber(text: "5.0").int == nil)
        #expect(JSONNumber(text: "5e0").int == nil)
        #expect(JSONNumber(text: "5.0").double == 5)
        #expect(JSONNumber(text: "18446744073709551615").uint == .max)
        #expect(JSONNumber(text: "18446744073709551615").int == nil)
        #expect(JSONNumber(text: "18446744073709551616").uint == nil)
        #expect(JSONNumber(text: "1e999").double == nil)
    }

    @Test("members are found by code points; the last one counts")
    func members() throws {
        let members = try #require(try JSONReader.read(Array(#"{"é": 1, "e\u0301": 2, "a": 3, "a": 4}"#.utf8)).object)
        #expect(members["\u{E9}"]?.text == "1")
        #expect(members["e\u{301}"]?.text == "2")
        #expect(members["a"]?.text == "4")
        #expect(members["b"] == nil)
    }
}
