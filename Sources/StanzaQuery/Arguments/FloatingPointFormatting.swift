// Prints floating-point numbers as C's printf does in the locale "C" (6.1).
//
// The C library would print the decimal point of the locale that the program has chosen. A `Double` is an integer times
// a power of two, so its decimal digits are exact, and at most 767.

import QuerySyntax

extension FormatSpecifier {
    /// The text of a number with `%f`, `%e` or `%g`.
    func floating(_ value: Double) -> String {
        let sign = sign(isNegative: value.sign == .minus)
        if value.isNaN { return padded(sign + "nan") }
        if value.isInfinite { return padded(sign + "inf") }
        let text = String(decoding: printed(DecimalDigits(value.magnitude)), as: UTF8.self)
        if !flags.contains(.zeroPadded) || flags.contains(.leftAligned) { return padded(sign + text) }
        let missing = max(0, (width ?? 0) - sign.utf8.count - text.utf8.count)
        return sign + String(repeating: "0", count: missing) + text
    }

    /// The bytes of a number without its sign.
    private func printed(_ number: DecimalDigits) -> [UInt8] {
        let hasPoint = flags.contains(.alternate)
        let precision = precision ?? 6
        switch conversion {
        case .exponent: return number.exponential(precision, hasPoint: hasPoint)
        case .general:
            // C's rule: the style follows from the exponent of the rounded number.
            let significant = max(precision, 1)
            let rounded = number.rounded(toDigits: significant)
            let exponent = rounded.point - 1
            if exponent < -4 || exponent >= significant {
                return rounded.exponential(significant - 1, hasPoint: hasPoint, keepsZeros: hasPoint)
            }
            return rounded.fixed(significant - 1 - exponent, hasPoint: hasPoint, keepsZeros: hasPoint)
        default: return number.fixed(precision, hasPoint: hasPoint)
        }
    }
}

/// A finite number that is not negative, in decimal: 0.d₁d₂d₃… times ten to the power of `point`.
struct DecimalDigits {
    /// From 0 to 9. The first one is not 0; zero has none.
    private var digits: [UInt8]
    /// The number of digits before the decimal point; 1 for zero.
    private(set) var point: Int

    /// The exact digits of a number.
    init(_ magnitude: Double) {
        (digits, point) = ([], 1)
        if magnitude == 0 { return }
        let isNormal = magnitude.isNormal
        var integer = magnitude.significandBitPattern | (isNormal ? 1 << UInt64(Double.significandBitCount) : 0)
        // The number is `integer` times two to the power of `exponent`.
        var exponent = (isNormal ? Int(magnitude.exponentBitPattern) : 1) - 1023 - Double.significandBitCount
        exponent += integer.trailingZeroBitCount
        integer >>= UInt64(integer.trailingZeroBitCount)
        // Nine digits each, the lowest first.
        var words = [UInt32(integer % Self.base), UInt32(integer / Self.base)]
        func multiply(by factor: UInt64) {
            var carry: UInt64 = 0
            for index in words.indices {
                let product = UInt64(words[index]) * factor + carry
                words[index] = UInt32(product % Self.base)
                carry = product / Self.base
            }
            if carry > 0 { words.append(UInt32(carry)) }
        }
        // Divided by two is multiplied by five, with one more digit after the point.
        let factor: UInt64 = exponent < 0 ? 5 : 2
        for _ in 0..<exponent.magnitude / 12 { multiply(by: factor == 5 ? 244_140_625 : 4096) }
        for _ in 0..<exponent.magnitude % 12 { multiply(by: factor) }
        for word in words.reversed() {
            var divisor = UInt32(Self.base / 10)
            while divisor > 0 {
                let digit = UInt8(word / divisor % 10)
                if digit > 0 || !digits.isEmpty { digits.append(digit) }
                divisor /= 10
            }
        }
        point = digits.count + min(exponent, 0)
    }

    private static var base: UInt64 { 1_000_000_000 }

    /// The number with at most this many digits. Rounds to the nearest one, and a tie to the even one, as C does.
    func rounded(toDigits count: Int) -> DecimalDigits {
        guard count < digits.count else { return self }
        var rounded = self
        rounded.digits.removeLast(digits.count - max(count, 0))
        if count < 0 { return rounded }
        let isOdd = count > 0 && digits[count - 1] % 2 == 1
        let isMore = isOdd || digits[(count + 1)...].contains { $0 > 0 }
        if digits[count] > 5 || digits[count] == 5 && isMore { rounded.increment() }
        return rounded
    }

    /// Adds one to the last digit.
    private mutating func increment() {
        let last = digits.lastIndex { $0 < 9 }
        for index in (last ?? -1) + 1..<digits.count { digits[index] = 0 }
        if let last {
            digits[last] += 1
        } else {
            digits.insert(1, at: 0)
            point += 1
        }
    }

    // MARK: Printing

    /// With this many digits after the point, as `%f`.
    ///
    /// - Parameters:
    ///   - hasPoint: Whether a point is printed that no digit follows.
    ///   - keepsZeros: Whether zeros at the end are printed.
    func fixed(_ precision: Int, hasPoint: Bool, keepsZeros: Bool = true) -> [UInt8] {
        let number = rounded(toDigits: point + precision)
        let integer = number.point > 0 ? number.text(0..<number.point) : [UInt8(ascii: "0")]
        let fraction = number.text(number.point..<number.point + precision)
        return integer + Self.fraction(fraction, hasPoint: hasPoint, keepsZeros: keepsZeros)
    }

    /// With one digit before the point, this many after it, and an exponent, as `%e`.
    func exponential(_ precision: Int, hasPoint: Bool, keepsZeros: Bool = true) -> [UInt8] {
        let number = rounded(toDigits: precision + 1)
        let exponent = number.point - 1
        let digits = String(exponent.magnitude)
        let fraction = Self.fraction(number.text(1..<precision + 1), hasPoint: hasPoint, keepsZeros: keepsZeros)
        return number.text(0..<1) + fraction + Array((exponent < 0 ? "e-" : "e+").utf8)
            + Array((digits.utf8.count < 2 ? "0" + digits : digits).utf8)
    }

    /// The digits at some places, as text: zeros before the first and after the last.
    private func text(_ places: Range<Int>) -> [UInt8] {
        places.map { UInt8(ascii: "0") + (digits.indices.contains($0) ? digits[$0] : 0) }
    }

    private static func fraction(_ digits: [UInt8], hasPoint: Bool, keepsZeros: Bool) -> [UInt8] {
        var shown = digits[...]
        while !keepsZeros, shown.last == UInt8(ascii: "0") { shown.removeLast() }
        return shown.isEmpty && !hasPoint ? [] : [UInt8(ascii: ".")] + shown
    }
}
