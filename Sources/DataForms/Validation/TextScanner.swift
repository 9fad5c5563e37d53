// Reads text from front to back, for the datatypes with a grammar of their own.

struct TextScanner {
    private var rest: Substring.UTF8View

    init(_ text: Substring) {
        rest = text.utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Takes a character if it comes next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes all digits that come next; returns `nil` if the next character is not a digit.
    mutating func digits() -> Substring? {
        let end = rest.firstIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? rest.endIndex
        guard end > rest.startIndex else { return nil }
        defer { rest = rest[end...] }
        return Substring(rest[..<end])
    }

    /// Takes a number with this many digits, within bounds.
    mutating func number(digits count: Int, _ bounds: ClosedRange<Int>) -> Int? {
        guard let digits = digits(), digits.utf8.count == count, let number = Int(digits), bounds.contains(number)
        else {
            return nil
        }
        return number
    }
}
