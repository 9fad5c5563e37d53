// Prints floating-point numbers as C's printf does in the locale "C" (6.1). The C library makes the digits, with the
// decimal point of the locale that the program has chosen: a point replaces it.

import QuerySyntax

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension FormatSpecifier {
    /// The text of a number with `%f`, `%e` or `%g`.
    func floating(_ value: Double) -> String {
        let sign = sign(isNegative: value.sign == .minus)
        if value.isNaN { return padded(sign + "nan") }
        if value.isInfinite { return padded(sign + "inf") }
        return number(prefix: sign, digits: digits(value.magnitude))
    }

    private func digits(_ magnitude: Double) -> String {
        let precision = precision ?? 6
        switch conversion {
        case .exponent: return printed(magnitude, "e", precision)
        case .general:
            // C's rule: the style follows from the exponent of the rounded number. glibc 2.36 drops zeros of `%#g`.
            let significant = max(precision, 1)
            let text = printed(magnitude, "e", significant - 1)
            let mark = text.lastIndex(of: "e") ?? text.endIndex
            let exponent = Int(text[mark...].dropFirst()) ?? 0
            if exponent < -4 || exponent >= significant { return withoutZeros(text[..<mark]) + text[mark...] }
            return withoutZeros(printed(magnitude, "f", significant - 1 - exponent)[...])
        default: return printed(magnitude, "f", precision)
        }
    }

    /// The text without the zeros at the end of a fraction, which only `%#g` keeps.
    private func withoutZeros(_ text: Substring) -> String {
        var text = text
        if flags.contains(.alternate) || !text.utf8.contains(UInt8(ascii: ".")) { return String(text) }
        while text.last == "0" { text.removeLast() }
        return String(text.last == "." ? text.dropLast() : text)
    }

    private func printed(_ magnitude: Double, _ style: String, _ precision: Int) -> String {
        let format = (flags.contains(.alternate) ? "%#.*" : "%.*") + style
        // At most 309 digits before the point, and an exponent of five characters.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: precision + 330) { buffer in
            let arguments: [any CVarArg] = [Int32(clamping: precision), magnitude]
            // The C library rounds by the mode of the thread, which the program may have changed.
            let mode = fegetround()
            fesetround(FE_TONEAREST)
            defer { fesetround(mode) }
            let count = withVaList(arguments) { vsnprintf(buffer.baseAddress, buffer.count, format, $0) }
            precondition(count >= 0 && count < buffer.count, "a number has room")
            return Self.withPoint(UnsafeRawBufferPointer(buffer)[..<Int(count)])
        }
    }

    /// The digits of a number, with a point instead of another locale's sign.
    static func withPoint(_ digits: some Collection<UInt8>) -> String {
        var text = ""
        for byte in digits {
            let isSign = !"0123456789e+-".utf8.contains(byte)
            // The sign may have several bytes.
            if !isSign { text.unicodeScalars.append(Unicode.Scalar(byte)) } else if text.last != "." { text += "." }
        }
        return text
    }
}
