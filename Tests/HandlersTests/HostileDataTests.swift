// A hundred thousand inputs of random and damaged data. Decoding never crashes and never calls a function.

import Foundation
import TestSupport
import Testing
import XMLTree

@testable import Handlers

@Suite struct HostileDataTests {
    private let calls = Calls()

    private func dispatcher() throws -> HandlerDispatcher {
        HandlerDispatcher(
            try HandlerRegistry(
                handlers: [
                    HandlerDefinition("Test|inner", HandlerParameter("number", Int?.self)) { [calls] _ in calls.add("")
                    },
                    HandlerDefinition(
                        "Test|everything", formerly: ["Test|old"], version: 2, migrations: [1: { _ in }]
                    ) { [calls] in calls.add("") },
                ], objects: [Upload.self]))
    }

    /// Counts the results of decoding. The test must read some inputs to the end; otherwise it would cover little code.
    private struct Outcomes {
        var loaded = 0
        var refused: [String: Int] = [:]

        /// The number of inputs that the decoder itself refused.
        var undecoded: Int { ["corrupt", "tooLarge", "tooDeep"].reduce(0) { $0 + (refused[$1] ?? 0) } }
        var total: Int { refused.values.reduce(loaded, +) }

        mutating func add(_ result: Result<Handler, HandlerError>) {
            switch result {
            case .success: loaded += 1
            case .failure(let error): refused["\(error.kind)".prefix { $0 != "(" }.description, default: 0] += 1
            }
        }
    }

    private func load(_ data: Data, _ dispatcher: HandlerDispatcher) -> Result<Handler, HandlerError> {
        do throws(HandlerError) {
            let handler = try dispatcher.load(from: data)
            _ = try? dispatcher.data(of: handler)
            return .success(handler)
        } catch {
            return .failure(error)
        }
    }

    @Test func randomBytes() throws {
        let dispatcher = try dispatcher()
        var random = SeededGenerator(salt: 501)
        for _ in 0..<SeededGenerator.cases(default: 30_000) {
            let bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let data = random.chance(50) ? Data(bytes) : StoredFormat.frame(bytes)
            if case .success = load(data, dispatcher) { Issue.record("random bytes are a handler: \(bytes)") }
        }
        #expect(calls.count == 0)
    }

    /// Damage under a valid checksum: the decoder itself must withstand it.
    @Test func damagedHandlers() throws {
        let dispatcher = try dispatcher()
        var random = SeededGenerator(salt: 502)
        let payloads = try [
            handlerOfEverything(in: dispatcher), dispatcher.handler("Test|inner", binding: ["number": 7]),
            dispatcher.handler("Test|everything", binding: ["many": [[1, 2], [3]], "text": "a"]),
        ].map { try Array(dispatcher.data(of: $0).dropFirst(StoredFormat.headerBytes)) }
        var outcomes = Outcomes()
        for _ in 0..<SeededGenerator.cases(default: 40_000) {
            let damaged = damage(random.pick(payloads), using: &random)
            outcomes.add(load(StoredFormat.frame(damaged), dispatcher))
        }
        #expect(calls.count == 0)
        // The decoder loads at least 2 % of the inputs and reads 5 % to the end, with known or unknown names and types.
        #expect(outcomes.loaded * 50 >= outcomes.total, "\(outcomes)")
        #expect((outcomes.total - outcomes.undecoded) * 20 >= outcomes.total, "\(outcomes)")
        // Some kinds of refusal are rare: a short run, such as one with a sanitizer, may miss them.
        #expect(outcomes.refused.count >= (outcomes.total < 40_000 ? 3 : 5), "\(outcomes)")
    }

