// A durable session that handles one message of a server in memory, and answers it. Only a release build shows
// mistakes of the optimizer. The session makes no connection, because NIO and BoringSSL take twice as long in release
// as the rest. So the program needs one import only.

import Foundation
import XMPPSession

/// A server that enables stream management, and then sends one message.
struct Server: StreamConnector, StanzaTransport {
    private let incoming = AsyncStream.makeStream(of: Element.self)
    private let outgoing = AsyncStream.makeStream(of: String.self)

    func connect(
        to location: ServerLocation?, inline: @escaping @Sendable (StreamFeatures) async throws -> [Element]
    ) async throws -> ConnectedStream {
        let features = try Element(
            parsing: "<stream:features><sm xmlns='urn:xmpp:sm:3'/></stream:features>", in: .clientStream)
        return ConnectedStream(transport: self, features: StreamFeatures(features), isEncrypted: true)
    }

    func bind() async throws -> String { "juliet@example.org/balcony" }

    func receive() async throws -> Element? {
        var iterator = incoming.stream.makeAsyncIterator()
        return await iterator.next()
    }

    func send(_ bytes: [UInt8]) async throws {
        let text = String(decoding: bytes, as: UTF8.self)
        outgoing.continuation.yield(text)
        guard text.contains("<enable ") else { return }
        for answer in [
            "<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true'/>",
            "<message from='romeo@example.net'><body>Art thou not Romeo?</body></message>",
        ] {
            incoming.continuation.yield(try Element(stanza: answer))
        }
    }

    func close() async { incoming.continuation.finish() }
    func abort() async { incoming.continuation.finish() }

    /// Returns the first text with these words that the session sends.
    func text(with words: String) async -> String? {
        for await text in outgoing.stream where text.contains(words) { return text }
        return nil
    }
}

let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let database = try await StanzaDatabase.open(at: folder.path + "/session.db")
let session = try await DurableSession(
    account: "juliet@example.org", database: database, registry: HandlerRegistry())
try await session.on("/{jabber:client}message/body") { stanza, work in
    let answer = "<message to='romeo@example.net'><body>I am \(stanza["from"] ?? "unknown")</body></message>"
    try work.send(Element(stanza: answer))
}
await session.otherwise(.ignore)
let server = Server()
let running = Task { try await session.run(connecting: server) }
print(await server.text(with: "<message") ?? "nothing")
await session.close(waiting: .seconds(1))
print(try await running.value)
database.close()
try FileManager.default.removeItem(at: folder)
