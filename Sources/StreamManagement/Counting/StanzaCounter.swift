// The arithmetic of stream management's counters, in one place, so that nothing else adds or compares them.
//
// Knows nothing of stanzas. Who counts with it: OutgoingQueue.swift and IncomingTracker.swift.

/// How many stanzas have been handled, modulo 2³² (XEP-0198 §4, rule R4).
///
/// Counters wrap from 4,294,967,295 to 0. So they have no order: of two counters neither is the greater one, and the
/// only question is how far one lies behind the other.
///
/// ```swift
/// let last = StanzaCounter(rawValue: .max)
/// let next = last.advanced(by: 2)  // 1
/// let distance = next.distance(from: last)  // 2
/// ```
public struct StanzaCounter: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public let rawValue: UInt32

    @inlinable public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Where both sides begin (rule R2).
    public static let zero = StanzaCounter(rawValue: 0)

    /// The counter after so many more stanzas.
    @inlinable public func advanced(by count: Int) -> StanzaCounter {
        StanzaCounter(rawValue: rawValue &+ UInt32(truncatingIfNeeded: count))
    }

    /// How many stanzas lie between an earlier counter and this one.
    @inlinable public func distance(from earlier: StanzaCounter) -> UInt32 { rawValue &- earlier.rawValue }
}

extension StanzaCounter {
    /// Reads an `h` attribute: decimal digits for a number below 2³², and nothing else (rule R8).
    public init?(_ text: String) {
        var text = text
        guard let counter = text.withUTF8({ StanzaCounter(digits: $0) }) else { return nil }
        self = counter
    }

    /// Reads an `h` attribute where it stands.
    init?(digits: UnsafeBufferPointer<UInt8>) {
        guard let value = UInt32(digits: digits) else { return nil }
        self.init(rawValue: value)
    }
}

extension StanzaCounter: CustomStringConvertible {
    public var description: String { String(rawValue) }
}

extension UInt32 {
    /// Reads decimal digits. `nil` for nothing, for anything else, and for what does not fit.
    init?(digits: UnsafeBufferPointer<UInt8>) {
        if digits.isEmpty { return nil }
        var value: UInt32 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isAbove) = tens.addingReportingOverflow(UInt32(byte - UInt8(ascii: "0")))
            if isTooLarge || isAbove { return nil }
            value = sum
        }
        self = value
    }
}
