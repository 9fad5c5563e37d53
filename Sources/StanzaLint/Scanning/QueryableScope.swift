// Where calls of `find` need no receiver: in the methods that a program adds to elements.

/// Whether a place of a Swift source is in an extension of an element.
struct QueryableScope {
    private static let types: Set = ["Element", "MutableElement", "QueryableElement"]

    private var depth = 0
    private var isOpening = false
    /// How deep the braces are that the extension stands in.
    private var outside: Int?

    var isInside: Bool { outside != nil }

    /// - Parameter place: Behind the word `extension`.
    mutating func beginExtension(_ place: SourceCursor) {
        var cursor = place
        cursor.skipSpace()
        isOpening = cursor.name().map(Self.types.contains) ?? false
    }

    /// Passes a byte that is in no literal, name or comment.
    mutating func pass(_ byte: UInt8) {
        if byte == UInt8(ascii: "{") {
            if isOpening, outside == nil { outside = depth }
            isOpening = false
            depth += 1
        } else if byte == UInt8(ascii: "}") {
            depth -= 1
            if depth == outside { outside = nil }
        }
    }
}
