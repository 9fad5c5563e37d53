// The examples of the article and the doc comments, word for word; .ci/check examples compares them.

import Foundation
import Testing

@testable import Handlers

struct PromiseDocumentationTests {
    @Test func aPromiseFromItsMakingToItsValue() async throws {
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        let store = MemoryPromiseStore()
        let extensionPromises = try await PromiseCenter.start(store: store, role: .resolver)

        let promises = try await PromiseCenter.start(store: store, role: .consumer)
        let promise = try await promises.create(String.self, key: "avatar-of-room", timeout: .seconds(3600))

        let same = extensionPromises.promise(promise.id, of: String.self)
        let first = try await same.fulfill("published")
        let second = try await same.reject(PromiseRejection(code: "forbidden"))
        #expect(first == .resolved)
        #expect(second == .alreadyResolved(.fulfilled))

        func example() async throws {
            guard let again = try await promises.reattach(key: "avatar-of-room", as: String.self) else { return }
            try await again.withValue { words in show(words) }
        }
        try await example()
        // Also if the example finds no promise.
        #expect(shown == ["published"])
    }

    @Test func waiting() async throws {
        let store = MemoryPromiseStore()
        let resolver = try await PromiseCenter.start(store: store, role: .resolver)
        let answering = Task {
            while true {
                guard let record = await store.promise(key: "avatar-of-room") else {
                    try await Task.sleep(for: .milliseconds(10))
                    continue
                }
                try await resolver.promise(record.id, of: String.self).fulfill("published")
                return
            }
        }
        let promises = try await PromiseCenter.start(store: store, role: .consumer)
        let promise = try await promises.create(String.self, key: "avatar-of-room", timeout: .seconds(3600))
        // … the promise's id travels with a handler, which fulfills it in whatever process it runs.
        let answer = try await promise.value
        try await answering.value
        #expect(answer == "published")
    }

    @Test func showing() async throws {
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        let promises = try await PromiseCenter.start(store: MemoryPromiseStore(), role: .consumer)
        let promise = try await promises.create(String.self)
        try await promise.fulfill("published")
        try await promise.withValue { words in show(words) }
        #expect(shown == ["published"])
    }

    @Test func registeringAndListing() async throws {
        struct Avatar: StorableObject {
            static let storedName = "Avatar"
            let hash: String
        }

        let promises = try await PromiseCenter.start(store: MemoryPromiseStore(), role: .consumer)
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        let avatars = try await promises.create([Avatar].self, key: "avatars")

        try await avatars.fulfill([Avatar(hash: "a1b2")])
        for open in try await promises.openPromises() { show(open.key ?? "\(open.id)") }
        #expect(shown == ["avatars"])
        #expect(try await avatars.value.map(\.hash) == ["a1b2"])
    }

    @Test func rejecting() async throws {
        let store = MemoryPromiseStore()
        let promises = try await PromiseCenter.start(store: store, role: .consumer)
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        let promise = try await promises.create(String.self)
        try await promise.reject(PromiseRejection(code: "forbidden", message: "Only owners may change the avatar."))
        do {
            show(try await promise.value)
        } catch let rejection as PromiseRejection {
            show(rejection.message)
        }
        #expect(shown == ["Only owners may change the avatar."])
    }
}
