// The examples of the article, as they stand there.

import Promises
import Testing

struct DocumentationTests {
    @Test func aPromiseFromItsMakingToItsValue() async throws {
        let store = InMemoryPromiseStore()
        let extensionPromises = try await PromiseCentre.start(store: store, role: .resolver)

        let promises = try await PromiseCentre.start(store: store, role: .consumer)
        let promise = try await promises.create(String.self, key: "avatar-of-room", timeout: .seconds(60))

        let same = extensionPromises.promise(promise.id, of: String.self)
        let first = try await same.fulfil("published")
        let second = try await same.reject(PromiseRejection(code: "forbidden"))
        #expect(first == .resolved)
        #expect(second == .alreadyResolved(.fulfilled))

        guard let again = try await promises.reattach(key: "avatar-of-room", as: String.self) else { return }
        let words = try await again.value
        #expect(words == "published")
    }
}
