// Finds the end of a CDATA section that is held back (HeldMarkup.swift): most often it has no '>' but that of its end.

struct CharacterDataScanner {
    /// What ends a section before its '>'.
    private static let bracketCount = 2

    /// How many brackets came last, up to those that matter.
    private var closingCount = 0

    /// A section of which this came before, without its end.
    init(behind content: UnsafeBufferPointer<UInt8>) {
        closingCount = brackets(before: content.count, in: content)
    }

    /// Goes on with more of the section. Returns the place behind its end, if that is there.
    mutating func end(in input: UnsafeBufferPointer<UInt8>) -> Int? {
        var rest = input[...]
        while let place = rest.firstIndex(of: .greaterThan) {
            if brackets(before: place, in: input) == Self.bracketCount { return place + 1 }
            rest = input[(place + 1)...]
        }
        closingCount = brackets(before: input.count, in: input)
        return nil
    }

    /// How many brackets stand directly before a place, those before the input among them.
    private func brackets(before place: Int, in input: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        while count < Self.bracketCount, count < place, input[place - 1 - count] == .closingBracket { count += 1 }
        return count == place ? min(count + closingCount, Self.bracketCount) : count
    }
}
