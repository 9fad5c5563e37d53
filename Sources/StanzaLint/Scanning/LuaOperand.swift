// Lua: whether the receiver of `find` is a string. The linter does not know types; the text of the receiver decides.

/// The operand that a Lua source has read last, and the operands around it.
struct LuaOperand {
    private struct Operand {
        /// Whether it is a string for sure.
        var isText = false
        /// Whether a call of it returns a string.
        var returnsText = false
        /// Whether its members are strings.
        var hasTexts = false
    }

    private struct Bracket {
        let byte: UInt8
        /// The operand that the bracket calls or indexes; `nil` if it begins an operand.
        let operand: Operand?
        /// Whether the brackets contain a concatenation, which makes a string.
        var isConcatenation = false
    }

    /// Functions and methods of Lua and Prosody that return a string.
    private static let functions: Set = [
        "char", "concat", "format", "getenv", "gsub", "lower", "read", "rep", "reverse", "sub", "tostring", "type",
        "upper", "get_child_attr", "get_child_text", "get_text", "pretty_print", "top_tag",
    ]

    /// The words that precede an operand and are none.
    private static let keywords: Set = [
        "and", "break", "do", "else", "elseif", "end", "for", "function", "goto", "if", "in", "local", "not", "or",
        "repeat", "return", "then", "until", "while",
    ]

    private var open: [Bracket] = []
    private var last: Operand?

    /// Whether the last operand is a string for sure.
    var isText: Bool { last?.isText ?? false }

    mutating func passLiteral() {
        // After an operand, the literal is the argument of a call.
        last = Operand(isText: last?.returnsText ?? true)
    }

    /// Passes a name.
    ///
    /// - Parameter before: The last byte before it that is not white space.
    mutating func pass(_ name: String, after before: UInt8?) {
        if Self.keywords.contains(name) {
            last = nil
        } else {
            let isMember = before == UInt8(ascii: ".") && last?.hasTexts == true
            last = Operand(isText: isMember, returnsText: Self.functions.contains(name), hasTexts: name == "attr")
        }
    }

    /// Passes a byte outside literals, names and comments.
    ///
    /// - Parameter before: The last byte before it that is not white space.
    mutating func pass(_ byte: UInt8, after before: UInt8?) {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            open.append(Bracket(byte: byte, operand: last))
            last = nil
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard let bracket = open.popLast() else { return }
            let isText =
                switch (bracket.byte, bracket.operand) {
                case (UInt8(ascii: "("), nil): isText || bracket.isConcatenation
                case (UInt8(ascii: "("), let function?): function.returnsText
                case (UInt8(ascii: "["), let table?): table.hasTexts
                default: false
                }
            last = Operand(isText: isText)
        case UInt8(ascii: "."):
            guard before == byte else { return }
            if !open.isEmpty { open[open.count - 1].isConcatenation = true }
            last = nil
        case UInt8(ascii: ":"): break
        case _ where SourceCursor.isSpace(byte): break
        default: last = nil
        }
    }
}
