// JSON that is not in lines. A line of a log may begin in the same way, so the command reads such input like any other,
// but prints how to convert it.

/// A layout of JSON objects in which the command finds no stanzas.
enum JSONLayout {
    /// An array of objects.
    case array
    /// Objects with line breaks.
    case indented

    /// The outcome of a search.
    enum Finding: Equatable {
        case layout(JSONLayout, offset: Int)
        case none
        /// More bytes decide.
        case undecided
    }

    /// More bytes do not decide. Usual indentation is shorter.
    static let mostBytes = 1 << 10

    /// Looks for a layout at the beginning of an input, after a byte order mark and white space.
    static func find(in beginning: [UInt8]) -> Finding {
        let beginning = beginning.prefix(mostBytes)
        let undecided = beginning.count < mostBytes ? Finding.undecided : .none
        let mark = FormatRecognizer.byteOrderMark
        if mark.starts(with: beginning) { return undecided }
        var rest = beginning.dropFirst(beginning.starts(with: mark) ? mark.count : 0)

        func next(skipping space: StaticString) -> UInt8? {
            rest = rest.drop { space.buffer.contains($0) }
            return rest.popFirst()
        }
        guard let first = next(skipping: " \t\r\n") else { return undecided }
        let offset = rest.startIndex - 1
        switch first {
        case UInt8(ascii: "{"):
            guard let end = next(skipping: " \t\r") else { return undecided }
            return end == UInt8(ascii: "\n") ? .layout(.indented, offset: offset) : .none
        case UInt8(ascii: "["):
            for mark in "{\"".utf8 {
                guard let byte = next(skipping: " \t\r\n") else { return undecided }
                if byte != mark { return .none }
            }
            return .layout(.array, offset: offset)
        default: return .none
        }
    }

    /// The mistake, and its repair.
    func advice(_ settings: ReadingSettings) -> String {
        switch self {
        case .array:
            settings.advice(
                "this is a JSON array", converting: "jq -c \".[]\" FILE",
                otherwise: "write each of its objects on a line first")
        case .indented:
            settings.advice(
                "this is JSON with line breaks", converting: "jq -c . FILE",
                otherwise: "write each object on a line first")
        }
    }
}
