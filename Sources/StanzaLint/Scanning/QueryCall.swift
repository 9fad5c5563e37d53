// Calls that take a query, as each language writes them.

/// A call with a query.
struct QueryCall {
    /// What is called: `find`, `findFirst`, `check`, `Query` or `query`.
    let name: String
    let literal: SourceLiteral
    /// How many arguments the call gives the query; `nil` where that cannot be seen.
    let argumentCount: Int?

    /// Whether interpolations are its only arguments, as the macro's: specifiers are mistakes.
    var takesOnlySlots: Bool { name == "query" }

    /// All calls in a text, in order.
    static func calls(in text: SourceText, _ language: SourceLanguage) -> [QueryCall] {
        var cursor = SourceCursor(text, language)
        var calls: [QueryCall] = []
        var before: UInt8?
        while let byte = cursor.current {
            if cursor.skipComment() { continue }
            if cursor.literal() != nil {
                before = UInt8(ascii: "\"")
                continue
            }
            if let name = cursor.name() {
                if isCall(name, after: before, language) {
                    let start = cursor.position
                    if let call = call(name, &cursor) {
                        calls.append(call)
                    } else {
                        cursor.position = start
                    }
                }
                before = UInt8(ascii: "a")
                continue
            }
            if byte != 0x20, !(0x09...0x0D).contains(byte) { before = byte }
            cursor.position += 1
        }
        return calls
    }

    private static func isCall(_ name: String, after before: UInt8?, _ language: SourceLanguage) -> Bool {
        switch (language, name) {
        case (.swift, "find"), (.swift, "findFirst"), (.swift, "check"): before == UInt8(ascii: ".")
        case (.swift, "Query"): before != UInt8(ascii: ".")
        case (.swift, "query"): before == UInt8(ascii: "#")
        case (.objectiveC, "find"), (.objectiveC, "findFirst"), (.objectiveC, "check"): true
        case (.lua, "find"): before == UInt8(ascii: ":")
        default: false
        }
    }

    /// Reads what follows the name, up to the end of the query; `nil` if it is not a literal.
    private static func call(_ name: String, _ cursor: inout SourceCursor) -> QueryCall? {
        cursor.skipSpace()
        let isOpen =
            switch cursor.language {
            case .swift, .lua: cursor.skip("(")
            case .objectiveC: cursor.skip(":")
            }
        guard isOpen || cursor.language == .lua, let literal = cursor.wholeLiteral() else { return nil }
        // That is a mistake which the macro tells.
        if name == "query", literal.hasDefaults { return nil }
        // There may be calls among the arguments: who reads on begins with these.
        let end = cursor.position
        defer { cursor.position = end }
        switch cursor.language {
        case .swift:
            guard let count = cursor.arguments(until: ")") else { return nil }
            return QueryCall(
                name: name, literal: literal, argumentCount: name == "Query" || name == "query" ? nil : count.given)
        case .objectiveC:
            guard let count = cursor.arguments(until: "]") else { return nil }
            return QueryCall(name: name, literal: literal, argumentCount: count.given)
        case .lua:
            if LuaSearch.isMeant(by: literal.text) { return nil }
            // Prosody's takes nothing else; a string's takes where to begin.
            if isOpen, cursor.arguments(until: ")")?.total != 0 { return nil }
            return QueryCall(name: name, literal: literal, argumentCount: nil)
        }
    }
}

extension SourceCursor {
    /// A literal with its value; in C, several that follow each other are one.
    fileprivate mutating func wholeLiteral() -> SourceLiteral? {
        collectsValues = true
        defer { collectsValues = false }
        skipSpace()
        guard case .literal(var literal)? = literal() else { return nil }
        while language == .objectiveC {
            let end = position
            skipSpace()
            guard current == UInt8(ascii: "\"") || isAt("@\""), case .literal(let more)? = self.literal() else {
                position = end
                break
            }
            literal.append(more)
        }
        literal.repair()
        return literal
    }

    /// Longer arguments are not looked at, so that calls inside of each other do not cost the square of their number.
    private static var maximumArgumentBytes: Int { 1 << 12 }

    /// Counts what follows the query up to the closing bracket; `nil` if the query is only a part of its argument.
    ///
    /// - Returns: how many arguments there are, and how many of them are the query's, if that can be seen.
    fileprivate mutating func arguments(until closing: Character) -> (total: Int, given: Int?)? {
        guard let closing = closing.asciiValue else { return nil }
        skipSpace()
        guard current == closing || current == UInt8(ascii: ",") else { return nil }
        var total = 0
        var given: Int? = 0
        var depth = 0
        let wholeEnd = end
        end = min(end, position + Self.maximumArgumentBytes)
        defer { end = wholeEnd }
        while let byte = current {
            if depth == 0, byte == closing { return (total, given) }
            if skipComment() || literal() != nil { continue }
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "<") where depth == 0 && language == .swift && isBehindName:
                // Between types there may be commas, too.
                given = nil
            case UInt8(ascii: ",") where depth == 0:
                position += 1
                skipSpace()
                // A comma may stand behind the last argument.
                if current == closing { continue }
                total += 1
                switch language == .swift ? startsLabel() : nil {
                case nil: given? += 1
                case "as", "options": break
                default: given = nil
                }
                continue
            default: break
            }
            if depth < 0 { return nil }
            position += 1
        }
        return nil
    }
}
