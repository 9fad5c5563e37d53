// Every limit: a handler at the limit can be stored and loaded, one beyond it can be neither.

import Foundation
import Testing
import XMLTree

@testable import Handlers

@Suite struct LimitTests {
    private func dispatcher() throws -> HandlerDispatcher { try HandlerDispatcher(HandlerDefinition("Test|any") {}) }

    /// Returns the error of storing a bound value.
    private func kind(_ value: (any Sendable)?) async throws -> HandlerError.Kind? {
        try await kind(binding: ["value": value])
    }

    /// Returns the error of storing a handler with these arguments.
    private func kind(binding arguments: HandlerArguments) async throws -> HandlerError.Kind? {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|any", binding: arguments)
        return await handlerError { _ = try dispatcher.load(from: dispatcher.data(of: handler)) }?.kind
    }

    @Test func bytes() async throws {
        // The sizes of flags, identity, names, version, number of arguments, name, tag and length.
        let own = 1 + 16 + 5 + 4 + 1 + 1 + 6 + 1 + 3
        #expect(try await kind(Data(count: HandlerLimits.bytes - own)) == nil)
        #expect(
            try await kind(Data(count: HandlerLimits.bytes - own + 1))
                == .tooLarge(.bytes, maximum: HandlerLimits.bytes))
        let dispatcher = try dispatcher()
        let tooLarge = Data([0xC8, 0x48, 1, 1, 0, 0, 0, 0]) + Data(count: HandlerLimits.bytes + 1)
        #expect(
            await handlerError { _ = try dispatcher.load(from: tooLarge) }?.kind
                == .tooLarge(.bytes, maximum: HandlerLimits.bytes))
    }

    @Test func values() async throws {
        #expect(try await kind([Bool](repeating: true, count: HandlerLimits.values - 1)) == nil)
        #expect(
            try await kind([Bool](repeating: true, count: HandlerLimits.values))
                == .tooLarge(.values, maximum: HandlerLimits.values))
    }

    @Test func depth() async throws {
        func nested(_ levels: Int) -> StoredValue { (1..<levels).reduce(.bool(true)) { value, _ in .array([value]) } }
        #expect(try await kind(nested(HandlerLimits.depth)) == nil)
        #expect(try await kind(nested(HandlerLimits.depth + 1)) == .tooDeep(.depth, maximum: HandlerLimits.depth))
    }

    @Test func nestedHandlers() async throws {
        let dispatcher = try dispatcher()
        func nested(_ levels: Int) throws -> Handler {
            try (1..<levels).reduce(dispatcher.handler("Test|any")) { handler, _ in
                try dispatcher.handler("Test|any", binding: ["value": handler])
            }
        }
        #expect(try await kind(nested(HandlerLimits.nestedHandlers)) == nil)
        #expect(
            try await kind(nested(HandlerLimits.nestedHandlers + 1))
                == .tooDeep(.nestedHandlers, maximum: HandlerLimits.nestedHandlers))
    }

    @Test func arguments() async throws {
        for count in [HandlerLimits.arguments, HandlerLimits.arguments + 1] {
            let kind = try await kind(binding: (0..<count).reduce(into: [:]) { $0["a\($1)"] = 1 })
            #expect(
                kind
                    == (count > HandlerLimits.arguments
                        ? .tooLarge(.arguments, maximum: HandlerLimits.arguments) : nil))
        }
    }

    @Test func nameBytes() async throws {
        for count in [HandlerLimits.nameBytes, HandlerLimits.nameBytes + 1] {
            let kind = try await kind(binding: [String(repeating: "x", count: count): 1])
            #expect(
                kind
                    == (count > HandlerLimits.nameBytes
                        ? .tooLarge(.nameBytes, maximum: HandlerLimits.nameBytes) : nil))
        }
    }

    /// The decoder refuses such names, which errors and logs show.
    @Test(arguments: ["", "line\nbreak", "\u{85}"]) func namesThatNoDecoderReads(name: String) async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|any", binding: [name: 5])
        #expect(await handlerError { _ = try dispatcher.data(of: handler) }?.kind == .invalidName)
        let object = StoredObject(type: name, version: 1, json: Data())
        #expect(try await kind(StoredValue.object(object)) == .invalidName)
    }

    /// A tree that code builds can be deeper than the parser accepts. Storing it fails, not loading it.
    @Test func elementsThatNoParserReads() async throws {
        let top = MutableElement("a", namespace: "urn:a")
        var element = top
        for _ in 0..<ParserLimits.defaultDepth {
            let child = MutableElement("a")
            element.add(child)
            element = try #require(element.child("a"))
        }
        let kind = try await kind(top.freeze())
        guard case .unreadableElement(argument: "value", reason: _) = kind else {
            Issue.record("\(String(describing: kind))")
            return
        }
    }

    /// Each ancestor may declare as many prefixes as the parser allows.
    @Test func elementsInTheScopeOfTooManyPrefixes() async throws {
        let top = MutableElement("a", namespace: "urn:a")
        let child = MutableElement("b")
        top.add(child)
        for number in 0...ParserLimits.defaultDeclarations { try top.declarePrefix("p\(number)", as: "urn:\(number)") }
        let element = try #require(top.freeze().child("b"))
        let kind = try await kind(element)
        guard case .unreadableElement(argument: "value", reason: _) = kind else {
            Issue.record("\(String(describing: kind))")
            return
        }
    }
}
