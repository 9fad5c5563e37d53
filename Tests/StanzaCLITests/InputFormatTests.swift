// The formats of input, and their recognition.

import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Formats of input")
struct InputFormatTests {
    static let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

    @Test(
        "are recognized from the beginning",
        arguments: [
            ("stream", header + "<a/><b/></stream:stream>", ["a", "b"]),
            ("stream after white space", "\n \t" + header + "<a/><b/></stream:stream>", ["a", "b"]),
            ("stream after a byte order mark", "\u{FEFF}" + header + "<a/></stream:stream>", ["a"]),
            ("document", "<?xml version='1.0'?><a><b/></a>", ["a"]),
            ("document with a document type", "<!DOCTYPE a><a><b/></a>", ["a"]),
            ("document after a byte order mark", "\u{FEFF}<?xml version='1.0'?><a/>", ["a"]),
            (
                "stream after an XML declaration",
                "<?xml version='1.0' encoding='UTF-8'?>\r\n \(header)<a/><b/></stream:stream>", ["a", "b"]
            ),
            (
                "document that begins like a stream", "<?xml version='1.0'?><stream:streams xmlns:stream='s'/>",
                ["streams"]
            ),
            ("document that ends like a stream", "<?xml version='1.0'?> <s/>", ["s"]),
            ("fragments", "<a/>\n<b/>", ["a", "b"]),
            ("fragments after a byte order mark", "\u{FEFF}<a/><b/>", ["a", "b"]),
            ("fragments that begin like a stream", "<stream:streams/><a/>", ["streams", "a"]),
            ("fragments that begin like a declaration", "<?xml-stylesheet href='x'?><a/><b/>", ["a", "b"]),
            ("fragments that begin with a comment", "<!-- x --><a/><b/>", ["a", "b"]),
            ("one character of white space", " ", []),
            ("nothing", "", []),
            ("JSON lines", #"{"xml": "<a/>"}"# + "\n" + #"{"xml": "<b/>"}"#, ["a", "b"]),
            ("JSON lines after white space", "\n  " + #"{"xml": "<a/>"}"# + "\n", ["a"]),
            ("JSON lines after a byte order mark", "\u{FEFF}" + #"{"xml": "<a/>"}"# + "\r\n", ["a"]),
        ])
    func recognized(name: String, input: String, expected: [String]) {
        for length in [1, 2, 7, 100_000] {
            let result = stanza(["find", "/$"], input: pieces(input, of: length))
            #expect(result.lines == expected, "\(name), in pieces of \(length)")
            #expect(
                result.errors == (expected.isEmpty ? "no stanza in the input\n" : ""), "\(name), in pieces of \(length)"
            )
            #expect(result.status == (expected.isEmpty ? .nothing : .success), "\(name), in pieces of \(length)")
        }
    }

    @Test("are a document's if a stream begins far after a declaration")
    func farAfterADeclaration() {
        let most = FormatRecognizer.maximumDeclaration
        for (spaces, expected) in [(most - 100, ["a"]), (most, ["stream"])] {
            let space = String(repeating: " ", count: spaces)
            let input = "<?xml version='1.0'?>\(space)\(Self.header)<a/></stream:stream>"
            #expect(stanza(["find", "/$"], input: pieces(input, of: 7)).lines == expected)
        }
    }

    @Test("need no recognition when they are named")
    func named() {
        let stream = "<?xml version='1.0'?>\(Self.header)<a/><b/></stream:stream>"
        #expect(stanza("find", "--format", "stream", "/$", input: stream).lines == ["a", "b"])
        #expect(stanza("find", "--format", "document", "/$", input: "<a><b/></a>").lines == ["a"])
        #expect(
            stanza("find", "--format", "fragments", "/$", input: "<?xml version='1.0'?><a/><b/>").lines == ["a", "b"])
        #expect(stanza("find", "--format", "jsonl", "/$", input: #"  {"xml": "<a/>"}"#).lines == ["a"])
        #expect(stanza("find", "--format", "xml", "/$", input: "<a/>").status == .usage)
    }

    @Test("are recognized for each file alone")
    func eachFile() {
        let files = ["1": "<?xml version='1.0'?><a/>", "2": #"{"xml": "<b/>"}"#, "3": "<c/><d/>"]
        let result = stanza("find", "--with-source", "/$", "1", "-", "2", "3", input: "<e/>\n<f/>", files: files)
        #expect(result.lines == ["1:1:a", "-:1:e", "-:2:f", "2:1:b", "3:1:c", "3:1:d"])
    }

    @Test("are rejected if they are not the named ones")
    func wrong() {
        for format in ["stream", "document"] {
            let result = stanza("find", "--format", format, "/$", input: #"{"xml": "<a/>"}"#)
            #expect(result.status == .badInput)
            #expect(
                result.errors
                    == "stanza: -:1:1: not well-formed: expected '<', the beginning of a document or stream\n")
        }
    }

    @Test("of fragments and JSON lines have the bindings of a client stream")
    func surroundings() {
        for input in ["<a/><stream:error/>", "{\"xml\": \"<a/>\"}\n{\"xml\": \"<stream:error/>\"}"] {
            #expect(
                stanza("find", "/@xmlns", input: input).lines
                    == ["jabber:client", "http://etherx.jabber.org/streams"])
            #expect(
                stanza("find", "--default-namespace", "urn:x", "/@xmlns", input: input).lines
                    == ["urn:x", "http://etherx.jabber.org/streams"])
            #expect(
                stanza("find", "--default-namespace", "", "/@xmlns", input: input).lines
                    == ["http://etherx.jabber.org/streams"])
        }
        #expect(stanza("find", "/@xmlns", input: "<?xml version='1.0'?><a/>").status == .nothing)
        #expect(stanza("find", "--default-namespace", "\u{1}", "", input: "<a/>").status == .usage)
    }

    @Test("that begin with too much white space are fragments")
    func muchSpace() {
        let most = FormatRecognizer.maximumSpace
        #expect(most == 65_536)
        for (count, status) in [(most, CommandStatus.success), (most + 1, .badInput), (70_000, .badInput)] {
            let input = String(repeating: " ", count: count) + #"{"xml": "<a/>"}"#
            for length in [100, 100_000] {
                let result = stanza(["find", ""], input: pieces(input, of: length))
                #expect(result.status == status, "\(count)")
                #expect(result.errors.hasPrefix(status == .success ? "" : "stanza: -:1:\(count + 1): "))
            }
        }
    }

    /// The advice for JSON that is not in lines costs no stanza.
    @Test("give the same results with and without their names")
    func likeJSON() {
        let tokens = [
            "[", "{", "\"", "\n", "\r\n", " ", "\t", "]", "}", "<a/>", "<b>\n</b>\n", "\n{\"xml\": \"<c/>\"}\n", "1",
            "\u{FEFF}",
        ]
        var random = SeededGenerator(salt: 1)
        for round in 0..<SeededGenerator.cases(default: 300) {
            let input =
                random.pick(["", "[", "{", "\u{FEFF}", " "])
                + (0..<8).map { _ in random.pick(tokens) }.joined()
            var recognizer = FormatRecognizer()
            let format = Array(input.utf8).withUnsafeBytes { recognizer.recognize($0) } ?? recognizer.formatAtEnd
            let pieces = pieces(input, of: random.pick([1, 3, 1_000]))
            let named = stanza(["find", "/$", "--format", format.rawValue], input: pieces)
            for options in [[], ["--jobs", "2"], ["--parse-all"]] {
                let result = stanza(["find", "/$"] + options, input: pieces)
                let round = "STANZA_SEED=\(SeededGenerator.seed), round \(round)"
                #expect(result.lines == named.lines, "\(round), \(options): \(input.debugDescription)")
            }
        }
    }

    @Test("JSON lines need the member 'xml', and ignore the others")
    func otherMembers() {
        let line = #"{"a": [1, {"xml": 2}, null], "xml": "<a k='\u00e9\ud83d\ude00\n'/>", "z": -1.5e3, "t": true}"#
        #expect(stanza("find", "/@k", input: line).lines == ["é😀 "])
    }
}

/// Cuts a text into pieces of bytes.
func pieces(_ text: String, of length: Int) -> [[UInt8]] { pieces(Array(text.utf8), of: length) }

func pieces(_ bytes: [UInt8], of length: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: length).map { Array(bytes[$0..<min($0 + length, bytes.count)]) }
}
