// SCRAM's messages: the examples of the RFCs, and messages that no server may send.

import Foundation
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct SCRAMTests {
    static let sha1 = "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"

    static func secret(_ password: String) -> SCRAM.Secret { SCRAM.Secret(password: password, salted: nil) }

    static func scram(_ iterations: ClosedRange<Int> = 4096...10_000) -> SCRAM {
        SCRAM(
            .sha1, user: "user", secret: secret("pencil"), iterations: iterations, nonce: "fyko+d2lbbFgONRv9qkxdawL")
    }

    @Test("RFC 5802 §5: the example") func exampleOfSHA1() throws {
        var scram = Self.scram()
        #expect(scram.firstMessage == Array("n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL".utf8))
        let last = try #require(try scram.respond(to: Array(Self.sha1.utf8)))
        #expect(
            String(decoding: last, as: UTF8.self)
                == "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
        #expect(!scram.isVerified)
        try scram.verify(Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".utf8))
        #expect(scram.isVerified)
    }

    private static let challenge =
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"

    /// The exchange of RFC 7677 §3 with a hash and a binding: the last message begins with this, and has this proof.
    private func exchange(
        _ hash: SCRAMHash, _ binding: ChannelBinding = .unsupported, channel: String, proof: String, signature: String
    ) throws {
        var scram = SCRAM(
            hash, user: "user", secret: Self.secret("pencil"), iterations: 4096...4096,
            channel: SCRAM.Channel(binding: binding), nonce: "rOprNGfwEbeRWgbNEkqO")
        #expect(scram.firstMessage == Array("\(binding.header)n=user,r=rOprNGfwEbeRWgbNEkqO".utf8))
        let last = try #require(try scram.respond(to: Array(Self.challenge.utf8)))
        #expect(
            String(decoding: last, as: UTF8.self)
                == "c=\(channel),r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=\(proof)")
        try scram.verify(Array("v=\(signature)".utf8))
        #expect(scram.isVerified)
    }

    @Test("RFC 7677 §3: the example") func exampleOfSHA256() throws {
        try exchange(
            .sha256, channel: "biws", proof: "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
            signature: "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
    }

    // Computed with hashlib and hmac of Python.
    @Test("SHA-512: the same exchange") func exampleOfSHA512() throws {
        try exchange(
            .sha512, channel: "biws",
            proof: "gMGXRcevScNtxZ6/8lQYpGtnsNAc3mGcmNomv+xnoOMw+3R2xNJdMNnzMlTN8PPC6wdp6dybEmDYXYTxwnYPJQ==",
            signature: "ZQnYEgWQMFmmsM8aQMF0nDDCy/AgCzkwk8CmMZYcMg0vSVlKDanekLtifDSeVGT4+5ZxXnJq199RVG2rR7N7Zw==")
    }

    @Test("Both sides sign the binding") func exampleOfBinding() throws {
        try exchange(
            .sha256, .certificate(Array(0..<32)),
            channel: "cD10bHMtc2VydmVyLWVuZC1wb2ludCwsAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            proof: "nY1Wus9a+gM2DrbQ1msXFgyhW6KM5ktOxWiU+/P/EGY=",
            signature: "RwppMGddhz/J0lFYaRReBjXcQeNUFP5Qc76Lo5Exrig=")
    }

    @Test("RFC 5802 §6: a client that could bind and was not offered it reports that") func flag() {
        let scram = SCRAM(
            .sha256, user: "a", secret: Self.secret("x"), iterations: 1...1,
            channel: SCRAM.Channel(binding: .notOffered), nonce: "n")
        #expect(scram.firstMessage == Array("y,,n=a,r=n".utf8))
    }

    // MARK: The offer (XEP-0474)

    private static var offer: SASLOffer {
        var offer = SASLOffer()
        offer.mechanisms = ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"]
        offer.bindings = ["tls-server-end-point", "tls-exporter"]
        return offer
    }

    private func respond(_ attributes: String, _ offer: SASLOffer = Self.offer) throws(SCRAMError) {
        var scram = SCRAM(
            .sha1, user: "user", secret: Self.secret("pencil"), iterations: 4096...4096,
            channel: SCRAM.Channel(offer: offer), nonce: "fyko+d2lbbFgONRv9qkxdawL")
        _ = try scram.respond(to: Array((Self.sha1 + attributes).utf8))
    }

    /// The confirmations of version 0.5, and of version 0.3.
    static let confirmations = ["h=G6k/rBLDqgOhRRaCuuatSDFkJ08=", "d=dRc3RenuSY9ypgPpERowoaySQZY="]

    @Test("XEP-0474 §6.3: the example", arguments: confirmations) func confirmedOffer(attribute: String) throws {
        try respond(",\(attribute)")
        try respond(",x=unknown,\(attribute)")
        for change in [
            { $0.mechanisms = ["SCRAM-SHA-1"] }, { $0.mechanisms.append("PLAIN") }, { $0.mechanisms = [] },
            { $0.bindings = ["tls-exporter"] }, { $0.bindings = nil }, { $0.bindings = [] },
        ] as [(inout SASLOffer) -> Void] {
            var offer = Self.offer
            change(&offer)
            #expect(throws: SCRAMError.offerChanged) { try respond(",\(attribute)", offer) }
        }
    }

    @Test("A forged confirmation ends the login") func forgedConfirmation() {
        for attribute in ["h=", "d=", "h=AAAA", "d=G6k/rBLDqgOhRRaCuuatSDFkJ08=", "h=dRc3RenuSY9ypgPpERowoaySQZY="] {
            #expect(throws: SCRAMError.offerChanged) { try respond(",\(attribute)") }
        }
        #expect(throws: SCRAMError.offerChanged) { try respond(",\(Self.confirmations[0]),d=AAAA") }
    }

    // MARK: Invalid messages

    @Test(
        "First messages that no server may send",
        arguments: [
            ("", SCRAMError.malformed), ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXCR+Q6sek8bf92", .malformed),
            ("s=QSXCR+Q6sek8bf92,r=fyko+d2lbbFgONRv9qkxdawLx,i=4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=?,i=4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=,i=4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC,i=+4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s=QSXC==,i=4096", .malformed),
            ("r=fyko+d2lbbFgONRv9qkxdawLx,s= QSXC,i=4096", .malformed),
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
            ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ==", .malformed), ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ= ", .malformed),
            ("v=AAAApqV8S7suAoZWja4dJRkFsKQ=", .wrongSignature),
            ("v=", .wrongSignature), ("e=invalid-proof", .refused("invalid-proof")),
        ])
    func badLastMessage(message: String, error: SCRAMError) throws {
        var scram = Self.scram()
        _ = try scram.respond(to: Array(Self.sha1.utf8))
        #expect(throws: error) { try scram.verify(Array(message.utf8)) }
        #expect(!scram.isVerified)
    }

    @Test("Elements of SASL have base64 with exactly its padding, or =") func base64() {
        #expect(SASLText.decode(nil) == [] && SASLText.decode("") == [] && SASLText.decode("=") == [])
        for bytes in [[0], [0, 1], [0, 1, 2]] as [[UInt8]] { #expect(SASLText.decode(SASLText.encode(bytes)) == bytes) }
        for text in ["AA", "AA=", "AAA==", "AA===", "AAAA=", "====", "AA==AAAA", "AA\nAA", "AAAA ", "A-A_", "A"] {
            #expect(SASLText.decode(text) == nil, "\(text)")
        }
    }

    @Test("A signature before the proof is ignored") func signatureTooEarly() {
        var scram = Self.scram()
        #expect(throws: SCRAMError.malformed) { try scram.verify(Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".utf8)) }
    }

    @Test("Commas and equals signs in names are escaped") func names() {
        let scram = SCRAM(
            .sha256, user: "a=b,c", secret: Self.secret("x"), iterations: 1...1, nonce: "n")
        #expect(scram.firstMessage == Array("n,,n=a=3Db=2Cc,r=n".utf8))
    }

    @Test("Nonces differ, and are printable without commas") func nonces() {
        let nonces = Set((0..<100).map { _ in SCRAM.randomNonce() })
        #expect(nonces.count == 100)
        #expect(nonces.allSatisfy { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C } })
    }

    @Test("For any message of a server, the client neither crashes nor trusts it") func anything() {
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

    @Test("RFC 4013 §3: the examples, and forbidden characters")
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
        // The error also covers a forgotten password.
        #expect("\(XMPPConnectionError.invalidPassword)".hasPrefix("the password is empty, or "))
    }
}
