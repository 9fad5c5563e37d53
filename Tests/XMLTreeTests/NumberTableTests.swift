// The table of numbers by hash: collisions, growth, and hashes that differ in bits that choose no slot.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct NumberTableTests {
    @Test func numbersAreFoundAfterGrowth() {
        var table = NumberTable<UInt32>(capacity: 1)
        let hashes = (0..<5_000).map { _ in UInt64.random(in: 0 ... .max) }
        for (number, hash) in hashes.enumerated() {
            #expect(table.find(hash) { hashes[Int($0)] == hash } == NumberSlots<UInt32>.none)
            table.insert(UInt32(number), hash)
        }
        for (number, hash) in hashes.enumerated() {
            #expect(table.find(hash) { Int($0) == number } == UInt32(number))
        }
    }

    /// Keys with one hash share a run of slots. The caller's comparison decides between them.
    @Test func theKeySeparatesEqualHashes() {
        for hash in [0, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0003] as [UInt64] {
            var table = NumberTable<UInt32>(capacity: 4)
            for number in 0..<50 as Range<UInt32> { table.insert(number, hash) }
            for number in 0..<50 as Range<UInt32> {
                #expect(table.find(hash) { $0 == number } == number)
            }
            #expect(table.find(hash) { $0 == 50 } == NumberSlots<UInt32>.none)
        }
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
}
