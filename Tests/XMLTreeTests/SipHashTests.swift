// SipHash-1-3 against values of another implementation: CPython's, which hashes bytes with it, with a key of zeros.

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

    @Test func keysOfRolesDiffer() {
        let keys = [NameKey(.local, "a"), NameKey(.namespace, "a"), NameKey(.declaration, "a")]
        #expect(Set(keys).count == keys.count)
        #expect(NameKey(.qualified, "a") == keys[0])
    }
}
