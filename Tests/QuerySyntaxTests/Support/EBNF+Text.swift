// Expressions of a grammar in its own notation, for messages.

extension EBNF.Expression {
    var text: String {
        switch self {
        case .text(let scalars): "'\(scalars.map(EBNF.text).joined())'"
        case .set(let set): "[\(set.isNegated ? "^" : "")\(set.ranges.map(\.text).joined())]"
        case .difference(let included, let excluded): "\(included.text) - \(excluded.text)"
        case .rule(let name): name
        case .sequence(let items): items.map(\.grouped).joined(separator: " ")
        case .choice(let alternatives): alternatives.map(\.text).joined(separator: " | ")
        case .repeated(let item, let least, let isEndless):
            item.grouped + (isEndless ? least == 0 ? "*" : "+" : "?")
        }
    }

    private var grouped: String {
        switch self {
        case .sequence, .choice, .difference: "( \(text) )"
        default: text
        }
    }
}

extension ClosedRange<UInt32> {
    var text: String {
        let ends = [lowerBound, upperBound].map { Unicode.Scalar($0).map(EBNF.text) ?? "?" }
        return lowerBound == upperBound ? ends[0] : ends.joined(separator: "-")
    }
}

extension EBNF {
    fileprivate static func text(_ scalar: Unicode.Scalar) -> String {
        (0x21..<0x7F).contains(scalar.value) ? String(scalar) : "#x\(String(scalar.value, radix: 16, uppercase: true))"
    }
}
