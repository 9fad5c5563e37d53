// The examples of the article and the doc comments, word for word; .ci/check examples compares them.

import Foundation
import Handlers
import StanzaQuery
import TestSupport
import Testing

/// A value of a Codable type.
struct Upload: StorableObject, Hashable {
    static let storedName = "Upload"
    var file: String
    var size: Int
}

enum Kind: String, Storable { case direct, group }

private enum Carbons: HandlerProvider {
    struct EnabledParameters {
        let account = HandlerParameter("account", Account.self)
        let attempt = HandlerParameter("attempt", Int?.self)
    }

    static let enabled = HandlerFunction(EnabledParameters()) {
        HandlerDefinition("Carbons|enabled", $0.account, $0.attempt) { account, attempt in
            await account.warn("attempt \(attempt ?? 1)")
        }
    }
    static let handlers = [enabled.definition]
}

private enum Omemo: HandlerProvider {
    struct BundleParameters {
        let account = HandlerParameter("account", Account.self)
        let device = HandlerParameter("device", Int.self)
        let done = HandlerParameter("done", Bool?.self)
    }

    static let bundleFetched = HandlerFunction(BundleParameters()) {
        HandlerDefinition("Omemo|bundleFetched", $0.account, $0.device) { account, device in
            await account.warn("bundle of \(device)")
        }
    }
    static let bundleLost = HandlerFunction(BundleParameters()) {
        HandlerDefinition("Omemo|bundleLost", $0.account, $0.device, $0.done) { account, device, done in
            await account.warn("no bundle of \(device), \(done == true)")
        }
    }
    static let handlers = [bundleFetched.definition, bundleLost.definition]
}

@Suite struct DocumentationTests {
    private let account = Account()
    private let iq: Element

    init() throws {
        iq = try Element(stanza: "<iq type='result'/>")
    }

    /// Handlers.md.
    @Test func overview() async throws {
        let enabled = HandlerDefinition(
            "Carbons|enabled", HandlerParameter("account", Account.self), HandlerParameter("iq", Element.self)
        ) { account, iq in
            if try iq.check("/<type=result>") { await account.useCarbons() }
        }
        let dispatcher = HandlerDispatcher(registry: try HandlerRegistry(handlers: [enabled]))
        let handler = try enabled.handler()
        let data = try dispatcher.data(of: handler)
        try await dispatcher.call(stored: data, ["account": account, "iq": iq])
        #expect(await account.usesCarbons)
    }

    // MARK: Doc comments

    @Test func functions() async throws {
        struct EnabledParameters {
            let account = HandlerParameter("account", Account.self)
            let attempt = HandlerParameter("attempt", Int?.self)
        }
        let enabled = HandlerFunction(EnabledParameters()) {
            HandlerDefinition("Carbons|enabled", $0.account, $0.attempt) { account, attempt in
                await account.warn("carbons after attempt \(attempt ?? 1)")
            }
        }
        let dispatcher = HandlerDispatcher(try HandlerRegistry(handlers: [enabled.definition]))
        try await dispatcher.call(enabled.handler { $0.attempt = 3 }, ["account": account])
        #expect(await account.warnings == ["carbons after attempt 3"])
    }

    @Test func bindingAndCalling() async throws {
        let registry = try HandlerRegistry(Carbons.self, Omemo.self)
        #expect(registry.names.count == 3)
        let dispatcher = HandlerDispatcher(registry)
        let handler = try Carbons.enabled.handler { $0.attempt = 1 }
        try await dispatcher.call(handler, ["account": account, "iq": iq])
        let arguments: HandlerArguments = ["account": account, "iq": iq, "error": nil]
        try await dispatcher.call(handler, arguments)
        #expect(arguments.names.sorted() == ["account", "error", "iq"])
        #expect(await account.warnings == ["attempt 1", "attempt 1"])
    }

    @Test func invalidation() async throws {
        let dispatcher = HandlerDispatcher(try HandlerRegistry(Omemo.self))
        let device = 5
        let handler = try Omemo.bundleFetched.handler(invalidation: Omemo.bundleLost) {
            $0.device = device
            $0.done = false
        }
        try await dispatcher.invalidate(handler, because: .disconnected, ["account": account])
        #expect(await account.warnings == ["no bundle of 5, false"])
    }

    @Test func definitions() async throws {
        let bundleFetched = Omemo.bundleFetched.definition
        let bundleLost = Omemo.bundleLost.definition
        let dispatcher = HandlerDispatcher(try HandlerRegistry(Omemo.self))
        let handler = try bundleFetched.handler(invalidation: bundleLost, binding: ["device": 5])
        try await dispatcher.call(handler, ["account": account])
        try await dispatcher.invalidate(handler, because: .disconnected, ["account": account])
        #expect(await account.warnings == ["bundle of 5", "no bundle of 5, false"])
        #expect(throws: HandlerError.self) { try bundleFetched.handler(binding: ["device": "five"]) }
        #expect(throws: HandlerError.self) {
            try bundleFetched.handler(invalidation: bundleLost, binding: ["done": "no"])
        }
    }

    @Test func dispatchers() async throws {
        let handler = try Carbons.enabled.handler()
        let dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Carbons.self))
        let data = try dispatcher.data(of: handler)
        try await dispatcher.call(stored: data, ["account": account, "iq": iq])
        #expect(await account.warnings == ["attempt 1"])
    }

    /// KeepingHandlers.md.
    @Test func aFileOfHandlers() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("handlers")
        let dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Carbons.self))
        let handler = try Carbons.enabled.handler()
        for _ in 1...2 {
            var stored = (try? JSONDecoder().decode([String: Data].self, from: Data(contentsOf: file))) ?? [:]
            stored["avatar"] = try dispatcher.data(of: handler)
            try JSONEncoder().encode(stored).write(to: file, options: .atomic)
        }
        let read = try JSONDecoder().decode([String: Data].self, from: Data(contentsOf: file))
        #expect(try read.mapValues { try dispatcher.load(from: $0) } == ["avatar": handler])
    }

    @Test func parameters() async throws {
        let account = HandlerParameter("account", Account.self)
        let error = HandlerParameter("error", Element?.self)
        let lost = HandlerDefinition("Carbons|lost", account, error) { account, error in
            await account.warn(error?.name ?? "no error")
        }
        let dispatcher = HandlerDispatcher(try HandlerRegistry(handlers: [lost]))
        try await dispatcher.call(dispatcher.handler("Carbons|lost"), ["account": self.account])
        #expect(await self.account.warnings == ["no error"])
    }

    @Test func values() throws {
        #expect(try Kind(storedValue: Kind.group.storedValue()) == .group)
        let upload = Upload(file: "a.png", size: 3)
        #expect(try Upload(storedValue: upload.storedValue()) == upload)
        let migrations: [Int: HandlerMigration] = [1: { try $0.change("device", from: Int.self) { String($0) } }]
        var arguments: [String: StoredValue] = ["device": 5.storedValue()]
        try migrations[1]?(&arguments)
        #expect(arguments == ["device": .string("5")])
    }
}
