// Decimal numbers of any length (XML Schema part 2, `decimal`), stored as digits, so that nothing is rounded.

struct DecimalNumber: Comparable {
    private let isNegative: Bool
    /// Without leading zeros.
    private let whole: [UInt8]
    /// Without trailing zeros.
    private let fraction: [UInt8]

    /// Whether the number has neither a point nor digits after it.
    let isInteger: Bool

    /// Returns `nil` unless the text is an optional sign, digits, and at most one point before, after or among them.
    init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let parts = rest.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        isInteger = parts.count == 1
        whole = Array(parts[0].drop { $0 == UInt8(ascii: "0") })
        let behind = parts.count > 1 ? parts[1] : []
        fraction = Array(behind.reversed().drop { $0 == UInt8(ascii: "0") }.reversed())
    }

    private var isZero: Bool { whole.isEmpty && fraction.isEmpty }

    static func == (one: DecimalNumber, other: DecimalNumber) -> Bool {
        (one.isNegative == other.isNegative || one.isZero) && one.whole == other.whole && one.fraction == other.fraction
    }

    static func < (one: DecimalNumber, other: DecimalNumber) -> Bool {
        if one == other { return false }
        let isOneNegative = one.isNegative && !one.isZero
        let isOtherNegative = other.isNegative && !other.isZero
        if isOneNegative != isOtherNegative { return isOneNegative }
        return isOneNegative ? other.isCloserToZero(than: one) : one.isCloserToZero(than: other)
    }

    private func isCloserToZero(than other: DecimalNumber) -> Bool {
        if whole.count != other.whole.count { return whole.count < other.whole.count }
        if whole != other.whole { return whole.lexicographicallyPrecedes(other.whole) }
        return fraction.lexicographicallyPrecedes(other.fraction)
    }
}
