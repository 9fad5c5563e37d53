// Translates bracket expressions: `[abc]`, `[^a-z]`, `[[:alpha:]]`, `[]-]`. A backslash in them is literal.

extension PosixExpression {
    /// Translates a bracket expression after its opening bracket.
    mutating func bracket() throws(Fault) {
        output.append("[")
        if rest.first == "^" {
            rest.removeFirst()
            output.append("^")
        }
        // A bracket or a hyphen in the first place is literal.
        var isFirst = true
        while true {
            guard let scalar = rest.popFirst() else { throw Fault("a '[' is not closed") }
            if scalar == "]", !isFirst { break }
            isFirst = false
            if scalar == "[", rest.first == ":" {
                try characterClass()
                continue
            }
            let low = try bracketCharacter(scalar)
            literal(low)
            guard rest.first == "-", rest.dropFirst().first != "]", rest.dropFirst().first != nil else { continue }
            rest.removeFirst()
            guard let next = rest.popFirst() else { throw Fault("a '[' is not closed") }
            let high = try bracketCharacter(next)
            if high.value < low.value { throw Fault("the range \(low)-\(high) is reversed") }
            output.append("-")
            literal(high)
        }
        output.append("]")
    }

    /// Returns a character, or one between `[.` and `.]` or `[=` and `=]`.
    private mutating func bracketCharacter(_ scalar: Unicode.Scalar) throws(Fault) -> Unicode.Scalar {
        guard scalar == "[", let mark = rest.first, mark == "." || mark == "=" || mark == ":" else { return scalar }
        rest.removeFirst()
        guard mark != ":", let character = rest.popFirst(), rest.popFirst() == mark, rest.popFirst() == "]" else {
            throw Fault("only single characters are allowed between '[\(mark)' and '\(mark)]'")
        }
        return character
    }

    /// Translates a character class, `[:name:]`.
    private mutating func characterClass() throws(Fault) {
        let name = rest.dropFirst().prefix { $0 != ":" && $0 != "]" }
        rest = rest.dropFirst(1 + name.count)
        guard Self.classes.contains(String(name)), rest.popFirst() == ":", rest.popFirst() == "]" else {
            throw Fault(
                "unknown character class '[:\(String(name)):]'; expected one of: \(Self.classes.joined(separator: ", "))"
            )
        }
        output.append(contentsOf: "[:\(String(name)):]".unicodeScalars)
    }

    private static let classes = [
        "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit",
    ]
}
