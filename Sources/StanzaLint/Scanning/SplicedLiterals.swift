// Literals that the compiler makes strings in `Query(…)`. Next to a `String`, in `flag ? "a<b=\(value)>" : text`, an
// interpolation becomes part of the query.

extension SourceCursor {
    /// The literals with interpolations of a call that are not queries, because another operand next to them is not a
    /// literal.
    mutating func splicedLiterals() -> [SourceLiteral] {
        collectsValues = true
        let wholeEnd = end
        end = min(end, position + Self.maximumArgumentBytes)
        defer {
            collectsValues = false
            end = wholeEnd
        }
        skipSpace()
        guard startsLabel() == nil else { return [] }
        let operands = operands()
        if operands.hasType || !operands.hasOthers { return [] }
        return operands.literals.filter { !$0.slots.isEmpty }
    }

    /// The possible values of an expression.
    private struct Operands {
        var literals: [SourceLiteral] = []
        /// Whether it may be anything but these literals.
        var hasOthers = false
        /// Whether the expression has an explicit type: `as QueryLiteral`.
        var hasType = false

        mutating func append(_ other: Operands) {
            literals += other.literals
            hasOthers = hasOthers || other.hasOthers
            hasType = hasType || other.hasType
        }
    }

    /// Passes an expression up to the comma or bracket after it.
    private mutating func operands() -> Operands {
        var all = Operands()
        // The operands after the last colon: a condition, if a question mark follows.
        var branch = Operands()
        var literal: SourceLiteral?
        var isOther = false
        func endOperand() {
            if isOther { branch.hasOthers = true } else if let literal { branch.literals.append(literal) }
            (literal, isOther) = (nil, false)
        }
        var depth = 0
        scan: while let byte = current {
            if skipComment() { continue }
            if let found = self.literal() {
                if case .literal(let found) = found, literal == nil { literal = found } else { isOther = true }
                continue
            }
            if let name = name() {
                if depth == 0, name == "as" { branch.hasType = true }
                isOther = true
                continue
            }
            let isBehindSpace = position > 0 && Self.isSpace(bytes[position - 1])
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                isOther = true
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { break scan }
                depth -= 1
            case _ where depth > 0 || Self.isSpace(byte): break
            case UInt8(ascii: ","): break scan
            case UInt8(ascii: "?") where self.byte(at: 1) == byte:
                endOperand()
                position += 1
            case UInt8(ascii: "?") where isBehindSpace:
                branch = Operands()
                (literal, isOther) = (nil, false)
            case UInt8(ascii: ":"):
                endOperand()
                all.append(branch)
                branch = Operands()
            case UInt8(ascii: "+"):
                endOperand()
                branch.hasOthers = true
            default: isOther = true
            }
            position += 1
        }
        endOperand()
        all.append(branch)
        return all
    }
}
