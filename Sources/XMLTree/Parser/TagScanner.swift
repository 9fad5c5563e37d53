// Long start tags are held back until their '>' is there.
//
// libxml2 would try a start tag again at every '>' that comes in, also inside attribute values, and compares each
// attribute with all before it: both quadratic in what an attacker sends. Short tags do not need this.

/// The part of a start tag that libxml2 has not been given.
struct HeldTag {
    /// From this length on, an incomplete tag is held back.
    static let threshold = 2048

    private static let declaration: StaticString = "xmlns:"

    private(set) var bytes: [UInt8] = []
    /// The quote that ends the attribute value being read; 0 outside of values.
    private var quote: UInt8 = 0
    /// Values that were opened.
    private var valueCount = 0
    /// The bytes of the name that is being read, with its prefix.
    private var nameLength = 0

    enum Progress: Equatable {
        /// All bytes belong to the tag.
        case incomplete
        /// The tag ends behind that many of the bytes.
        case complete(Int)
        /// Where no '<' may stand there is one, at that index.
        case lessThan(Int)
        /// There are more values than allowed, or a name is longer. That many bytes were taken.
        case exceeds(XMLParseError.Limit, Int)
    }

    /// Looks at the part of the tag that libxml2 already has.
    mutating func inspect(_ pending: UnsafeBufferPointer<UInt8>, _ limits: ParserLimits) -> Progress {
        for index in pending.indices {
            let byte = pending[index]
            if byte == .lessThan { return .lessThan(index) }
            if quote != 0 {
                if byte == quote { quote = 0 }
                continue
            }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                quote = byte
                nameLength = 0
                valueCount += 1
                if valueCount > limits.attributes { return .exceeds(.attributes, index + 1) }
            case .greaterThan:
                return .complete(index + 1)
            case UInt8(ascii: "="), UInt8(ascii: "/"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"),
                .lineFeed:
                nameLength = 0
            default:
                nameLength += 1
                // What stands behind `xmlns:` is a name of its own.
                if nameLength > limits.nameLength + Self.declaration.utf8CodeUnitCount {
                    return .exceeds(.nameLength, index + 1)
                }
            }
        }
        return .incomplete
    }

    /// Takes as much of `input` as belongs to the tag.
    mutating func take(_ input: UnsafeBufferPointer<UInt8>, _ limits: ParserLimits) -> Progress {
        let progress = inspect(input, limits)
        switch progress {
        case .incomplete: bytes.append(contentsOf: input)
        case .complete(let count), .exceeds(_, let count): bytes.append(contentsOf: input[..<count])
        case .lessThan(let index): bytes.append(contentsOf: input[...index])
        }
        return progress
    }
}
