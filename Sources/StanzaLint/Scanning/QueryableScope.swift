// Where calls of `find` need no receiver: in the methods that a program adds to elements, but not in the types and
// static members beside them.

/// Whether a place of a Swift source is in a method of an extension of an element.
struct QueryableScope {
    private static let types: Set = ["Element", "MutableElement", "QueryableElement"]

    /// What `self` is in the braces that are opened next, if a declaration says it.
    private enum Opening {
        case element
        case other
    }

    private var opening: Opening?
    /// Whether the declaration that comes is of the type itself.
    private var isStatic = false
    /// How many other brackets are open in the innermost braces, and in those around them.
    private var brackets = 0
    private var outerBrackets: [Int] = []
    /// The declarations around the place that say what `self` is, with how deep their braces stand.
    private var around: [(depth: Int, isElement: Bool)] = []

    var isInside: Bool { around.last?.isElement ?? false }

    /// Passes a name.
    ///
    /// - Parameter place: Behind it.
    mutating func pass(_ name: String, _ place: SourceCursor) {
        // Between brackets these are names like others.
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

    /// Passes a byte that is in no literal, name or comment.
    mutating func pass(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"): brackets = max(0, brackets - 1)
        case UInt8(ascii: "{"):
            // A closure among parameters is not what is declared.
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
