// The arithmetic of stream management's counters, in one place, so that no other code adds or compares them.
//
// OutgoingQueue.swift and IncomingTracker.swift count stanzas with it.

/// A count of handled stanzas, modulo 2³² (XEP-0198 §4, rule R4).
///
/// Counters wrap from 4,294,967,295 to 0, so they have no order: neither of two counters is the greater one. Only the
/// distance from one to the other has a meaning.
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

    /// The counter with which both sides begin (rule R2).
    public static let zero = StanzaCounter(rawValue: 0)

    /// Returns the counter after `count` more stanzas.
    @inlinable public func advanced(by count: Int) -> StanzaCounter {
        StanzaCounter(rawValue: rawValue &+ UInt32(truncatingIfNeeded: count))
    }

    /// Returns the number of stanzas from an earlier counter to this one.
    @inlinable public func distance(from earlier: StanzaCounter) -> UInt32 { rawValue &- earlier.rawValue }
}

extension StanzaCounter {
    /// Reads an `h` attribute: only decimal digits, for a number below 2³² (rule R8).
    public init?(_ text: String) {
        var text = text
        guard let counter = text.withUTF8({ StanzaCounter(digits: $0) }) else { return nil }
        self = counter
    }

    /// Reads an `h` attribute from a tree's bytes, without a copy.
    init?(digits: UnsafeBufferPointer<UInt8>) {
        guard let value = UInt32(digits: digits) else { return nil }
        self.init(rawValue: value)
    }
}

extension StanzaCounter: CustomStringConvertible {
    public var description: String { String(rawValue) }
}

extension UInt32 {
    /// Reads decimal digits. `nil` for an empty text, for other characters, and for a number that does not fit.
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