    /// Changes, removes, doubles or inserts a few bytes.
    private func damage(_ payload: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = payload
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, index + Int.random(in: 1...8, using: &random))
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[index] = random.pick([0, 1, 0x0C, 0x0E, 0x0F, 0x7F, 0x80, 0xFF])
            case 2: bytes[index] &+= 1
            case 3: bytes.removeSubrange(index..<end)
            case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
            case 5: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
            default: bytes.removeLast(bytes.count - index)
            }
        }
        return bytes
    }

    /// Deliberate attacks with small inputs that declare large content.
    @Test func amplification() async throws {
        let dispatcher = try dispatcher()
        func kind(_ payload: [UInt8]) async -> HandlerError.Kind? {
            await handlerError { _ = try dispatcher.load(from: StoredFormat.frame(payload)) }?.kind
        }
        let head: [UInt8] = [0] + [UInt8](repeating: 7, count: 16) + [1, 65, 1, 98, 1]
        func argument(_ value: [UInt8]) -> [UInt8] { head + [1, 1, 120] + value }
        // A count of 2^60 items, a length beyond the end, arrays in arrays, handlers in handlers.
        let huge: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]
        #expect(await kind(argument([0x0E] + huge)) == .tooLarge(.values, maximum: HandlerLimits.values))
        #expect(await kind(head + huge) == .tooLarge(.arguments, maximum: HandlerLimits.arguments))
        #expect(await kind(argument([0x07] + huge)) == .corrupt("a length beyond the end", offset: 35))
        #expect(await kind(argument([0x0E, 100, 0])) == .corrupt("a count that the data do not hold", offset: 27))
        let arrays = [UInt8]([0x0E, 1].repeated(100_000)) + [0]
        #expect(await kind(argument(arrays)) == .tooDeep(.depth, maximum: HandlerLimits.depth))
        let handlers = (0..<1000).reduce(head + [0]) { inner, _ in argument([0x0C] + inner) }
        #expect(await kind(handlers) == .tooDeep(.nestedHandlers, maximum: HandlerLimits.nestedHandlers))
        // Names that occur twice, out of order or canonically equivalent; numbers beyond their type.
        #expect(await kind(head + [2, 1, 120, 0, 1, 120, 0]) == .corrupt("names out of order", offset: 28))
        #expect(await kind(head + [2, 1, 121, 0, 1, 120, 0]) == .corrupt("names out of order", offset: 28))
        #expect(
            await kind(head + [2, 3, 0x65, 0xCC, 0x81, 0, 2, 0xC3, 0xA9, 0])
                == .corrupt("a name that is there twice", offset: 32))
        #expect(
            await kind(argument([0x02, 0x80, 0x80, 0x80, 0x80, 0x20]))
                == .corrupt("a number beyond its type", offset: 31)
        )
        #expect(await kind(argument([0x06, 1, 0xFF])) == .corrupt("a text that is not UTF-8", offset: 28))
        #expect(await kind(argument([0x0B, 0, 3, 60, 97, 62])) == .corrupt("an invalid element", offset: 31))
        #expect(await kind(argument([0x11])) == .corrupt("a value of unknown type", offset: 26))
        #expect(await kind([16] + head.dropFirst() + [0]) == .corrupt("unknown flags", offset: 1))
        #expect(await kind(Array(head.dropLast()) + [0, 0]) == .corrupt("a version 0", offset: 22))
        let lineBreak: [UInt8] = head.prefix(17) + [1, 10, 1, 98, 1]
        #expect(
            await kind(lineBreak + [0]) == .corrupt("a name that is empty or has control characters", offset: 19))
        let bar: [UInt8] = head.prefix(17) + [1, 124, 1, 98, 1]
        #expect(await kind(bar + [0]) == .corrupt("a handler's name with characters that none has", offset: 21))
        #expect(
            await kind(argument([0x10, 1, 10, 1, 0]))
                == .corrupt("a name that is empty or has control characters", offset: 28))
        #expect(
            await kind(head + [1, 1, 10, 0])
                == .corrupt("a name that is empty or has control characters", offset: 25))
        #expect(await kind(head + [0]) == .unknownHandler)
    }
}

extension [UInt8] {
    fileprivate func repeated(_ count: Int) -> [UInt8] { Array(repeatElement(self, count: count).joined()) }
}
