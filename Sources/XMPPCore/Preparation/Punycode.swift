// The encoding of labels beyond ASCII in DNS (RFC 3492).

enum Punycode {
    /// The text of an encoded label in lower case; `nil` if it is not one.
    static func decode(_ label: some BidirectionalCollection<UInt8>) -> String? {
        let bytes = Array(label)
        let end = bytes.lastIndex(of: UInt8(ascii: "-"))
        var scalars = bytes[..<(end ?? 0)].map { Unicode.Scalar($0) }
        guard scalars.allSatisfy(\.isASCII) else { return nil }
        var (value, index, bias, isFirst) = (initialValue, 0, initialBias, true)
        var rest = bytes[(end.map { $0 + 1 } ?? 0)...]
        while !rest.isEmpty {
            let start = index
            var (weight, step) = (1, base)
            while true {
                guard let digit = rest.popFirst().flatMap(digit) else { return nil }
                index += digit * weight
                // Larger numbers belong to no label that an address can hold.
                if index > largestNumber { return nil }
                let threshold = threshold(step, bias)
                if digit < threshold { break }
                weight *= base - threshold
                if weight > largestNumber { return nil }
                step += base
            }
            let count = scalars.count + 1
            bias = adapted(index - start, count, isFirst)
            isFirst = false
            value += index / count
            index %= count
            guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else { return nil }
            scalars.insert(scalar, at: index)
            index += 1
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The encoded text, without the prefix of labels.
    static func encode(_ text: some Collection<Unicode.Scalar>) -> String {
        let values = text.map { Int($0.value) }
        var output = values.filter { $0 < initialValue }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (value, delta, bias, handled) = (initialValue, 0, initialBias, basicCount)
        while handled < values.count, let next = values.filter({ $0 >= value }).min() {
            delta += (next - value) * (handled + 1)
            value = next
            for other in values {
                if other < value { delta += 1 }
                guard other == value else { continue }
                var (rest, step) = (delta, base)
                while true {
                    let threshold = threshold(step, bias)
                    if rest < threshold { break }
                    output.append(letter(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    step += base
                }
                output.append(letter(rest))
                bias = adapted(delta, handled + 1, handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            value += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    // The parameters of RFC 3492 §5.
    private static let base = 36
    private static let smallest = 1
    private static let largest = 26
    private static let initialBias = 72
    private static let initialValue = 0x80

    private static let largestNumber = Int(Int32.max)

    private static func threshold(_ step: Int, _ bias: Int) -> Int { min(max(step - bias, smallest), largest) }

    private static func adapted(_ delta: Int, _ count: Int, _ isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - smallest) * largest / 2 {
            delta /= base - smallest
            steps += base
        }
        return steps + (base - smallest + 1) * delta / (delta + 38)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    private static func letter(_ digit: Int) -> UInt8 {
        digit < 26 ? UInt8(ascii: "a") + UInt8(digit) : UInt8(ascii: "0") + UInt8(digit - 26)
    }
}
