// The client of the article GettingStarted word for word. They get a connector in
// memory instead of a server's.

import Foundation
import GRDB
import HandlerMacros
import TestSupport
import Testing
import XMPPSession

/// The handlers of the request that removes an avatar.
@Handlers
enum Avatars {
    /// The process that receives the answer calls this function.
    @Handler(singleShot: true)
    static func removed(promise: Promise<String>, room: String, iq: Element) async throws {
        if let error = StanzaError(iq) {
            try await promise.reject(
                PromiseRejection(code: error.condition, message: error.text ?? error.condition, stanza: iq))
        } else {
            try await promise.fulfill("\(room) has no avatar any more")
        }
    }

    /// A process calls this function if no answer will come.
    @Handler
    static func notRemoved(promise: Promise<String>, reason: InvalidationReason) async throws {
        try await promise.reject(PromiseRejection(code: reason.rawValue, message: "no answer came"))
    }
}

/// An account's database, promises, handlers and session.
struct Client {
    let database: StanzaDatabase
    let promises: PromiseCenter
    let session: DurableSession

    init(account: JID, path: String, role: PromiseCenter.Role = .consumer) async throws {
        database = try await StanzaDatabase.open(at: path)
        promises = try await PromiseCenter.start(store: database, role: role)
        session = try await DurableSession(
            account: account, database: database, handlers: Avatars.self, promises: promises)

        try await database.write { transaction in
            try transaction.db.execute(sql: "CREATE TABLE IF NOT EXISTS inbox (sender TEXT, body TEXT)")
        }
        try await session.on("/{jabber:client}message<type=chat>/body") { stanza, work in
            try work.changes.add { transaction in
                try transaction.db.execute(
                    sql: "INSERT INTO inbox VALUES (?, ?)", arguments: [stanza["from"], stanza.child("body")?.text])
            }
        }
        await session.otherwise(.ignore)
        await session.onNewSession { work in
            let presence = MutableElement("presence", namespace: .uri("jabber:client"))
            try work.send(presence.freeze())
        }
    }

    /// Runs the session until it ends.
    func run(connecting connector: some StreamConnector) async throws -> StreamEnd {
        try await session.run(connecting: connector)
    }

    /// Asks a room to remove its avatar (XEP-0153), unless it was asked already.
    func removeAvatar(of room: String) async throws -> Promise<String> {
        let iq = MutableElement(
            "iq", namespace: .uri("jabber:client"), attributes: ["type": "set", "to": room]
        ) {
            MutableElement("vCard", namespace: .uri("vcard-temp"))
        }.freeze()
        return try await session.promise(key: "avatar-of-\(room)", timeout: .seconds(3600)) { promise, work in
            let handler = try Avatars.$removed.handler(
                invalidation: Avatars.$notRemoved, binding: #named(promise, room))
            try await work.request(iq, handler: handler)
        }
    }
}

/// A final error, such as that of a wrong password.
private struct Refusal: StreamConnectionError, Equatable {
    let isFinal = true
}

private struct Refusing: StreamConnector {
    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream { throw Refusal() }
}

@Suite(.fewAtOnce) struct GettingStartedTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()
    private let journal = Journal()

    init() throws { folder = try TemporaryFolder() }

    private static let answer = "<iq type='result' from='coven@chat.example.org' id='ID'/>"

    private func print(_ item: Any) { journal.note("\(item)") }

    private func newClient() async throws -> Client {
        let client = try await Client(account: Household.account, path: folder.database)
        await client.session.stream.configure { $0 = .patient }
        return client
    }

    /// Runs the client until the body is done.
    private func run(_ client: Client, _ body: () async throws -> Void) async throws {
        try await client.session.whileOnline({ [server] in try await client.run(connecting: server) }, body)
    }

    /// Lets the client ask, and returns its promise and the answer that the server will give.
    private func ask(_ client: Client) async throws -> (promise: Promise<String>, answer: String) {
        let promise = try await client.removeAvatar(of: "coven@chat.example.org")
        try await server.receives(2)
        let id = try #require(server.stanzas.first { $0.name == "iq" }?["id"])
        return (promise, Self.answer.replacing("ID", with: id))
    }

    private func answerRequests(_ text: String = Self.answer) {
        server.answer { $0.name == "iq" ? [text.replacing("ID", with: $0["id"] ?? "")] : [] }
    }

    private func requestCount(in client: Client) async throws -> Int {
        try await client.database.read { try $0.requests.requests(of: Household.account).count }
    }

    private func storedBodies(in client: Client) async throws -> [String] {
        try await client.database.read { try String.fetchAll($0.db, sql: "SELECT body FROM inbox") }
    }

