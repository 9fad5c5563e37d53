// The hash of a certificate for channel binding (RFC 5929 §4.1): certificates of openssl, and bytes that are not
// certificates.

import ServerSupport
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct CertificateHashTests {
    private static let rsa = ["-newkey", "rsa:2048"]
    private static let ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    private static let pss = ["-sigopt", "rsa_padding_mode:pss"]

    @Test(
        "RFC 5929 §4.1: the hash of the signature, and SHA-256 for a weaker one",
        arguments: [
            (rsa + ["-sha1"], CertificateHash.sha256, "sha256"), (rsa + ["-sha256"], .sha256, "sha256"),
            (rsa + ["-sha384"], .sha384, "sha384"), (rsa + ["-sha512"], .sha512, "sha512"),
            (ec + ["-sha1"], .sha256, "sha256"), (ec + ["-sha256"], .sha256, "sha256"),
            (ec + ["-sha384"], .sha384, "sha384"), (ec + ["-sha512"], .sha512, "sha512"),
            (rsa + ["-sha1"] + pss, .sha256, "sha256"), (rsa + ["-sha256"] + pss, .sha256, "sha256"),
            (rsa + ["-sha384"] + pss, .sha384, "sha384"), (rsa + ["-sha512"] + pss, .sha512, "sha512"),
        ])
    func signatures(options: [String], hash: CertificateHash, name: String) throws {
        let certificate = try Certificates.shared.get().selfSigned(options, fingerprint: name)
        #expect(CertificateHash(signing: certificate.der) == hash)
        let binding = try #require(CertificateHash.binding(to: certificate.der))
        #expect(binding.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == certificate.hash)
    }

    @Test(
        "Signatures without a hash, or with one that is not known here, bind nothing",
        arguments: [
            ["-newkey", "ed25519"], rsa + ["-sha224"], ec + ["-sha224"], rsa + ["-sha224"] + pss,
        ])
    func others(options: [String]) throws {
        let certificate = try Certificates.shared.get().selfSigned(options, fingerprint: "sha256")
        #expect(CertificateHash.binding(to: certificate.der) == nil)
    }

    @Test("Bytes that are not a certificate bind nothing, and are read within bounds") func malformed() throws {
        let good = try Certificates.shared.get().selfSigned(Self.ec + ["-sha256"], fingerprint: "sha256").der
        for count in good.indices { #expect(CertificateHash.binding(to: Array(good.prefix(count))) == nil) }
        #expect(CertificateHash.binding(to: good + [0]) == nil)
        for bytes: [UInt8] in [
            // Lengths that are indefinite, not as short as they could be, or too long.
            [0x30, 0x80, 0, 0], [0x30, 0x81, 5, 0, 0, 0, 0, 0],
            [0x30, 0x82, 0, 0x80] + [UInt8](repeating: 0, count: 128),
            [0x30, 0x88, 255, 255, 255, 255, 255, 255, 255, 255], [0x30, 0x84, 127, 255, 255, 255], [0x30, 0xFF],
            [0x31, 0],
        ] {
            #expect(CertificateHash.binding(to: bytes) == nil)
        }
        var generator = SeededGenerator(salt: 0xDE12)
        for _ in 0..<SeededGenerator.cases(default: 2000) {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let byte = generator.pick([0, 1, 0x30, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFF] as [UInt8])
                bytes[Int.random(in: bytes.indices, using: &generator)] = byte
            }
            // The hash, if it exists, is that of these bytes.
            if let hash = CertificateHash(signing: bytes) {
                #expect(CertificateHash.binding(to: bytes) == hash.hash(bytes))
            }
        }
    }
}
