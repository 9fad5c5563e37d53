// SipHash-1-3 against values of other implementations. CPython hashes bytes with it, under a key of zeros.

import Testing

@testable import XMLTree

@Suite struct SipHashTests {
    @Test(
        arguments: [
            ("a", 0x4074_48D2_B89B_1813), ("message", 0xA8EC_EAD2_20DD_38A6),
            ("jabber:client", 0x7B29_9D1F_0D99_3DB8), ("0123456789abcdef", 0x1D42_B30F_7E06_0C24),
        ] as [(String, UInt64)])
    func agreesWithPython(text: String, hash: UInt64) {
        #expect(text.withBytes { SipHash.hash($0, key: (0, 0)) } == hash)
    }

    /// The bytes 0, 1, 2 and so on, under the key of the bytes 0 to 15.
    @Test(
        arguments: [
            (0, 0xABAC_0158_050F_C4DC), (1, 0xC9F4_9BF3_7D57_CA93), (7, 0xD392_7D98_9BB1_1140),
            (8, 0x3690_9511_8D29_9A8E), (15, 0xD320_D86D_2A51_9956), (63, 0x9D19_9062_B7BB_B3A8),
            (2, 0x82CB_9B02_4DC7_D44D), (3, 0x8BF8_0AB8_E7DD_F7FB), (4, 0xCF75_5760_88D3_8328),
            (5, 0xDEF9_D52F_4953_3B67), (6, 0xC50D_2B50_C59F_22A7), (9, 0x25A4_8EB3_6C06_3DE4),
            (12, 0x78A3_84B1_57B4_D9A2), (14, 0x605A_A111_C0F9_5D34),
        ] as [(UInt8, UInt64)])
    func agreesUnderAKey(count: UInt8, hash: UInt64) {
        let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
        #expect(Array(0..<count).withUnsafeBufferPointer { SipHash.hash($0, key: key) } == hash)
    }

    @Test func keysOfRolesDiffer() {
        let keys = [NameKey(.local, "a"), NameKey(.namespace, "a"), NameKey(.declaration, "a")]
        #expect(Set(keys).count == keys.count)
    }

    /// A program that shows the hash values of numbers does not show the secret of the names.
    @Test func theSecretIsNotTheHashOfANumber() {
        let words = (0..<4).map { UInt64(bitPattern: Int64($0.hashValue)) }
        for first in words {
            for second in words {
                let hash = "a".withBytes { SipHash.hash($0, key: (first, second)) }
                #expect(NameKey(.local, "a").rawValue != hash)
            }
        }
    }
}
