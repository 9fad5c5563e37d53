// The table of numbers by hash: collisions, growth, and hashes that differ in bits that choose no slot.

import Testing

@testable import XMLTree

@Suite struct NumberTableTests {
    @Test func numbersAreFoundAfterGrowth() {
        var table = NumberTable(capacity: 1)
        let hashes = (0..<5_000).map { _ in UInt64.random(in: 0 ... .max) }
        for (number, hash) in hashes.enumerated() {
            #expect(table.find(hash) { hashes[Int($0)] == hash } == NumberTable.none)
            table.insert(UInt32(number), hash)
        }
        for (number, hash) in hashes.enumerated() {
            #expect(table.find(hash) { Int($0) == number } == UInt32(number))
        }
    }

    /// Keys with one hash share a run of slots. The caller's comparison decides between them.
    @Test func theKeySeparatesEqualHashes() {
        for hash in [0, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0003] as [UInt64] {
            var table = NumberTable(capacity: 4)
            for number in 0..<50 as Range<UInt32> { table.insert(number, hash) }
            for number in 0..<50 as Range<UInt32> {
                #expect(table.find(hash) { $0 == number } == number)
            }
            #expect(table.find(hash) { $0 == 50 } == NumberTable.none)
        }
    }

    /// The table stores half of a hash. The other half is never compared.
    @Test func theHighHalfOfAHashChoosesNoSlot() {
        var table = NumberTable(capacity: 8)
        table.insert(7, 5)
        #expect(table.find(5 | 1 << 40) { _ in true } == 7)
        #expect(table.find(4) { _ in true } == NumberTable.none)
    }

    @Test func aCapacityIsAPowerOfTwo() async {
        await #expect(processExitsWith: .failure) { _ = NumberTable(capacity: 12) }
        await #expect(processExitsWith: .failure) { _ = NumberTable(capacity: 0) }
    }
}
