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

    @Test func limits() async throws {
        typealias Limits = HandlerLimits
        // The sizes of flags, identity, names, version, number of arguments, name, tag and length.
        let own = 1 + 16 + 5 + 4 + 1 + 1 + 6 + 1 + 3
        func nested(_ levels: Int) -> StoredValue { (1..<levels).reduce(.bool(true)) { value, _ in .array([value]) } }
        func handlers(_ levels: Int) throws -> Handler {
            let dispatcher = try dispatcher()
            return try (1..<levels).reduce(dispatcher.handler("Test|any")) { handler, _ in
                try dispatcher.handler("Test|any", binding: ["value": handler])
            }
        }
        for more in [0, 1] {
            func expect(_ error: HandlerError.Kind, _ arguments: HandlerArguments) async throws {
                #expect(try await kind(binding: arguments) == (more == 0 ? nil : error))
            }
            try await expect(
                .tooLarge(.bytes, maximum: Limits.bytes), ["value": Data(count: Limits.bytes - own + more)])
            try await expect(
                .tooLarge(.values, maximum: Limits.values),
                ["value": [Bool](repeating: true, count: Limits.values - 1 + more)])
            try await expect(.tooDeep(.depth, maximum: Limits.depth), ["value": nested(Limits.depth + more)])
            try await expect(
                .tooDeep(.nestedHandlers, maximum: Limits.nestedHandlers),
                ["value": handlers(Limits.nestedHandlers + more)])
            try await expect(
                .tooLarge(.arguments, maximum: Limits.arguments),
                (0..<Limits.arguments + more).reduce(into: [:]) { $0["a\($1)"] = 1 })
            try await expect(
                .tooLarge(.nameBytes, maximum: Limits.nameBytes),
                [String(repeating: "x", count: Limits.nameBytes + more): 1])
        }
        let tooLarge = Data([0xC8, 0x48, 1, 1, 0, 0, 0, 0]) + Data(count: Limits.bytes + 1)
        let error = await handlerError { _ = try dispatcher().load(from: tooLarge) }
        #expect(error?.kind == .tooLarge(.bytes, maximum: Limits.bytes))
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
