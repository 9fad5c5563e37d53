// Goes through a start tag that is incomplete: where it ends, and what it exceeds on the way there.

/// What was seen of a start tag.
struct TagScanner {
    private static let declaration: StaticString = "xmlns:"

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

        /// Behind what was seen, if no more is to be waited for.
        var end: Int? {
            switch self {
            case .incomplete: nil
            case .complete(let count), .exceeds(_, let count): count
            case .lessThan(let index): index + 1
            }
        }
    }

    /// Looks at more of the tag: first of all at what stands behind its '<'.
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
                if nameLength - Self.declaration.utf8CodeUnitCount > limits.nameLength {
                    return .exceeds(.nameLength, index + 1)
                }
            }
        }
        return .incomplete
    }
}
