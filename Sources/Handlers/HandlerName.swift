// The name of a handler in stored data: a type and a function, as text that the programmer chooses.
//
// HandlerDefinition.swift connects a name to a Swift function.

/// The stable name of a handler: `Type|function`.
///
/// A program finds the function of a stored handler by its name, so names must not change with the code. A renamed
/// function keeps its old names as former names of its definition.
public struct HandlerName: Sendable, Hashable {
    /// The part before the bar, usually the name of the type that the function belongs to.
    public let type: String
    /// The part after the bar.
    public let function: String

    public init(type: String, function: String) {
        self.type = type
        self.function = function
    }

    /// Whether a registry accepts the name. Both parts must have 1 to 255 bytes, and hold neither control characters
    /// nor any of `|`, `<` and `>`, which descriptions use.
    public var isValid: Bool { Self.isValid(type) && Self.isValid(function) }

    private static func isValid(_ part: String) -> Bool {
        part.isName && !part.utf8.contains { "|<>".utf8.contains($0) }
    }
}

extension String {
    /// Whether stored data may have this name of a function, argument or type: 1 to `HandlerLimits.nameBytes` bytes
    /// without control characters, because errors and logs show names.
    var isName: Bool {
        (1...HandlerLimits.nameBytes).contains(utf8.count)
            && unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

extension HandlerName: CustomStringConvertible, ExpressibleByStringLiteral {
    /// Splits at the first bar. A text without one gives a name without a type, which no registry accepts.
    public init(_ text: String) {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            self.init(type: String(parts[0]), function: String(parts[1]))
        } else {
            self.init(type: "", function: text)
        }
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// `Type|function`.
    public var description: String { "\(type)|\(function)" }
}
