// The echo client of this package for the torture kit, made of its public API, except for the first counter: the
// environment has the account. It keeps no session over processes.

import Foundation
import StreamManagement
import XMLTree
import XMPPCore
import XMPPTransport

@main
enum EchoBot {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let port = UInt16(environment["XMPP_PORT"] ?? ""), let account = JID(environment["XMPP_JID"] ?? "") else {
            FileHandle.standardError.write(Data("run it with stanza-live torture\n".utf8))
            exit(64)
        }
        var configuration = XMPPConnectorConfiguration()
        let authority = environment["XMPP_CA"] ?? ""
        configuration.server = ServerEndpoint(
            host: "127.0.0.1", port: port, security: authority.isEmpty ? .unencrypted : .startTLS)
        if !authority.isEmpty {
            configuration.trustRoots = .certificates(pem: try String(contentsOfFile: authority, encoding: .utf8))
        }
        var management = StreamManagementConfiguration()
        management.resumesAutomatically = true
        management.negotiationTimeout = .seconds(5)
        if let first = environment["XMPP_FIRST_COUNTER"].flatMap(UInt32.init) {
            management.firstCounter = StanzaCounter(rawValue: first)
        }
        let session = try await StreamSession(
            account: account, storage: MemoryStorage(), configuration: management, handling: .whenConsumed)
        Task {
            for await stanza in session.stanzas { try await answer(stanza.element, session) }
        }
        let connector = try XMPPConnector(
            account: account, password: Password(environment["XMPP_PASSWORD"] ?? ""), configuration: configuration)
        let end = try await session.run(connecting: connector)
        print("the session has ended: \(end)")
    }

    private static func answer(_ stanza: Element, _ session: StreamSession) async throws {
        if stanza.name == "iq", let error = stanza.error(StanzaError("service-unavailable", type: "cancel")) {
            try await session.send(error)
        }
        guard stanza.name == "message", let reply = stanza.reply(), let body = stanza.child("body")?.text else {
            return
        }
        let words = body.split(separator: " ")
        if words.first == "ping" {
            reply.addChild("body", text: body)
            try await session.send(reply.freeze())
        } else if words.count == 3, words[0] == "send", let first = Int(words[1]), let last = Int(words[2]),
            first <= last
        {
            for number in first...last {
                let message = MutableElement(
                    "message", namespace: .uri("jabber:client"), attributes: ["to": stanza["from"], "type": "chat"])
                message.addChild("body", text: "\(number)")
                try await session.send(message.freeze())
            }
        }
    }
}
