// The bot of the README, word for word, killed with SIGKILL while it handles a message.

import Foundation
import ServerSupport
import TestSupport
import Testing
import XMPPSession
import XMPPTransport

/// Sends each chat message back to its sender.
struct EchoBot {
    let session: DurableSession

    init(_ account: JID, path: String) async throws {
        let database = try await StanzaDatabase.open(at: path)
        session = try await DurableSession(account: account, database: database)
        try await session.on("/{jabber:client}message<type=chat>/body") { message, work in
            guard let reply = message.reply() else { return }
            reply.addChild("body", text: message.child("body")?.text)
            try work.send(reply.freeze())
        }
        await session.otherwise(.ignore)
        await session.onNewSession { work in
            try work.send(MutableElement("presence", namespace: "jabber:client").freeze())
        }
    }
}

@Suite(.fewAtOnce) struct EchoBotTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// The first process dies while it handles the third message. Each message has one echo nevertheless.
    @Test(arguments: ServerKind.tested.filter { $0 == .prosody }) func killedBots(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "echo")
        let folder = try TemporaryFolder()
        let (port, path) = (server.port, folder.database)
        let bob = try await Stranger(Stranger.connector("bob", port: port))
        for number in 1...5 {
            try await bob.say("<message type='chat' to='alice@localhost'><body>\(number)</body></message>")
        }
        try await bob.synchronize()
        await #expect(processExitsWith: .signal(SIGKILL)) { [port = port as UInt16, path = path as String] in
            let bot = try await EchoBot("alice@localhost", path: path)
            try await bot.session.on("/{jabber:client}message/body") { message, _ in
                if message.child("body")?.text == "3" { kill(getpid(), SIGKILL) }
            }
            _ = try await bot.session.run(connecting: Stranger.connector("alice", port: port))
        }
        let bot = try await EchoBot("alice@localhost", path: path)
        let running = Task { try await bot.session.run(connecting: Stranger.connector("alice", port: port)) }
        try await eventually("all echoes came") { await bob.bodies.count >= 5 }
        try await bob.say("<message type='chat' to='alice@localhost'><body>6</body></message>")
        try await eventually("the last echo came") { await bob.bodies.last == "6" }
        running.cancel()
        _ = await running.result
        #expect(await bob.bodies == ["1", "2", "3", "4", "5", "6"])
        await bob.leave()
    }

    @Test func theProgram() async throws {
        let folder = try TemporaryFolder()
        let (path, secret) = (folder.database, "wherefore")
        let running = Task {
            let bot = try await EchoBot("echo@example.org", path: path)
            let connector = try XMPPConnector(account: "echo@example.org", password: Password(secret))
            let events = await bot.session.stream.events()
            Task { for await case .notConnected(let failure) in events { print("trying again: \(failure)") } }
            _ = try await bot.session.run(connecting: connector)
        }
        running.cancel()
        await #expect(throws: (any Error).self) { try await running.value }
    }
}

extension Stranger {
    /// The bodies of the messages that came.
    fileprivate var bodies: [String] { received.compactMap { $0.child("body")?.text } }
}
