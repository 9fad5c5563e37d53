// Recorded sessions: a stream begins again after STARTTLS and SASL (RFC 6120 §4.3.3), and a file may hold several.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Recorded sessions")
struct RestartTests {
    private static let header = streamHeader

    private static let declaration = "<?xml version='1.0'?>"
    /// A root that differs in its prefix and in the namespace of its stanzas.
    private static let other = "<s:stream xmlns='jabber:server' xmlns:s='http://etherx.jabber.org/streams'>"
    /// Another namespace than that of streams.
    private static let wrong = "<stream:stream xmlns='jabber:client' xmlns:stream='urn:other'>"
    /// The namespace of streams is the default one.
    private static let unprefixed = "<stream xmlns='http://etherx.jabber.org/streams'>"

    @Test(
        "continue with each root, and only there",
        arguments: [
            (header + "<a/>\(declaration)\n\(other)<b/></s:stream>", ["jabber:client a", "jabber:server b"], nil),
            (header + "<a/>\(other)<b/></s:stream>", ["jabber:client a", "jabber:server b"], nil),
            (header + "<a/></stream:stream>\(other)<b/></s:stream>", ["jabber:client a", "jabber:server b"], nil),
            (
                header + "</stream:stream>\(declaration)\(other)<b/>\(header)<c/></stream:stream>\n",
                ["jabber:server b", "jabber:client c"], nil
            ),
            (header + "<a/>\(unprefixed)<b xmlns=''/></stream>", ["jabber:client a", " b"], nil),
            (unprefixed + "<b xmlns=''/></stream>", [" b"], nil),
            (
                header + "<a/><stream/><x:stream xmlns:x='urn:x'/></stream:stream>",
                ["jabber:client a", "jabber:client stream", "urn:x stream"], nil
            ),
            // A root declares its prefix itself.
            (header + "<a/><stream:stream><b/></stream:stream>", ["jabber:client a"], "1:91"),
            (header + "<a/></stream:stream><b/>", ["jabber:client a"], "1:106"),
            // The faults and limits of a root end the stream, as in the first one.
            (header + "<a/>\(header.dropLast()) x:y='1'><b/></stream:stream>", ["jabber:client a"], "1:175"),
            (header + "<a/>\(header.dropLast()) x:y='1' x:y='1'><b/></stream:stream>", ["jabber:client a"], "1:183"),
            (header + "<a/></stream:stream>\(other.dropLast()) x:y='1'/>", ["jabber:client a"], "1:181"),
            (
                header + "<a/>" + header.dropLast() + (0...1_024).map { " a\($0)=''" }.joined() + "/>",
                ["jabber:client a"], "1:90"
            ),
            // The usual prefix with another namespace is a root, too, wherever it is.
            (wrong + "<a/>\(wrong)<b/></stream:stream>", ["jabber:client a", "jabber:client b"], nil),
            (wrong + "<a/></stream:stream>\(wrong)<b/></stream:stream>", ["jabber:client a", "jabber:client b"], nil),
            (header + "<a/>\(wrong)<b/></stream:stream>", ["jabber:client a", "jabber:client b"], nil),
            // A declaration or a byte order mark in an open stream begins another one, not a stanza.
            (header + "<a/>\(declaration)<b/></stream:stream>", ["jabber:client a"], "1:111"),
            (header + "<a/>\u{FEFF}<b/></stream:stream>", ["jabber:client a"], "1:91"),
            (header + "<a/>\u{FEFF}\(other)<b/></s:stream>", ["jabber:client a", "jabber:server b"], nil),
            (
                header + "<a/></stream:stream>\n\u{FEFF}\(declaration)\(other)<b/></s:stream>\u{FEFF}\(header)<c/>"
                    + "</stream:stream>",
                ["jabber:client a", "jabber:server b", "jabber:client c"], nil
            ),
            (header + "<a/></stream:stream>\u{FEFF}\u{FEFF}\(other)</s:stream>", ["jabber:client a"], "1:107"),
            (header + "<a/>\(declaration)\(declaration)\(other)</s:stream>", ["jabber:client a"], "1:111"),
            (header + "<a>\(declaration)</a></stream:stream>", [], "1:89"),
            (header + "<a/>\(declaration)", ["jabber:client a"], "1:111"),
        ] as [(String, [String], String?)])
    func roots(input: String, expected: [String], mistake: String?) {
        for length in [1, 10, 100_000] {
            for options in [[], ["--jobs", "2"], ["--parse-all"]] {
                for (query, index) in [("/@xmlns", 0), ("/$", 1)] {
                    let result = stanza(["find", query] + options, input: pieces(input, of: length))
                    let parts = expected.map { $0.split(separator: " ", omittingEmptySubsequences: false)[index] }
                    #expect(result.lines == parts.map(String.init).filter { !$0.isEmpty }, "\(length), \(options)")
                    let isRight =
                        mistake.map { result.errors.hasPrefix("stanza: -:\($0): ") }
                        ?? !result.errors.contains("stanza: ")
                    #expect(isRight, "\(length), \(options): \(result.errors)")
                }
            }
        }
    }

