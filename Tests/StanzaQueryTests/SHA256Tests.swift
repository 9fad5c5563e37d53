// The digest of `uuidcast`: the vectors of FIPS 180-4's examples, and the plainest implementation.

import TestSupport
import Testing

@testable import TextValues

@Suite struct SHA256Tests {
    private func digest(_ bytes: [UInt8]) -> String {
        let words = bytes.withUnsafeBufferPointer { SHA256.digest($0) }
        return (0..<8).map { index in
            let digits = String(words[index], radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func vectors(message: String, expected: String) {
        #expect(digest(Array(message.utf8)) == expected)
    }

    /// All lengths around the ends of blocks.
    @Test func theModelAgrees() {
        var random = SeededGenerator(salt: 256)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let expected = SHA256Model.digest(bytes).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }
            #expect(digest(bytes) == expected.joined(), "\(length) bytes, seed \(SeededGenerator.seed)")
        }
    }
}
