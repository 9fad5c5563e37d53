// The tables of names: numbers by hash, and the hash, SipHash-1-3, against values of other implementations.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct NameTableTests {
    /// Keys with one hash share a run of slots, and the caller's comparison decides between them. The table grows.
    @Test(arguments: [0, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0003] as [UInt64]) func equalHashes(hash: UInt64) {
        var table = NumberTable<UInt32>(capacity: 1)
        for number in 0..<50 as Range<UInt32> {
            #expect(table.find(hash) { $0 == number } == NumberSlots<UInt32>.none)
            table.insert(number, hash)
        }
        for number in 0..<50 as Range<UInt32> { #expect(table.find(hash) { $0 == number } == number) }
        #expect(table.find(hash) { $0 == 50 } == NumberSlots<UInt32>.none)
    }

    /// The table stores half of a hash. The other half is never compared.
    @Test func theHighHalfOfAHashChoosesNoSlot() {
        var table = NumberTable<UInt32>(capacity: 8)
        table.insert(7, 5)
        #expect(table.find(5 | 1 << 40) { _ in true } == 7)
        #expect(table.find(4) { _ in true } == NumberSlots<UInt32>.none)
    }

    @Test func aCapacityIsAPowerOfTwo() async {
        await #expect(processExitsWith: .failure) { _ = NumberTable<UInt32>(capacity: 12) }
        await #expect(processExitsWith: .failure) { _ = NumberTable<UInt32>(capacity: 0) }
    }

    /// Keys of 64 bits decide alone, and numbers can be removed.
    @Test func theTableAgreesWithADictionary() {
        var random = SeededGenerator(salt: 0xED6E)
        var table = NumberTable<UInt64>(capacity: 16)
        var model: [UInt64: UInt32] = [:]
        // Few hashes apart by multiples of a power of two: long runs that wrap around the end.
        let keys = (0..<300).map { number in UInt64(number % 7) << 20 | UInt64(number) | 1 << 63 }
        for step in 0..<20_000 as Range<UInt32> {
            let key = random.pick(keys)
            if model[key] == nil, random.chance(step % 4000 < 2000 ? 70 : 30) {
                table.insert(step, key)
                model[key] = step
            } else {
                table.remove(key)
                model[key] = nil
            }
            let asked = random.pick(keys)
            #expect(
                table.slots[asked] == model[asked] ?? NumberSlots<UInt64>.none,
                "step \(step), seed \(SeededGenerator.seed)")
        }
        let copy = table.copy()
        for key in keys { #expect(table.slots[key] == copy.slots[key]) }
        #expect(table.count == model.count && copy.count == model.count)
    }

    // MARK: Hashes

    /// CPython hashes bytes with it, under a key of zeros.
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
        ] as [(UInt8, UInt64)])
    func agreesUnderAKey(count: UInt8, hash: UInt64) {
        let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
        #expect(Array(0..<count).withUnsafeBufferPointer { SipHash.hash($0, key: key) } == hash)
    }

    @Test func keysOfRolesDiffer() {
        #expect(Set([NameKey(.local, "a"), NameKey(.namespace, "a"), NameKey(.declaration, "a")]).count == 3)
    }

    /// A program that shows the hash values of numbers does not show the secret of the names.
    @Test func theSecretIsNotTheHashOfANumber() {
        let words = (0..<4).map { UInt64(bitPattern: Int64($0.hashValue)) }
        for first in words {
            for second in words {
                #expect("a".withBytes { SipHash.hash($0, key: (first, second)) } != NameKey(.local, "a").rawValue)
            }
        }
    }
}
