// Finds where calls of `find` need no receiver: in methods that a program adds to elements, but not in the types and
// static members next to them.

/// Whether a place of a Swift source is in a method of an extension of an element.
struct QueryableScope {
    private static let types: Set = ["Element", "MutableElement", "QueryableElement"]

    /// The meaning of `self` in the next braces, if a declaration defines it.
    private enum Opening {
        case element
        case other
    }

    private var opening: Opening?
    /// Whether the next declaration is static.
    private var isStatic = false
    /// The number of other open brackets in the innermost braces, and in those around them.
    private var brackets = 0
    private var outerBrackets: [Int] = []
    /// The declarations around the place that define `self`, with the depth of their braces.
    private var around: [(depth: Int, isElement: Bool)] = []

    var isInside: Bool { around.last?.isElement ?? false }

    /// Passes a name.
    ///
    /// - Parameter place: The place after it.
    mutating func pass(_ name: String, _ place: SourceCursor) {
        // Inside brackets, these are ordinary names.
        if brackets > 0 { return }
        switch name {
        case "extension": opening = Self.types.contains(place.nextName ?? "") ? .element : .other
        case "struct", "enum", "protocol": opening = .other
        case "actor": if place.nextName != nil { opening = .other }
        case "static": isStatic = true
        case "class":
            let isModifier = ["func", "var", "let", "subscript", "override", "final"].contains(place.nextName ?? "")
            if isModifier { isStatic = true } else { opening = .other }
        case "func", "var", "let", "subscript", "init", "deinit", "case":
            opening = isStatic ? .other : nil
            isStatic = false
        default: break
        }
    }

    /// Passes a byte outside literals, names and comments.
    mutating func pass(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"): brackets = max(0, brackets - 1)
        case UInt8(ascii: "{"):
            // A closure among parameters is not the declaration's body.
            if let opening, brackets == 0 {
                around.append((outerBrackets.count, opening == .element))
                self.opening = nil
            }
            outerBrackets.append(brackets)
            brackets = 0
        case UInt8(ascii: "}"):
            brackets = outerBrackets.popLast() ?? 0
            if let last = around.last, last.depth >= outerBrackets.count { around.removeLast() }
        default: break
        }
    }
}

extension SourceCursor {
    /// The name that follows, if one does.
    fileprivate var nextName: String? {
        var cursor = self
        cursor.skipSpace()
        return cursor.name()
    }
}