    @Test func handlersArePassedToTheSession() async throws {
        let folder = try TemporaryFolder()
        let account = Household.account
        let database = try await StanzaDatabase.open(at: folder.database)
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let session = try await DurableSession(
            account: account, database: database, handlers: Avatars.self, promises: promises)
        let room = "coven@chat.example.org"
        let promise = try await promises.create(String.self)
        try await session.request(query, handler: Avatars.$removed.handler(binding: #named(promise, room)))
        #expect(try await database.read { try $0.requests.requests(of: account).count } == 1)
    }

    @Test func messagesPresenceAndTheState() async throws {
        let client = try await newClient()
        try await run(client) {
            let isOnline =
                switch await client.session.stream.state {
                case .enabled, .disabled(.bound), .disabled(.refused): true
                case .disabled(.unbound), .enabling, .resuming, .suspended, .ended: false
                }
            print(isOnline ? "online" : "offline")

            server.say("<message type='chat' from='romeo@example.net/orchard'><body>hi</body></message>")
            try await eventually("the message was handled") { try await !storedBodies(in: client).isEmpty }
            let bodies = try await client.database.read { transaction in
                try String.fetchAll(transaction.db, sql: "SELECT body FROM inbox")
            }
            print(bodies)
            try await server.receives(1)
            #expect(server.stanzas.map(\.name) == ["presence"])
        }
        #expect(journal.all == ["online", #"["hi"]"#])
    }

    @Test(arguments: [false, true]) func askingAndItsOutcome(isRefused: Bool) async throws {
        let refusal =
            "<iq type='error' from='coven@chat.example.org' id='ID'><error type='auth'>"
            + "<forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        answerRequests(isRefused ? refusal : Self.answer)
        let client = try await newClient()
        try await run(client) {
            let promise = try await client.removeAvatar(of: "coven@chat.example.org")
            do {
                print(try await promise.value)
            } catch let rejection as PromiseRejection {
                print("\(rejection.code): \(rejection.message)")
            }
        }
        #expect(journal.all == [isRefused ? "forbidden: forbidden" : "coven@chat.example.org has no avatar any more"])
    }

    /// The request times out.
    @Test func aRequestWithoutAnAnswerEnds() async throws {
        let client = try await newClient()
        let promise = try await client.removeAvatar(of: "coven@chat.example.org")
        try await client.database.write { try $0.db.execute(sql: "UPDATE stanza_request SET deadline = 0") }
        try await run(client) {
            let rejection = await #expect(throws: PromiseRejection.self) { try await promise.value }
            #expect(rejection?.code == "timed-out")
            #expect(rejection?.message == "no answer came")
        }
    }

    @Test func suspendingGoingOnAndTheNextProcess() async throws {
        let client = try await newClient()
        let running = await client.session.online { [server] in try await client.run(connecting: server) }
        let answer = try await ask(client).answer
        try await client.session.suspend(gracePeriod: .seconds(5))
        do {
            try await client.session.transaction { _ in }
        } catch {
            print(error)
        }

        #expect(try await running.value == .suspended)
        await #expect(throws: StanzaDatabaseError.frozen) { try await client.database.read { _ in } }
        await #expect(throws: RequestError.suspended) {
            try await client.session.send(xml("<presence/>"))
        }
        server.say(answer)
        try await run(client) {
            try await eventually("the answer was handled") { try await requestCount(in: client) == 0 }
        }
        #expect(server.resumptions == 1)
        do {
            let client = try await newClient()
            let key = "avatar-of-coven@chat.example.org"
            if let promise = try await client.promises.reattach(key: key, as: String.self) {
                print(try await promise.value)
            }
        }
        #expect(
            journal.all == [
                "the session is suspended: run it again first", "coven@chat.example.org has no avatar any more",
            ])
    }

    @Test func theExtensionHandlesTheAnswer() async throws {
        let path = folder.database
        let client = try await newClient()
        let running = await client.session.online { [server] in try await client.run(connecting: server) }
        let (promise, answer) = try await ask(client)
        try await client.session.suspend(gracePeriod: .seconds(5))
        _ = try await running.value
        server.say(answer)
        server.say("<message type='chat' from='romeo@example.net/orchard'><body>hi</body></message>")

        let other: Client
        do {
            other = try await Client(account: "juliet@example.org", path: path, role: .resolver)
        } catch StorageError.inUse {
            print("the app is running: it handles the stanzas")
            return
        }
        print("the extension has the session")
        #expect(journal.all == ["the extension has the session"])
        await other.session.stream.configure { $0 = .patient }
        try await run(other) {
            try await eventually("the answer and the message were handled") {
                let (waiting, bodies) = (try await requestCount(in: other), try await storedBodies(in: other))
                return waiting == 0 && bodies == ["hi"]
            }
        }

        #expect(server.resumptions == 1)
        try await client.database.unfreeze()
        #expect(try await promise.value == "coven@chat.example.org has no avatar any more")
    }

    @Test func answersThatWaitForAProgram() async throws {
        let app = try await newClient()
        let promise = try await app.removeAvatar(of: "coven@chat.example.org")
        try await app.session.suspend()
        answerRequests()
        let old = try await Household(folder, handlers: [Avatars.$notRemoved.definition])
        try await old.run(server) { try await old.endsRequests() }
        try await app.database.unfreeze()
        #expect(try await promise.state == .pending)

        let client = try await newClient()
        try await run(client) {
            let outcome = try await promise.value
            #expect(outcome == "coven@chat.example.org has no avatar any more")
        }
    }
}