    /// Whether the parser gets a root does not depend on its length, or on the white space before it.
    @Test("are complete if a filter passes over whole streams", arguments: [0, 200, 300, 5_000])
    func passedOver(length: Int) {
        let space = String(repeating: "\n", count: length)
        let attribute = " x='\(String(repeating: "x", count: length))'"
        let quiet = Self.other.dropLast() + attribute + "><b/></s:stream >"
        let input = Self.header + "<a/>" + space + quiet + space + quiet + Self.header + "<c id='1'/></stream:stream>"
        for pieceLength in [1, 100, 100_000] {
            for jobs in ["1", "2"] {
                let result = stanza(["find", "/@id", "--jobs", jobs], input: pieces(input, of: pieceLength))
                #expect(result.lines == ["1"])
                #expect(result.errors == "")
            }
        }
    }

    @Test("are still filtered after a declaration", arguments: [1, 20, 100_000])
    func filtered(length: Int) throws {
        let stanzas = String(repeating: "<a><x/></a>\n", count: 1_000)
        let root = Self.declaration + Self.header
        let second = root + stanzas + "</stream:stream>"
        let input = root + stanzas + second + root + stanzas + "<a><y/></a></stream:stream>"
        let reader = StanzaReader(ReadingSettings(prefilters: [try Query("y").prefilter]))
        for piece in pieces(input, of: length) { piece.withUnsafeBytes { reader.feed($0) } }
        reader.finish()
        var parsed = 0
        while let item = reader.next() {
            guard case .stanza = item else {
                Issue.record("\(item)")
                break
            }
            parsed += 1
        }
        #expect(parsed == 1)
        #expect(reader.takeStatistics().passedOver == 3_000)
    }

    @Test("without stanzas are forgotten, but for the root around the last stanza")
    func rootsWithoutStanzas() throws {
        let input = XMLInput(.stream, limits: .stanza, at: InputPlace())
        func feed(_ text: String) throws -> [SourcePosition] {
            Array(text.utf8).withUnsafeBytes { input.feed($0) }
            var positions: [SourcePosition] = []
            while case .stanza(_, let position, _)? = input.next() { positions.append(position) }
            return positions
        }
        let position = try #require(feed(Self.other + "<a/></s:stream>").first)
        for _ in 1...100 {
            #expect(try feed(Self.header + "</stream:stream>\n") == [])
            #expect(input.headers.count <= 2)
            #expect(input.header(at: position).map { String(decoding: $0.tag, as: UTF8.self) } == Self.other)
        }
    }

    /// The memory for roots does not grow with their number, and the last one is still known.
    @Test("forget the roots that nothing continues in")
    func forgottenRoots() throws {
        let settings = ReadingSettings(prefilters: [try Query("y").prefilter])
        let input = XMLInput(.stream, limits: settings.limits(for: .stream), at: InputPlace())
        let filter = try #require(settings.filter(for: .stream))
        let reader = FilteredInput(
            input, filter, isStream: true, limits: settings.limits(for: .stream), at: InputPlace())
        // Longer than the roots, which are read.
        let stanza = "<a>" + String(repeating: "<x/>", count: 200) + "</a>"
        for number in 1...100 {
            let root = Self.header.dropLast() + " id='\(number)'>"
            for piece in pieces(Self.declaration + root + stanza + "</stream:stream>", of: 300) {
                piece.withUnsafeBytes { reader.feed($0) }
            }
            while let item = reader.next() { Issue.record("\(item)") }
            #expect(input.headers.count <= 2)
            let place = try #require(reader.continuation)
            #expect(reader.header(at: place).map { String(decoding: $0.tag, as: UTF8.self) } == String(root))
        }
        #expect(reader.takeStatistics().passedOver == 100)
    }
}
