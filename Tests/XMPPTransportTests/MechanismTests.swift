// The choice of the mechanism and its channel binding: a pure function of the offer, the settings and the connection.

import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct MechanismTests {
    private static let hash: [UInt8] = [1, 2, 3]

    private func choice(
        _ mechanisms: [String], bindings: [String]? = nil, accepted: Set<SASLMechanism> = .scram,
        hash: [UInt8]? = Self.hash, salted: SaltedPassword? = nil, isEncrypted: Bool = true, isSASL2: Bool = false
    ) -> MechanismChoice? {
        var configuration = XMPPConnectorConfiguration()
        configuration.mechanisms = accepted
        let credential = Credential(password: salted == nil ? Password("secret") : nil, salted: salted)
        var offer = SASLOffer()
        offer.mechanisms = mechanisms
        offer.bindings = bindings
        let policy = MechanismPolicy(
            configuration, credential, isEncrypted: isEncrypted, certificateHash: isEncrypted ? hash : nil)
        return policy.choice(in: offer, isSASL2: isSASL2)
    }

    private static let ours = ["tls-exporter", ChannelBinding.kind]
    private static let all = [
        "PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256-PLUS",
        "SCRAM-SHA-512-PLUS", "OAUTHBEARER",
    ]

    @Test("The strongest mechanism is chosen, and one that binds before all others") func strongest() {
        #expect(choice(Self.all, bindings: Self.ours)?.mechanism == .scramSHA512Plus)
        #expect(choice(Self.all)?.mechanism == .scramSHA512)
        #expect(choice(Self.all, bindings: Self.ours, hash: nil)?.mechanism == .scramSHA512)
        #expect(choice(Self.all, bindings: Self.ours, isEncrypted: false)?.mechanism == .scramSHA512)
        #expect(choice(["SCRAM-SHA-512", "SCRAM-SHA-1-PLUS"], bindings: Self.ours)?.mechanism == .scramSHA1Plus)
        #expect(choice(["SCRAM-SHA-1", "SCRAM-SHA-256"])?.mechanism == .scramSHA256)
        #expect(choice(Self.all, bindings: Self.ours, accepted: [.scramSHA256])?.mechanism == .scramSHA256)
        #expect(choice(["scram-sha-256", "SCRAM-SHA-256 "]) == nil)
    }

    @Test("PLAIN is used only if it is allowed and nothing else is offered") func plain() {
        let accepted = Set<SASLMechanism>.scram.union([.plain])
        #expect(choice(["PLAIN"]) == nil)
        #expect(choice(["PLAIN"], accepted: accepted)?.mechanism == .plain)
        #expect(choice(["PLAIN"], accepted: accepted, isEncrypted: false) == nil)
        #expect(choice(["PLAIN", "SCRAM-SHA-1"], accepted: accepted)?.mechanism == .scramSHA1)
    }

    @Test("The client's statement about binding is true") func binding() {
        func binding(
            _ mechanisms: [String], _ bindings: [String]? = nil, accepted: Set<SASLMechanism> = .scram,
            hash: [UInt8]? = Self.hash
        ) -> ChannelBinding? {
            choice(mechanisms, bindings: bindings, accepted: accepted, hash: hash)?.channel.binding
        }
        #expect(binding(Self.all, Self.ours) == .certificate(Self.hash))
        #expect(binding(["SCRAM-SHA-1"]) == .notOffered)
        // The server offers kinds without a mechanism. A server that has one refuses a client that reports none.
        #expect(binding(["SCRAM-SHA-1"], Self.ours) == .notOffered)
        #expect(binding(Self.all) == .unsupported)
        #expect(binding(Self.all, ["tls-exporter"]) == .unsupported)
        #expect(binding(["SCRAM-SHA-1"], hash: nil) == .unsupported)
        #expect(binding(["SCRAM-SHA-1"], accepted: [.scramSHA1]) == .unsupported)
    }

    @Test("A choice shows that the server has channel binding, but not with a kind that both have") func unbound() {
        func lacks(
            _ bindings: [String]?, _ mechanisms: [String] = Self.all, accepted: Set<SASLMechanism> = .scram,
            hash: [UInt8]? = Self.hash, isEncrypted: Bool = true
        ) -> Bool? {
            choice(mechanisms, bindings: bindings, accepted: accepted, hash: hash, isEncrypted: isEncrypted)?
                .lacksBinding
        }
        #expect(lacks(["tls-exporter"]) == true && lacks(nil) == true && lacks([]) == true)
        // The certificate has no hash.
        #expect(lacks(Self.ours, hash: nil) == true)
        #expect(lacks(Self.ours) == false)
        #expect(lacks(nil, ["SCRAM-SHA-1"]) == false)
        #expect(lacks(["tls-exporter"], accepted: [.scramSHA1]) == false)
        #expect(lacks(["tls-exporter"], isEncrypted: false) == false)
    }

    @Test("A salted password works for the mechanisms of its hash") func salted() {
        let salted = SaltedPassword(of: "secret", .sha256, salt: [1], iterations: 1)
        let accepted = Set(SASLMechanism.allCases)
        #expect(choice(Self.all, accepted: accepted, salted: salted)?.mechanism == .scramSHA256)
        #expect(choice(Self.all, bindings: Self.ours, salted: salted)?.mechanism == .scramSHA256Plus)
        #expect(choice(["PLAIN", "SCRAM-SHA-512"], accepted: accepted, salted: salted) == nil)
    }

    @Test("Strength is the order of the cases") func strength() {
        let order = SASLMechanism.allCases
        for (index, mechanism) in order.enumerated() {
            for (other, stronger) in order.enumerated() {
                #expect(mechanism.isWeaker(than: stronger) == (index > other))
            }
        }
    }
}

