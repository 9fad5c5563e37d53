// The other parts of a call with a query: types before the query, arguments after it.

extension SourceCursor {
    /// Longer arguments are skipped, so that nested calls do not cost the square of their number.
    static var maximumArgumentBytes: Int { 1 << 12 }

    /// No real type is longer, and a text may hold many beginnings of types.
    private static var maximumTypeBytes: Int { 1 << 8 }

    /// Passes `<Int>`, if it begins here. A comparison does not count.
    mutating func skipTypeArguments() {
        guard current == UInt8(ascii: "<") else { return }
        var cursor = self
        cursor.end = min(end, position + Self.maximumTypeBytes)
        var depth = 0
        repeat {
            guard let byte = cursor.current else { return }
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"): depth -= 1
            case _ where Self.isOfGenericArguments(byte): break
            default: return
            }
            cursor.position += 1
        } while depth > 0
        position = cursor.position
    }

    private static func isOfGenericArguments(_ byte: UInt8) -> Bool {
        continuesName(byte) || isSpace(byte) || ".,:?[]&".utf8.contains(byte)
    }

    /// The arguments after a query in its call.
    struct Arguments {
        var total = 0
        /// The number of arguments for the query, if the source shows it.
        var given: Int? = 0
        var hasOptions = false
        /// Whether an argument has a label that no call with a query has.
        var hasOtherLabels = false
    }

    /// Counts the arguments after the query up to the closing bracket; `nil` if the query is only a part of its
    /// argument.
    mutating func arguments(until closing: Character) -> Arguments? {
        guard let closing = closing.asciiValue else { return nil }
        skipSpace()
        guard current == closing || current == UInt8(ascii: ",") else { return nil }
        var arguments = Arguments()
        var depth = 0
        let wholeEnd = end
        end = min(end, position + Self.maximumArgumentBytes)
        defer { end = wholeEnd }
        while let byte = current {
            if depth == 0, byte == closing { return arguments }
            if skipComment() || literal() != nil { continue }
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "<") where depth == 0 && language == .swift && isBehindName:
                // Between types there may be commas, too.
                arguments.given = nil
            case UInt8(ascii: ",") where depth == 0:
                position += 1
                skipSpace()
                // The last argument may end with a comma.
                if current == closing { continue }
                arguments.total += 1
                switch language == .swift ? startsLabel() : nil {
                // The source does not show the size of a pack.
                case nil where isAtPack: arguments.given = nil
                case nil: arguments.given? += 1
                case "as": break
                case "options": arguments.hasOptions = true
                case "arguments", "values": arguments.given = nil
                default:
                    arguments.given = nil
                    arguments.hasOtherLabels = true
                }
                continue
            default: break
            }
            if depth < 0 { return nil }
            position += 1
        }
        return nil
    }

    /// Whether the argument that begins here expands a pack: `repeat each values`.
    private var isAtPack: Bool {
        var cursor = self
        return language == .swift && cursor.name() == "repeat"
    }
}
