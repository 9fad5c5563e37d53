// TextValues has its own SHA-256, so that its users need not compile swift-crypto. Both return the same hash.

import Crypto
import Foundation
import TestSupport
import Testing

@testable import TextValues

@Suite(.endsInTime) struct DigestTests {
    @Test func bothDigestsAreTheSame() {
        var random = SeededGenerator(salt: 512)
        for _ in 0..<300 {
            let length = Int.random(in: 0...5_000, using: &random)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let ours = bytes.withUnsafeBufferPointer { TextValues.SHA256.digest($0) }
            let words = (0..<8).flatMap { index in
                withUnsafeBytes(of: ours[index].bigEndian) { Array($0) }
            }
            #expect(words == Array(Crypto.SHA256.hash(data: bytes)), "\(length) bytes, seed \(SeededGenerator.seed)")
        }
    }

    /// An example of the article Recipes of XMPPSession.
    @Test func theHandshakeOfAComponent() {
        let secret = "bc"
        func digest(_ id: String) -> String {
            Insecure.SHA1.hash(data: Data((id + secret).utf8)).map { String(format: "%02x", $0) }.joined()
        }
        #expect(digest("a") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }
}
