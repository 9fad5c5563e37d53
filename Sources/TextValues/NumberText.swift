// Texts as truth values and numbers, as the query language converts them (4.4, 4.5). Pure functions over bytes; they
// allocate nothing.

/// Reads numbers and truth values: entirely, or from the beginning of a text. `nil`: no value.
package enum NumberText {
    /// `true` and `1` give true; anything else false, or nothing when strict.
    package static func bool(_ text: UnsafeBufferPointer<UInt8>, isStrict: Bool) -> Bool? {
        if text.elementsEqual("true".utf8) || text.elementsEqual("1".utf8) { return true }
        if isStrict, !text.elementsEqual("false".utf8), !text.elementsEqual("0".utf8) { return nil }
        return false
    }

    package static func int(_ text: UnsafeBufferPointer<UInt8>, isStrict: Bool) -> Int? {
        let number = Digits(text)
        if isStrict, !number.isEntireText { return nil }
        if let value = number.int { return value }
        // Out of range: saturated, and not a value of the type when strict.
        return isStrict ? nil : number.isNegative ? .min : .max
    }

    package static func uint(_ text: UnsafeBufferPointer<UInt8>, isStrict: Bool) -> UInt? {
        let number = Digits(text)
        if isStrict, !number.isEntireText || number.isNegative { return nil }
        if number.isNegative { return 0 }
        if let magnitude = number.magnitude, let value = UInt(exactly: magnitude) { return value }
        return isStrict ? nil : .max
    }

    package static func double(_ text: UnsafeBufferPointer<UInt8>, isStrict: Bool) -> Double? {
        let start = text.firstIndex { !$0.isWhiteSpace } ?? text.endIndex
        let end = decimalPrefixEnd(text, from: start)
        if isStrict, start != 0 || end != text.count || start == end { return nil }
        if start == end { return 0 }
        // Swift's parser ignores the locale and rounds correctly.
        let value = Double(Substring(decoding: text[start..<end], as: UTF8.self)) ?? 0
        guard value.isInfinite else { return value }
        return isStrict ? nil : value < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude
    }

    /// The end of the longest prefix that is a decimal number: sign, digits, fraction, exponent.
    private static func decimalPrefixEnd(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        if position < text.count, text[position].isSign { position += 1 }
        let integerStart = position
        position = digitsEnd(text, from: position)
        var digits = position - integerStart
        if position < text.count, text[position] == UInt8(ascii: ".") {
            let fractionEnd = digitsEnd(text, from: position + 1)
            digits += fractionEnd - position - 1
            if digits > 0 { position = fractionEnd }
        }
        guard digits > 0 else { return start }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            var exponentStart = position + 1
            if exponentStart < text.count, text[exponentStart].isSign { exponentStart += 1 }
            let exponentEnd = digitsEnd(text, from: exponentStart)
            if exponentEnd > exponentStart { position = exponentEnd }
        }
        return position
    }

    private static func digitsEnd(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position < text.count, text[position].isDigit { position += 1 }
        return position
    }
}

/// Leading white space, a sign and decimal digits at the beginning of a text.
private struct Digits {
    /// Zero without digits; `nil` above 64 bits.
    let magnitude: UInt64?
    let isNegative: Bool
    /// Whether sign and digits are the whole text.
    let isEntireText: Bool

    init(_ text: UnsafeBufferPointer<UInt8>) {
        var position = 0
        while position < text.count, text[position].isWhiteSpace { position += 1 }
        let numberStart = position
        var isNegative = false
        if position < text.count, text[position].isSign {
            isNegative = text[position] == UInt8(ascii: "-")
            position += 1
        }
        let digitsStart = position
        var magnitude: UInt64? = 0
        while position < text.count, text[position].isDigit {
            magnitude = magnitude.flatMap { $0.appending(digit: text[position]) }
            position += 1
        }
        self.magnitude = magnitude
        self.isNegative = isNegative && position > digitsStart
        isEntireText = numberStart == 0 && position == text.count && position > digitsStart
    }

    /// The number; `nil` if it is out of range.
    var int: Int? {
        guard let magnitude else { return nil }
        if !isNegative { return Int(exactly: magnitude) }
        return magnitude == Int.min.magnitude ? .min : Int(exactly: magnitude).map(-)
    }
}

extension UInt64 {
    fileprivate func appending(digit: UInt8) -> UInt64? {
        let (tenfold, overflow) = multipliedReportingOverflow(by: 10)
        let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
        return overflow || carry ? nil : sum
    }
}

extension UInt8 {
    fileprivate var isSign: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "+") }
}
