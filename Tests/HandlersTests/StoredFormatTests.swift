// The binary format: decoding reads all encoded data, and reports the place of every mistake.

import Foundation
import Locking
import TestSupport
import Testing
import XMLTree

@testable import Handlers

@Suite struct StoredFormatTests {
    private func dispatcher() throws -> HandlerDispatcher {
        HandlerDispatcher(try HandlerRegistry(handlers: definitionsOfEverything, objects: [Upload.self]))
    }

    /// All stored data can be loaded: random values of all types, with those at the ends of each.
    @Test func randomValuesSurvive() throws {
        let dispatcher = try dispatcher()
        for salt in 0..<SeededGenerator.cases(default: 500) {
            var random = SeededGenerator(salt: UInt64(salt) &+ 0x5703)
            var arguments = HandlerArguments()
            for (index, value) in try randomValues(&random).enumerated() { arguments["v\(index)"] = value }
            let handler = try dispatcher.handler("Test|everything", binding: arguments)
            let data = try dispatcher.data(of: handler)
            let loaded = try dispatcher.load(from: data)
            #expect(loaded.arguments == handler.arguments, "seed \(SeededGenerator.seed), case \(salt)")
            #expect(try dispatcher.data(of: loaded) == data, "seed \(SeededGenerator.seed), case \(salt)")
        }
    }

    private func randomValues(_ random: inout SeededGenerator) throws -> [any Storable] {
        let bits = random.next()
        let scalars = (0..<8).compactMap { _ in Unicode.Scalar(UInt32(random.number(0...0x10FFFF))) }
        let text = String(String.UnicodeScalarView(scalars))
        // The last three come from components, relative to a base, and from bytes that are not UTF-8.
        let urls: [URL?] = [
            URL(string: "xmpp:juliet@example.net?message"), URL(string: "a"), URL(string: "?"), URL(string: "#"),
            URL(string: "//"), URL(string: ":"), URL(string: "http://é.example/ü?ö#ä"), URL(string: "a b%zz"),
            URL(string: "file:///"), URL(fileURLWithPath: "/\(text)"), URLComponents().url,
            URL(string: "?x", relativeTo: URLComponents().url),
            URL(dataRepresentation: Data([0xFF, random.pick([0, 0x25, 0x41])]), relativeTo: nil),
        ]
        let element = MutableElement("a", namespace: "urn:a", attributes: ["k": text.filter { $0.isLetter }])
        try element.declarePrefix("p", as: "urn:\(random.number(0...9))")
        let dates: [Date] = [
            Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)), .distantPast, .distantFuture,
            Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: -.infinity),
        ]
        let url = random.pick(urls.compactMap(\.self))
        return [
            random.chance(50), Int32(truncatingIfNeeded: bits), Int(truncatingIfNeeded: bits),
            UInt(truncatingIfNeeded: bits), Double(bitPattern: bits), random.pick([0, .min, .max, -1]) as Int,
            random.pick([.infinity, .nan, -0.0, .leastNonzeroMagnitude]) as Double, random.pick(["", "\0", text]),
            Data(text.utf8), random.pick(dates), UUID(), url, element.freeze(), PromiseReference(id: UUID()),
            [url, url], [text: [text]], ["e\u{301}": bits == 0, "f": true], [[Int]](), [String: Date](),
            Upload(file: text, size: Int(truncatingIfNeeded: bits)),
        ]
    }

    /// Codable reads no empty URL: an object that has one is refused before it is stored.
    @Test func objectsThatCannotBeRead() throws {
        struct Link: StorableObject {
            static let storedName = "Link"
            var url: URL?
        }
        #expect(throws: DecodingError.self) { try Link(url: URLComponents().url).storedValue() }
        #expect(try Link(storedValue: Link(url: URL(string: "a:b")).storedValue()).url?.absoluteString == "a:b")
    }

    /// A subtree keeps the prefixes that were declared around it.
    @Test func elementsKeepTheirPrefixes() throws {
        let dispatcher = try dispatcher()
        let stanza = try Element(parsing: "<a xmlns:p='urn:p' xmlns='urn:a'><b>p:x</b></a>")
        let handler = try dispatcher.handler("Test|everything", binding: ["element": stanza.child("b")])
        guard case .element(let element) = try dispatcher.load(from: dispatcher.data(of: handler)).arguments["element"]
        else {
            Issue.record("the element is missing")
            return
        }
        #expect(element == stanza.child("b"))
        #expect(element.namespacesInScope == stanza.child("b")?.namespacesInScope)
        #expect(element.namespacesInScope.prefixes["p"] == "urn:p")
    }

    @Test func notOurs() async throws {
        let dispatcher = try dispatcher()
        func error(_ bytes: [UInt8]) async -> HandlerError? {
            await handlerError { _ = try dispatcher.load(from: Data(bytes)) }
        }
        #expect(await error([])?.kind == .corrupt("this is not a stored handler", offset: 0))
        #expect(
            await error(Array("<iq type='get'/>".utf8))?.kind == .corrupt("this is not a stored handler", offset: 0))
        #expect(await error([0xC8, 0x48, 9, 1, 0, 0, 0, 0])?.kind == .unknownFormat(version: 9))
        #expect(await error([0xC8, 0x48, 1, 9, 0, 0, 0, 0])?.kind == .corrupt("this is something else", offset: 3))
        #expect(
            await error([0xC8, 0x48, 1, 1, 1, 2, 3, 4])?.kind == .corrupt("the checksum is another one", offset: 4))
    }

    @Test func nothingFollowsTheEnd() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|inner")
        var payload = try Array(dispatcher.data(of: handler).dropFirst(StoredFormat.headerBytes))
        payload[0] |= HandlerFlags.called.rawValue
        payload.append(0)
        let data = StoredFormat.frame(payload)
        #expect(
            await handlerError { _ = try dispatcher.load(from: data) }?.kind
                == .corrupt("something follows the end", offset: payload.count - 1))
        payload.removeLast()
        #expect(try dispatcher.load(from: StoredFormat.frame(payload)).mark == .called)
    }
}
