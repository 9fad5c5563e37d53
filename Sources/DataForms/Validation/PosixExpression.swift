// POSIX extended regular expressions (XEP-0122 §3.2.4), translated for PCRE2.
//
//      expression  := branch ('|' branch)*
//      branch      := (atom repetition?)*
//      atom        := '(' expression ')' | '[' … ']' | '.' | '^' | '$' | '\' character | character
//      repetition  := '*' | '+' | '?' | '{' digits (',' digits?)? '}'
//
// The translation rejects constructs that POSIX leaves undefined, unless all dialects agree: `\d`, `\w` and `\s`, `\n`,
// `\r` and `\t` have their usual meaning. A brace before other characters than a repetition's is text. PCRE2's own
// constructs cannot be written: every character that is special to PCRE2 is either translated or escaped. Brackets are
// in PosixExpression+Brackets.swift.

/// Translates one pattern.
struct PosixExpression {
    var rest: Substring.UnicodeScalarView
    /// The pattern for PCRE2.
    var output: String.UnicodeScalarView = String().unicodeScalars
    private var depth = 0

    /// The reason why a pattern was refused.
    struct Fault: Error, Hashable {
        let message: String

        init(_ message: String) {
            self.message = message
        }
    }

    /// The maximum length of a pattern, in bytes. No real validation needs more than a kilobyte.
    static let maximumLength = 1024

    /// The maximum count of a repetition. POSIX requires 255; more costs only memory.
    static let maximumRepetition = 1023

    /// The maximum depth of groups in groups.
    static let maximumDepth = 32

    private init(_ pattern: String) {
        rest = Substring(pattern).unicodeScalars
    }

    /// Translates `pattern` to a pattern for PCRE2 that matches the same whole values.
    static func translate(_ pattern: String) throws(Fault) -> String {
        if pattern.utf8.count > maximumLength { throw Fault("it is longer than \(maximumLength) bytes") }
        var expression = PosixExpression(pattern)
        try expression.expression()
        if !expression.rest.isEmpty { throw Fault("a ')' closes nothing") }
        return "\\A(?:" + String(expression.output) + ")\\z"
    }

    private mutating func expression() throws(Fault) {
        var mayRepeat = false
        while let scalar = rest.first, scalar != ")" {
            rest.removeFirst()
            switch scalar {
            case "|":
                output.append("|")
                mayRepeat = false
            case "*", "+", "?":
                if !mayRepeat { throw Fault("'\(scalar)' has nothing to repeat") }
                output.append(scalar)
                mayRepeat = false
            case "{" where rest.first.map(Self.isDigit) == true:
                if !mayRepeat { throw Fault("'{' has nothing to repeat") }
                try bounds()
                mayRepeat = false
            case "{" where rest.drop(while: Self.isBlank).first.map { $0 == "," || Self.isDigit($0) } == true:
                throw Fault(
                    "'{' before a comma or a space means different things to different programs: write '{0,' for a "
                        + "repetition, or '\\{' for the character")
            default:
                try atom(scalar)
                mayRepeat = scalar != "^"
            }
        }
    }

    private mutating func atom(_ scalar: Unicode.Scalar) throws(Fault) {
        switch scalar {
        case "(":
            depth += 1
            if depth > Self.maximumDepth { throw Fault("groups are nested more than \(Self.maximumDepth) deep") }
            output.append(contentsOf: "(?:".unicodeScalars)
            try expression()
            if rest.popFirst() != ")" { throw Fault("a '(' is not closed") }
            output.append(")")
            depth -= 1
        case "[": try bracket()
        case ".", "^", "$": output.append(scalar)
        case "\\":
            guard let escaped = rest.popFirst() else { throw Fault("a backslash at the end escapes nothing") }
            if "dDsSwWnrt".unicodeScalars.contains(escaped) {
                output.append("\\")
                output.append(escaped)
            } else if escaped.isASCII, escaped.properties.isAlphabetic || Self.isDigit(escaped) {
                throw Fault(
                    "'\\\(escaped)' means different things to different programs: write \(Self.advice(escaped))")
            } else {
                literal(escaped)
            }
        default: literal(scalar)
        }
    }

    /// The suggested replacement of a rejected escape.
    private static func advice(_ escaped: Unicode.Scalar) -> String {
        isDigit(escaped) ? "the group again" : "'\(escaped)' for the letter"
    }

    /// Translates the bounds after a brace: one number, or two, of which the second is optional.
    private mutating func bounds() throws(Fault) {
        let least = try number()
        var most: Int? = least
        if rest.first == "," {
            rest.removeFirst()
            most = rest.first == "}" ? nil : try number()
        }
        guard rest.popFirst() == "}" else { throw Fault("a '{' is not closed") }
        if let most, most < least { throw Fault("the bounds {\(least),\(most)} are reversed") }
        output.append(contentsOf: "{\(least),\(most.map(String.init) ?? "")}".unicodeScalars)
    }

    private mutating func number() throws(Fault) -> Int {
        let digits = rest.prefix(while: Self.isDigit)
        rest = rest.dropFirst(digits.count)
        guard let number = Int(String(digits)), number <= Self.maximumRepetition else {
            throw Fault("a repetition is a number up to \(Self.maximumRepetition)")
        }
        return number
    }

    /// Writes a literal character.
    mutating func literal(_ scalar: Unicode.Scalar) {
        // A backslash makes punctuation literal; no other character is special.
        if scalar.isASCII, !scalar.properties.isAlphabetic, !Self.isDigit(scalar), scalar.value > 0x20,
            scalar.value < 0x7F
        {
            output.append("\\")
        }
        output.append(scalar)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

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
