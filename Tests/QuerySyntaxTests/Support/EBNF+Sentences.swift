// Random sentences of a grammar.

import TestSupport

extension EBNF {
    /// A random sentence. Tails of paths end more and more probably.
    func sentence(using random: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        derive(.rule(start), into: &text, depth: 0, using: &random)
        return String(text)
    }

    /// Random sentences of a rule that together use all that it writes out: each alternative, each range of characters,
    /// and each part that may be left out or be repeated, left out, once and twice.
    func sentences(ofAllPartsOf rule: String, using random: inout SeededGenerator) -> [String] {
        guard let expression = rules[rule] else { return [] }
        return Self.alternatives(of: expression).map { alternative in
            var text = String.UnicodeScalarView()
            // Deep enough to leave out the optional parts.
            derive(alternative, into: &text, depth: 2, using: &random)
            return String(text)
        }
    }

    /// An expression for each part of one, which is chosen there.
    private static func alternatives(of expression: Expression) -> [Expression] {
        switch expression {
        case .text, .rule, .difference: return [expression]
        case .set(let set):
            if set.isNegated { return [expression] }
            return set.ranges.map { .set(CharacterRanges(ranges: [$0], isNegated: false)) }
        case .choice(let choices): return choices.flatMap { alternatives(of: $0) }
        case .sequence(let parts):
            let changed = parts.enumerated().flatMap { index, part -> [Expression] in
                let choices = alternatives(of: part)
                if choices.count == 1 { return [] }
                return choices.map { choice in
                    var chosen = parts
                    chosen[index] = choice
                    return .sequence(chosen)
                }
            }
            return changed.isEmpty ? [expression] : changed
        case .repeated(let part, let least, let isEndless):
            let none: [Expression] = least == 0 ? [.sequence([])] : []
            return none + alternatives(of: part) + (isEndless ? [.sequence([part, part])] : [])
        }
    }

    private func derive(
        _ expression: Expression,
        into text: inout String.UnicodeScalarView,
        depth: Int,
        using random: inout SeededGenerator
    ) {
        switch expression {
        case .text(let scalars):
            text.append(contentsOf: scalars)
        case .set(let set):
            text.append(pick(from: set, using: &random))
        case .difference(let included, let excluded):
            // Names are all that is written so.
            while true {
                var candidate = String.UnicodeScalarView()
                derive(included, into: &candidate, depth: depth + 1, using: &random)
                var matcher = Matcher(rules: rules, scalars: Array(candidate))
                guard matcher.ends(of: excluded, from: 0).isEmpty else { continue }
                text.append(contentsOf: candidate)
                return
            }
        case .rule(let name):
            if let rule = rules[name] { derive(rule, into: &text, depth: depth + 1, using: &random) }
        case .choice(let alternatives):
            guard let choice = alternatives.randomElement(using: &random) else { return }
            derive(choice, into: &text, depth: depth, using: &random)
        case .sequence(let parts):
            for part in parts { derive(part, into: &text, depth: depth, using: &random) }
        case .repeated(let part, let least, let isEndless):
            // The whole query is optional, too: without this half of the sentences would be empty.
            let most = depth > 30 ? least : isEndless ? least + 2 : 1
            for _ in 0..<Int.random(in: (depth < 2 ? 1 : least)...max(least, most), using: &random) {
                derive(part, into: &text, depth: depth, using: &random)
            }
        }
    }

    private func pick(from set: CharacterRanges, using random: inout SeededGenerator) -> Unicode.Scalar {
        if set.isNegated {
            let alphabet = "ab%d/<=~@#$\\|{}[]*!.&> ü名\n".unicodeScalars.filter(set.contains)
            return alphabet.randomElement(using: &random) ?? "a"
        }
        let range = set.ranges.randomElement(using: &random) ?? 97...97
        return Unicode.Scalar(UInt32.random(in: range, using: &random)) ?? "a"
    }
}
