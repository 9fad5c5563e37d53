// The article FromTheFirstLineToAMigration.md, run.

import Foundation
import HandlerMacros
import StanzaQuery
import TestSupport
import Testing

@Handlers
enum Roster {
    @Handler
    static func loaded(account: Account, iq: Element, attempt: Int?) async throws {
        if try iq.check("/<type=error>") {
            await account.post(error: "no roster, attempt \(attempt ?? 1)")
            return
        }
        let contacts = try iq.find("{jabber:iq:roster}query/item@jid", as: String.self)
        await account.add(contacts: contacts)
    }

    @Handler
    static func lost(account: Account, attempt: Int?, reason: InvalidationReason) async {
        await account.post(error: "roster: \(reason), attempt \(attempt ?? 1)")
    }
}

@Handlers
actor Avatars {
    private(set) var hashes: [String: String] = [:]

    @Handler(on: "account.avatars")
    func published(account: Account, iq: Element, jid: String, hash: String) throws {
        if try iq.check("/<type=result>") { hashes[jid] = hash }
    }
}

@Handlers
enum Contacts {
    @Handler(
        formerly: ["Roster|loaded"], version: 2,
        migrations: [1: { try $0.change("attempt", from: Int.self) { String($0) } }])
    static func received(account: Account, iq: Element, attempt: String?) async throws {
        await account.add(contacts: try iq.find("{jabber:iq:roster}query/item@jid", as: String.self))
    }
}

@Suite struct FirstLineToMigrationTests {
    private let account = Account()
    private let iq: Element

    init() throws {
        iq = try Element(
            parsing: """
                <iq type='result'><query xmlns='jabber:iq:roster'><item jid='romeo@example.net'/>\
                <item jid='nurse@example.net'/></query></iq>
                """, in: .clientStream)
    }

    @Test func storedAndCalled() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("handlers")
        let jid = "juliet@example.net"

        let registry = try HandlerRegistry(Roster.self, Avatars.self)
        let dispatcher = HandlerDispatcher(registry: registry, store: try FileHandlerStore(at: file))

        let handler = try Roster.$loaded.handler(invalidation: Roster.$lost) { $0.attempt = 2 }
        try await dispatcher.store(handler)

        let hash = "da39a3ee"
        let published = try Avatars.$published.handler(binding: #named(jid, hash))
        try await dispatcher.call(published, HandlerArguments(#named(account, iq)))

        let id = handler.id
        try await dispatcher.call(stored: id, ["account": account, "iq": iq, "node": "not declared"])
        try await dispatcher.remove(id)

        #expect(await account.contacts == ["romeo@example.net", "nurse@example.net"])
        let error = await #expect(throws: HandlerError.self) { try await dispatcher.call(stored: id) }
        #expect(error?.kind == .notStored)
        #expect(await account.avatars.hashes == ["juliet@example.net": "da39a3ee"])
    }

    @Test func invalidated() async throws {
        let dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Roster.self))
        let handler = try Roster.$loaded.handler(invalidation: Roster.$lost) { $0.attempt = 2 }
        try await dispatcher.store(handler)
        let id = handler.id
        try await dispatcher.invalidate(stored: id, because: .disconnected, ["account": account])
        #expect(await account.errors == ["roster: disconnected, attempt 2"])
        let error = await #expect(throws: HandlerError.self) {
            try await dispatcher.call(stored: id, ["account": account, "iq": iq])
        }
        #expect(error?.kind == .alreadyInvalidated(.disconnected))
    }

    /// Version 2 calls a handler that version 1 stored. A handler of version 2 waits in a program that knows only
    /// version 1.
    @Test func changed() async throws {
        let store = MemoryHandlerStore()
        let old = HandlerDispatcher(registry: try HandlerRegistry(Roster.self), store: store)
        let new = HandlerDispatcher(registry: try HandlerRegistry(Contacts.self), store: store)
        let first = try Roster.$loaded.handler { $0.attempt = 2 }
        try await old.store(first)
        #expect(try await new.load(first.id).arguments == ["attempt": .string("2")])
        try await new.call(stored: first.id, ["account": account, "iq": iq])
        #expect(await account.contacts.count == 2)

        let second = try Contacts.$received.handler { $0.attempt = "2" }
        try await new.store(second)
        let id = second.id

        let delivery = try await old.call(stored: id, ["account": account, "iq": iq])
        for deferred in try await old.deferred() { print(deferred.description, deferred.reason) }

        let replays = try await new.replay(["account": account])

        #expect(delivery == .deferred(HandlerError(.unknownHandler, handler: "Contacts|received")))
        #expect(replays.map(\.stillDeferred) == [nil])
        #expect(await account.contacts.count == 4)
    }
}