@Suite(.endsInTime) struct SaltedPasswordTests {
    @Test("It is written and read, for each hash", arguments: SCRAMHash.allCases) func bytes(hash: SCRAMHash) {
        let salted = SaltedPassword(of: "secret", hash, salt: Array("salt".utf8), iterations: 4096)
        #expect(SaltedPassword(bytes: salted.bytes) == salted)
        #expect(salted.key.count == hash.length)
        for count in 0..<salted.bytes.count - 3 {
            #expect(SaltedPassword(bytes: Array(salted.bytes.prefix(count))) == nil)
        }
    }

    /// RFC 6070 and RFC 7914 §11, so that later versions can use stored bytes.
    @Test("The format does not change") func format() {
        let salted = SaltedPassword(of: "password", .sha1, salt: Array("salt".utf8), iterations: 4096)
        let key: [UInt8] = [
            0x4B, 0x00, 0x79, 0x01, 0xB7, 0x65, 0x48, 0x9A, 0xBE, 0xAD, 0x49, 0xD9, 0x26, 0xF7, 0x21, 0xD0, 0x65, 0xA4,
            0x29, 0xC1,
        ]
        #expect(salted.bytes == [1, 1, 0, 0, 0x10, 0] + key + Array("salt".utf8))
    }

    @Test("Other data is rejected") func malformed() {
        let good = SaltedPassword(of: "secret", .sha256, salt: [1, 2], iterations: 4096).bytes
        for (place, byte) in [(0, 0), (0, 2), (1, 0), (1, 4)] as [(Int, UInt8)] {
            var bad = good
            bad[place] = byte
            #expect(SaltedPassword(bytes: bad) == nil)
        }
        var none = good
        none.replaceSubrange(2..<6, with: [0, 0, 0, 0])
        #expect(SaltedPassword(bytes: none) == nil)
        #expect(SaltedPassword(bytes: good + [UInt8](repeating: 0, count: 4096)) == nil)
        var generator = SeededGenerator(salt: 0x5A17)
        for _ in 0..<SeededGenerator.cases(default: 500) {
            let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...4, using: &generator)
            }
            if let salted = SaltedPassword(bytes: bytes) { #expect(salted.bytes == bytes) }
        }
    }

    @Test("It works only for its own salt and iterations") func use() throws {
        let message = "r=nx,s=c2FsdA==,i="
        let salted = SaltedPassword(of: "secret", .sha256, salt: Array("salt".utf8), iterations: 4096)
        func scram(_ secret: SCRAM.Secret) -> SCRAM {
            SCRAM(.sha256, user: "a", secret: secret, iterations: 1...10_000, nonce: "n")
        }
        var known = scram(SCRAM.Secret(password: nil, salted: salted))
        var typed = scram(SCRAM.Secret(password: "secret", salted: nil))
        #expect(try known.respond(to: Array("\(message)4096".utf8)) == typed.respond(to: Array("\(message)4096".utf8)))
        #expect(typed.saltedPassword == salted)
        for other in ["\(message)4097", "r=nx,s=c2FsdAo=,i=4096"] {
            var scram = scram(SCRAM.Secret(password: nil, salted: salted))
            #expect(try scram.respond(to: Array(other.utf8)) == nil)
        }
        // A client with the password makes a new one.
        var both = scram(SCRAM.Secret(password: "secret", salted: salted))
        _ = try both.respond(to: Array("\(message)4097".utf8))
        #expect(both.saltedPassword?.iterations == 4097)
    }
}
