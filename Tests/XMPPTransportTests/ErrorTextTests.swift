// The texts of errors: bounded, safe for a terminal, and the same as the system shows to users.

import Foundation
import StreamManagement
import Testing
import XMLTree

@testable import XMPPTransport

@Suite(.endsInTime) struct ErrorTextTests {
    /// A text of a hostile server: long, with controls of a terminal, and with characters that add no width.
    private static let hostile =
        "\u{1B}[2Jline\nline\u{85}\u{202E}" + String(repeating: "e\u{301}", count: 3000)
        + String(repeating: "x", count: 3000)

    /// The hostile text as XML can carry it.
    private static let carried = hostile.unicodeScalars.filter { $0 != "\u{1B}" }.map(String.init).joined()

    private static func streamError() throws -> XMPPConnectionError {
        let error = """
            <error xmlns='http://etherx.jabber.org/streams'><reset xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>\
            <text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(carried)</text></error>
            """
        return .streamError(try #require(ReceivedStreamError(try Element(parsing: error))))
    }

    private static func failure() throws -> XMPPConnectionError {
        let failure = "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><aborted/><text>\(carried)</text></failure>"
        return Authentication.failure(try Element(parsing: failure))
    }

    @Test("A server's text reaches a log as a bounded excerpt in one line") func bounded() throws {
        let text = Self.hostile
        let errors: [XMPPConnectionError] = [
            .authenticationFailed(condition: text, text: text), .noMechanism(offered: [text, text]),
            .plainWithoutEncryption(offered: [text]), .tasksNeeded([text]), .bindingFailed(condition: text),
            .weakerMechanism("PLAIN", remembered: text), .wrongAccount(text, expected: "a@b"),
            .unexpectedElement(text, .binding), .serverNotAuthentic(.refused(text)), .invalidStream(text),
            .tlsFailed(text), .noChannelBinding(kinds: [text, text]), .bindingRefused(text: text),
            try Self.streamError(), try Self.failure(),
        ]
        for error in errors {
            let description = error.description
            #expect(description.unicodeScalars.count <= XMPPConnectionError.longestSentence + 1, "\(description)")
            #expect(!description.unicodeScalars.contains { $0.value < 0x20 || [0x85, 0x202E].contains($0.value) })
            #expect(description.contains("…"))
        }
        // The repair after a long text is not cut off.
        #expect("\(XMPPConnectionError.noMechanism(offered: [text]))".hasSuffix("the configuration's `mechanisms`"))
        let host = String(repeating: "a.", count: 1000)
        let refused = XMPPConnectionError.notConnected(host: host, port: 5222, reason: "\(ConnectFault.refused)")
        #expect("\(refused)".hasSuffix("check the port, and whether the server runs"))
    }

    @Test(
        "Advice that weakens the client says that an attacker may be the cause, and what to check first",
        arguments: [
            (XMPPConnectionError.serverNotAuthentic(.iterations(1)), "`iterationCounts`"),
            (.noMechanism(offered: ["PLAIN"]), "`mechanisms`"),
            (.weakerMechanism("PLAIN", remembered: "SCRAM-SHA-1"), "`setStrongestMechanism("),
            (.noChannelBinding(kinds: ["tls-exporter"]), "without -PLUS to the configuration's `mechanisms`"),
            (.noChannelBinding(kinds: []), "without -PLUS to the configuration's `mechanisms`"),
            (.noChannelBinding(kinds: [ChannelBinding.kind]), "no hash to bind to"),
            (.bindingRefused(text: nil), "another certificate than arrived here"),
        ])
    func advice(error: XMPPConnectionError, setting: String) {
        let text = error.description
        #expect(text.contains(setting) && text.contains("attacker") && text.contains("operator"))
    }

    @Test("A fault without a meaning of its own is a plain sentence with a detail") func unknownFault() {
        let fault = ConnectFault.other("NIOThing(errno: 4711)")
        #expect("\(fault)".hasSuffix("(detail: NIOThing(errno: 4711))"))
        #expect(!"\(fault)".prefix { $0 != "(" }.contains("NIO"))
        #expect(ConnectFault(system: EACCES).description.contains("(detail: "))
    }

    @Test("A short text stays unchanged") func short() {
        let error = XMPPConnectionError.authenticationFailed(condition: "not-authorized", text: "Wrong user")
        #expect(
            "\(error)"
                == "the server rejected the login: not-authorized (Wrong user); check the user's name and the password")
        #expect(String(repeating: "x", count: 200).excerpt() == String(repeating: "x", count: 200))
        #expect(String(repeating: "x", count: 201).excerpt() == String(repeating: "x", count: 200) + "…")
    }

    @Test("The system shows the description of each error") func localized() throws {
        let errors: [any Error] = [
            XMPPConnectionError.connectionLost, SCRAMError.malformed, StreamManagementError.ended,
            StorageError.takesNoEffects, StreamManagementCore.DeadLetterReason.losses(2),
            try #require(
                ReceivedStreamError(
                    try Element(parsing: "<error xmlns='http://etherx.jabber.org/streams'><reset/></error>"))),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
        // Effects fail with any error of the app.
        struct Ordinary: Error {}
        for error in [StorageError.takesNoEffects, Ordinary()] as [any Error] {
            #expect(EffectsError(error).localizedDescription == error.localizedDescription)
            #expect("\(EffectsError(error))" == "\(error)")
        }
    }

    @Test("Failures to connect have plain sentences") func faults() {
        func text(_ fault: ConnectFault) -> String {
            "\(XMPPConnectionError.notConnected(host: "a.example", port: 5222, reason: "\(fault)"))"
        }
        #expect(
            text(.refused)
                == "no connection to a.example, port 5222: the host refuses connections there: check the port, and whether "
                + "the server runs")
        #expect(text(.timedOut).contains("does not answer") && text(.unreachable).contains("cannot be reached"))
        for number in [EMFILE, ENFILE] {
            #expect(text(ConnectFault(system: number)).contains("too many open files and sockets"))
        }
        #expect(text(ConnectFault(system: ECONNRESET)).contains("a device on the path, ended the connection"))
    }

    @Test("A host without an address is an error that says so") func unknownHost() async throws {
        var configuration = XMPPConnectorConfiguration()
        configuration.timeouts = .patient
        configuration.server = ServerEndpoint(host: "unknown.invalid", port: 5222, security: .startTLS)
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        #expect(failure?.description.contains("has no address") == true)
        #expect(failure?.description.contains("NIO") == false && failure?.isFinal == false)
    }
}
