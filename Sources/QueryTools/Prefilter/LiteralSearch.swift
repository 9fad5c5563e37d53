// Searches bytes for a text: 64 places at a time, by the two bytes of the text that are rarest in stanzas.

/// A text to be found in bytes.
struct LiteralSearch: Sendable {
    let bytes: [UInt8]
    /// The offset of the rarest byte, and of the next one.
    private let rarest: Int
    private let second: Int

    /// The bytes of stanzas, the most frequent first, as counted in the examples of the XMPP specifications.
    private static let frequentBytes = Array(" et'raoislnp/m><=udcb:.hxgfyv01-jq@2k346\"w7598TA#ECS_DMRIzPFN".utf8)

    private static func rank(_ byte: UInt8) -> Int { frequentBytes.firstIndex(of: byte) ?? frequentBytes.count }

    /// - Parameter text: At least one byte.
    init(_ text: some Sequence<UInt8>) {
        let bytes = Array(text)
        let ranks = bytes.map(Self.rank)
        let rarest = ranks.indices.max { ranks[$0] < ranks[$1] } ?? 0
        self.bytes = bytes
        self.rarest = rarest
        second = ranks.indices.filter { bytes[$0] != bytes[rarest] }.max { ranks[$0] < ranks[$1] } ?? rarest
    }

    /// Larger for texts that are probably rarer.
    var rarity: Int { Self.rank(bytes[rarest]) + (second == rarest ? 0 : Self.rank(bytes[second])) }

    /// The first place from `start` on at which the text begins; it ends at `end` at the latest.
    ///
    /// - Parameter accepts: Whether the text counts at a place.
    @inline(__always)
    func next(
        in all: UnsafeRawBufferPointer, from start: Int, to end: Int, where accepts: (Int) -> Bool = { _ in true }
    ) -> Int? {
        guard let base = all.baseAddress, start >= 0, end <= all.count else { return nil }
        let last = end - bytes.count
        var place = start
        // The last index at which a block may begin.
        let lastBlock = min(last, all.count - 16 - max(rarest, second))
        let first = SIMD16<UInt8>(repeating: bytes[rarest])
        let other = SIMD16<UInt8>(repeating: bytes[second])
        let (firstBase, otherBase) = (base + rarest, base + second)
        // All blocks are within `all`: they begin at `lastBlock` at the latest.
        @inline(__always)
        func matches(_ place: Int) -> SIMD2<UInt64> {
            let isFirst = firstBase.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self) .== first
            let isOther = otherBase.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self) .== other
            return unsafeBitCast(isFirst .& isOther, to: SIMD2<UInt64>.self)
        }
        while place <= lastBlock {
            var end = place + 16
            if place <= lastBlock - 48 {
                // One branch for four blocks.
                end = place + 64
                let found = matches(place) | matches(place + 16) | (matches(place + 32) | matches(place + 48))
                if found[0] | found[1] == 0 {
                    place = end
                    continue
                }
            }
            while place < end {
                let found = matches(place)
                if found[0] | found[1] != 0 {
                    for candidate in place...min(place + 15, last) where isText(at: candidate, of: all) {
                        if accepts(candidate) { return candidate }
                    }
                }
                place += 16
            }
        }
        while place <= last {
            if isText(at: place, of: all), accepts(place) { return place }
            place += 1
        }
        return nil
    }

    @inline(__always)
    private func isText(at place: Int, of all: UnsafeRawBufferPointer) -> Bool {
        if all[place + rarest] != bytes[rarest] { return false }
        for offset in bytes.indices where all[place + offset] != bytes[offset] { return false }
        return true
    }
}
