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

    @Test("is UTF-8, and read to a limited depth, in linear time")
    func depth() throws {
        let limit = JSONReader.maximumDepth
        func deep(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONReader.read(deep(limit))
        let error = #expect(throws: JSONError.self) { try JSONReader.read(deep(limit + 1)) }
        #expect(error?.message == "values are nested more than 256 deep; leave out the deeper ones")
        #expect(throws: JSONError.self) { try JSONReader.read(Array(("[{\"a\":" * 100_000).utf8)) }
        for bytes: [UInt8] in [[0x22, 0x61, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(throws: JSONError.self) { try JSONReader.read(bytes) }
        }
        func read(_ count: Int) throws {
            #expect(try JSONReader.read(Array("\"\(#"x\n"# * count)\"".utf8)).string?.utf8.count == count * 2)
        }
        #expect(try growth(from: { try read(10_000) }, to: { try read(160_000) }, below: 64) < 64)
    }

    @Test("numbers keep whether they are whole, and members are found by code points")
    func values() throws {
        #expect(JSONNumber(text: "5").int == 5)
        #expect(JSONNumber(text: "5.0").int == nil)
        #expect(JSONNumber(text: "5e0").int == nil)
        #expect(JSONNumber(text: "5.0").double == 5)
        #expect(JSONNumber(text: "18446744073709551615").uint == .max)
        #expect(JSONNumber(text: "18446744073709551615").int == nil)
        #expect(JSONNumber(text: "18446744073709551616").uint == nil)
        #expect(JSONNumber(text: "1e999").double == nil)
        let members = try #require(try JSONReader.read(Array(#"{"é": 1, "e\u0301": 2, "a": 3, "a": 4}"#.utf8)).object)
        #expect(members["\u{E9}"]?.text == "1")
        #expect(members["e\u{301}"]?.text == "2")
        #expect(members["a"]?.text == "4")
        #expect(members["b"] == nil)
    }

    @Test(
        "gives the string of a member without a value for it",
        arguments: [
            #"{"xml": "<a/>"}"#, #" { "xml" : "<a b='\u00e9\n\"'/>" , "n" : -1.5e+3 }  "#,
            #"{"a": true, "b": false, "c": null, "xml": "x", "d": 0, "xml": "<a/>"}"#, #"{"xml": 7}"#, "{}", "[]", "",
            #"{"xml": "<a/>"} x"#, #"{"xml": "<a/>",}"#, #"{"xml": "<a/>", "n": 01}"#, #"{"xml": "<a/>", "n": .5}"#,
            #"{"xml": "a\u00e"}"#, #"{"xml": "a\ud83d\ude00"}"#, #"{"xml": "a\ud83d"}"#, "{\"xml\": \"a\u{1}\"}",
            #"{"xml": "unclosed"#, #"{"é": "é", "xml": "é"}"#, #"{"x\u006dl": "escaped"}"#,
            #"{"xml": "a", "o": {"xml": 1}}"#, #"{"xml": "a" "n": 1}"#, #"{"xml": "a", "n": [1, 2]}"#,
            #"{"xml": "0123456\\89abcdef\t"}"#, #"{"xml": "\q"}"#,
            #"{"n": tru, "xml": "a"}"#, #"{"n": 1e, "xml": "a"}"#, #"{"n": -, "xml": "a"}"#,
        ])
    func memberStrings(text: String) {
        let bytes = Array(text.utf8)
        var found: [UInt8] = [1, 2]
        let offset = bytes.withUnsafeBytes { JSONReader.append("xml", of: $0, to: &found) }
        let member = (try? JSONReader.read(bytes))?.object?.member("xml")
        let string = member?.value.string
        #expect(offset == (string == nil ? nil : member?.offset))
        #expect(found == [1, 2] + Array((string ?? "").utf8))
    }
}
