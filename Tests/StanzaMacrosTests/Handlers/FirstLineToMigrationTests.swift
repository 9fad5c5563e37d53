// The article FromTheFirstLineToAMigration.md, run, and what the macros add at run time.

import Foundation
import HandlerMacros
import StanzaQuery
import TestSupport
import Testing

/// An object that only a running program has. Handlers get it at the call.
actor Account {
    nonisolated let avatars: Avatars?
    private(set) var errors: [String] = []
    private(set) var contacts: [String] = []

    init(avatars: Avatars? = Avatars()) { self.avatars = avatars }

    func post(error: String) { errors.append(error) }

    func add(contacts: [String]) { self.contacts += contacts }
}

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
        let jid = "juliet@example.net"

        let registry = try HandlerRegistry(Roster.self, Avatars.self)
        let dispatcher = HandlerDispatcher(registry: registry)

        let handler = try Roster.$loaded.handler(invalidation: Roster.$lost) { $0.attempt = 2 }
        let data = try dispatcher.data(of: handler)

        let hash = "da39a3ee"
        let published = try Avatars.$published.handler(binding: #named(jid, hash))
        try await dispatcher.call(published, HandlerArguments(#named(account, iq)))

        try await dispatcher.call(stored: data, ["account": account, "iq": iq, "node": "not declared"])

        #expect(await account.contacts == ["romeo@example.net", "nurse@example.net"])
        #expect(await account.avatars?.hashes == ["juliet@example.net": "da39a3ee"])
        #expect(handler.description == "Roster|loaded<lost>")
        await #expect(throws: HandlerError(.noInstance, handler: "Avatars|published")) {
            try await dispatcher.call(published, ["account": Account(avatars: nil), "iq": iq])
        }
    }

    @Test func invalidated() async throws {
        let dispatcher = HandlerDispatcher(registry: try HandlerRegistry(Roster.self))
        let handler = try Roster.$loaded.handler(invalidation: Roster.$lost) { $0.attempt = 2 }
        let data = try dispatcher.data(of: handler)
        try await dispatcher.invalidate(stored: data, because: .disconnected, ["account": account])
        #expect(await account.errors == ["roster: disconnected, attempt 2"])
    }

    /// Version 2 calls a handler that version 1 stored. A program of version 1 keeps a handler of version 2.
    @Test func changed() async throws {
        let old = HandlerDispatcher(registry: try HandlerRegistry(Roster.self))
        let new = HandlerDispatcher(registry: try HandlerRegistry(Contacts.self))
        let first = try old.data(of: Roster.$loaded.handler { $0.attempt = 2 })
        #expect(try new.load(from: first).arguments == ["attempt": .string("2")])
        try await new.call(stored: first, ["account": account, "iq": iq])
        #expect(await account.contacts.count == 2)

        let data = try new.data(of: Contacts.$received.handler { $0.attempt = "2" })
        var isKept = false
        do {
            try await old.call(stored: data, ["account": account, "iq": iq])
        } catch let error as HandlerError where error.kind == .unknownHandler {
            isKept = true
        }
        #expect(isKept)
    }

    /// Names that arguments have as members.
    @Test func membersOfArguments() {
        let (description, names, only, jid) = ("a", ["c"], 5, "d")
        let arguments = HandlerArguments(#named(description, names, only, jid))
        #expect(arguments["description"] as? String == "a" && arguments["names"] as? [String] == ["c"])
        #expect(arguments["only"] as? Int == 5 && arguments["jid"] as? String == "d")
        #expect(arguments[dynamicMember: \.description] as? String == "a" && arguments.names.count == 4)
    }
}
