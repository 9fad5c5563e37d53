// The bounds of a scene, its times, and its answers, with bytes written by hand.

import Foundation
import Testing
import XMLTree
import XMPPTransport

@testable import StanzaTorture

@Suite struct SceneTests {
    private static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='\(Names.stream)' to='localhost' version='1.0'>"

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A scene of this step and a pause.
    private static func scene(_ step: Step) -> Scene {
        Scene(Scenario("name", "rule", "title", .login, step, .pause(.seconds(10))), encrypts: false)
    }

    /// Logs a client in, and gives it a resource.
    private static func begin(_ scene: inout Scene) {
        _ = scene.handle(.connected(1, toSecondPort: false), at: .zero)
        let secret = Data("\0echo\0secret".utf8).base64EncodedString()
        let login = "\(header)<auth xmlns='\(Names.sasl)' mechanism='PLAIN'>\(secret)</auth>"
        _ = scene.handle(.received(1, bytes(login)), at: .zero)
        let binding = "\(header)<iq type='set' id='b'><bind xmlns='\(Names.bind)'/></iq>"
        _ = scene.handle(.received(1, bytes(binding)), at: .zero)
    }

    @Test("A client that is never at rest gets a verdict") func restless() {
        var scene = Self.scene(.ping(0))
        Self.begin(&scene)
        var now: Duration = .zero
        while scene.verdict == nil, now < .seconds(60) {
            now += .milliseconds(200)
            _ = scene.handle(.received(1, Self.bytes("<presence/>")), at: now)
        }
        #expect(scene.verdict == .passed)
        // The pause, and the longest wait of a step.
        #expect(now > .seconds(30) && now < .seconds(32))
    }

    @Test("The bytes and the elements of a client are bounded") func bounded() throws {
        var scene = Self.scene(.ping(0))
        Self.begin(&scene)
        _ = scene.handle(.received(1, Self.bytes("<enable xmlns='\(Names.management)'/>")), at: .zero)
        let requests = Self.bytes(String(repeating: "<r xmlns='\(Names.management)'/>", count: 1000))
        for _ in 0..<49 { _ = scene.handle(.received(1, requests), at: .zero) }
        #expect(scene.verdict == nil)
        _ = scene.handle(.received(1, requests), at: .zero)
        let elements = try #require(Self.expectation(scene.verdict))
        #expect(elements == "a client sends a bounded number of elements")

        scene = Scene(
            Scenario("name", "rule", "title", .login, .online, .hear(0), .pause(.seconds(9))), encrypts: false)
        Self.begin(&scene)
        // At rest, it is online, and nothing that it sends later is parsed.
        _ = scene.handle(.tick, at: .seconds(1))
        let mebibyte = Array(repeating: UInt8(ascii: "\n"), count: 1 << 20)
        for _ in 0..<31 { _ = scene.handle(.received(1, mebibyte), at: .seconds(1)) }
        #expect(scene.verdict == nil)
        _ = scene.handle(.received(1, mebibyte), at: .seconds(1))
        let size = try #require(Self.expectation(scene.verdict))
        #expect(size == "a client sends a bounded number of bytes")
    }

    private static func expectation(_ verdict: Verdict?) -> String? {
        guard case .failed(let failure)? = verdict else { return nil }
        return failure.expected
    }

    @Test("A step's time begins with the first connection") func slowStart() {
        var scene = Self.scene(.connects(atMost: 0, during: .seconds(5)))
        for second in 0..<25 { _ = scene.handle(.tick, at: .seconds(second)) }
        #expect(scene.verdict == nil)
        _ = scene.handle(.connected(1, toSecondPort: false), at: .seconds(25))
        // The connection is one too many, which the step sees although its time was over.
        #expect(Self.expectation(scene.verdict) == "a client waits between its attempts (RFC 6120 §3.3)")

        scene = Self.scene(.connects(atMost: 1, during: .seconds(5)))
        for second in 0..<25 { _ = scene.handle(.tick, at: .seconds(second)) }
        _ = scene.handle(.connected(1, toSecondPort: false), at: .seconds(25))
        _ = scene.handle(.tick, at: .seconds(29))
        _ = scene.handle(.connected(2, toSecondPort: false), at: .seconds(29))
        #expect(Self.expectation(scene.verdict) == "a client waits between its attempts (RFC 6120 §3.3)")
    }

    @Test("A program may end if another client has replaced it", arguments: [true, false])
    func ended(mayEnd: Bool) {
        var scene = Self.scene(.connects(atMost: 1, during: .seconds(5), mayEnd: mayEnd))
        Self.begin(&scene)
        _ = scene.handle(.clientEnded("exit code 0"), at: .seconds(1))
        #expect(Self.expectation(scene.verdict) == (mayEnd ? nil : "the client keeps running"))
    }

    @Test("A reply has the id of its request") func identifiers() throws {
        let record = SceneRecord(account: TortureAccount())
        for payload in ["<ping xmlns='urn:xmpp:ping'/>", "<query xmlns='urn:torture'/>"] {
            let request = try Element(stanza: "<iq type='get' id='aIDb' to='ID.example'>\(payload)</iq>")
            let reply = try Element(stanza: record.stanza(try #require(record.reply(to: request))))
            #expect(reply["id"] == "aIDb" && reply["from"] == "ID.example")
        }
    }

    @Test("PLAIN may name the own identity, and no other", arguments: ["", "echo@localhost", "admin@localhost"])
    func identity(name: String) {
        var scene = Self.scene(.ping(0))
        _ = scene.handle(.connected(1, toSecondPort: false), at: .zero)
        let secret = Data("\(name)\0echo\0secret".utf8).base64EncodedString()
        let login = "\(Self.header)<auth xmlns='\(Names.sasl)' mechanism='PLAIN'>\(secret)</auth>"
        let orders = scene.handle(.received(1, Self.bytes(login)), at: .zero)
        let succeeds = orders.contains { order in
            guard case .write(_, let bytes) = order else { return false }
            return String(decoding: bytes, as: UTF8.self).hasPrefix("<success")
        }
        #expect(succeeds == (name != "admin@localhost"))
    }

    @Test(
        "The last message of SCRAM has the nonces of both sides (RFC 5802 §5.1)",
        arguments: [("abcserver", true), ("abc", false), ("server", false)])
    func nonce(nonce: String, isRight: Bool) {
        let server = SCRAMServer()
        let bare = "n=echo,r=abc,x=y"
        let first = Self.bytes("n,,\(bare)")
        let rest = "c=biws,r=\(nonce)"
        let hash = SCRAMHash("SCRAM-SHA-256")
        let salted = hash.stretch(Self.bytes("secret"), salt: Self.bytes("salt"), iterations: 4096)
        let key = hash.authenticate(Self.bytes("Client Key"), key: salted)
        let message = Self.bytes("\(bare),\(server.first(first)),\(rest)")
        let proof = zip(key, hash.authenticate(message, key: hash.hash(key))).map { $0 ^ $1 }
        let last = Self.bytes("\(rest),p=\(Data(proof).base64EncodedString())")
        #expect((server.last(hash, first, last) != nil) == isRight)
    }
}
