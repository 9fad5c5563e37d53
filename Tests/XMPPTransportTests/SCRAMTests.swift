// SCRAM's messages: the examples of the RFCs, and what no server may say.

import Foundation
import TestSupport
import Testing

@testable import XMPPTransport

@Suite struct SCRAMTests {
    static let sha1 = "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"

    static func scram(_ iterations: ClosedRange<Int> = 4096...10_000) -> SCRAM {
        SCRAM(.sha1, user: "user", password: "pencil", iterations: iterations, nonce: "fyko+d2lbbFgONRv9qkxdawL")
    }

    @Test("RFC 5802 §5: the example") func exampleOfSHA1() throws {
        var scram = Self.scram()
        #expect(scram.firstMessage == Array("n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL".utf8))
        let last = try scram.respond(to: Array(Self.sha1.utf8))
        #expect(
            String(decoding: last, as: UTF8.self)
                == "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
        #expect(!scram.isVerified)
        try scram.verify(Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".utf8))
        #expect(scram.isVerified)
    }

    @Test("RFC 7677 §3: the example") func exampleOfSHA256() throws {
        var scram = SCRAM(
            .sha256, user: "user", password: "pencil", iterations: 4096...4096, nonce: "rOprNGfwEbeRWgbNEkqO")
        let last = try scram.respond(
            to: Array(
                "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096".utf8))
        #expect(
            String(decoding: last, as: UTF8.self)
                == "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
        try scram.verify(Array("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=".utf8))
        #expect(scram.isVerified)
    }

    @Test(
        "First messages that no server may send",
        arguments: [
            ("", SCRAMError.malformed), ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXCR+Q6sek8bf92", .malformed),
            ("s=QSXCR+Q6sek8bf92,r=fyko+d2lbbFgONRv9qkxdawLx,i=4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=?,i=4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=,i=4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=+4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=99999999999999999999", .malformed),
            ("m=new,r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=4096", .unknownExtension),
            ("r=fyko+d2lbbFgONRv9qkxdawL,s=QSXC,i=4096", .wrongNonce),
            ("r=gyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=4096", .wrongNonce),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=4095", .iterations(4095)),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=10001", .iterations(10001)),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=0", .iterations(0)),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=4096," + String(repeating: "x", count: 5000), .malformed),
        ])
    func badFirstMessage(message: String, error: SCRAMError) {
        var scram = Self.scram()
        #expect(throws: error) { try scram.respond(to: Array(message.utf8)) }
    }

    @Test(
        "Last messages that prove nothing",
        arguments: [
            ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ", SCRAMError.malformed), ("", .malformed), ("x=1", .malformed),
            ("v=AAAApqV8S7suAoZWja4dJRkFsKQ=", .wrongSignature),
            ("v=", .wrongSignature), ("e=invalid-proof", .refused("invalid-proof")),
        ])
    func badLastMessage(message: String, error: SCRAMError) throws {
        var scram = Self.scram()
        _ = try scram.respond(to: Array(Self.sha1.utf8))
        #expect(throws: error) { try scram.verify(Array(message.utf8)) }
        #expect(!scram.isVerified)
    }

    @Test("A signature before the proof is none") func signatureTooEarly() {
        var scram = Self.scram()
        #expect(throws: SCRAMError.malformed) { try scram.verify(Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".utf8)) }
    }

    @Test("Commas and equals signs in names are written in other words") func names() {
        let scram = SCRAM(.sha256, user: "a=b,c", password: "x", iterations: 1...1, nonce: "n")
        #expect(scram.firstMessage == Array("n,,n=a=3Db=2Cc,r=n".utf8))
    }

    @Test("Nonces differ, and are printable without commas") func nonces() {
        let nonces = Set((0..<100).map { _ in SCRAM.randomNonce() })
        #expect(nonces.count == 100)
        #expect(nonces.allSatisfy { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C } })
    }

    @Test("Whatever a server says, the client neither ends nor believes it") func anything() {
        var generator = SeededGenerator(salt: 0x5C4A)
        for _ in 0..<SeededGenerator.cases(default: 500) {
            var scram = Self.scram(4096...4096)
            var message = Array(Self.sha1.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !message.isEmpty {
                let place = Int.random(in: message.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: message[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: message.remove(at: place)
                default: message.insert(generator.pick(Array(",=rsiv0".utf8)), at: place)
                }
            }
            _ = try? scram.respond(to: message)
            if message != Array(Self.sha1.utf8) {
                #expect(throws: SCRAMError.self) { try scram.verify(Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".utf8)) }
            }
        }
    }

    @Test("RFC 4013 §3: the examples, and what the RFC forbids")
    func preparation() throws {
        #expect(try SASLprep.prepare("I\u{AD}X") == "IX")
        #expect(try SASLprep.prepare("user") == "user")
        #expect(try SASLprep.prepare("USER") == "USER")
        #expect(try SASLprep.prepare("\u{AA}") == "a")
        #expect(try SASLprep.prepare("\u{2168}") == "IX")
        #expect(try SASLprep.prepare("a\u{A0}b\u{3000}c") == "a b c")
        for text in ["\u{7}", "", "\u{AD}", "a\u{E000}", "a\u{FFFF}", "a\u{202E}b", "a\u{E0041}"] {
            #expect(throws: XMPPConnectionError.invalidPassword) { try SASLprep.prepare(text) }
        }
        // Who has forgotten the password is told so, too.
        #expect("\(XMPPConnectionError.invalidPassword)".hasPrefix("the password is empty, or "))
    }

    @Test("The strongest mechanism is chosen, and PLAIN only where it may be")
    func choice() {
        let all = ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-1-PLUS", "OAUTHBEARER"]
        #expect(SASLMechanism.strongest(of: all, allowingPlain: true) == .scramSHA256)
        #expect(SASLMechanism.strongest(of: ["PLAIN", "SCRAM-SHA-1"], allowingPlain: true) == .scramSHA1)
        #expect(SASLMechanism.strongest(of: ["PLAIN"], allowingPlain: true) == .plain)
        #expect(SASLMechanism.strongest(of: ["PLAIN"], allowingPlain: false) == nil)
        #expect(SASLMechanism.strongest(of: ["plain", "SCRAM-SHA-256-PLUS"], allowingPlain: true) == nil)
    }
}
