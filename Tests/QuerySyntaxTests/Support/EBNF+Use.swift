// What a grammar is good for in tests: recognising a text, saying how far one could go on, and making sentences.

extension EBNF {
    /// How a text relates to the language.
    struct Match {
        /// Whether the text is a sentence.
        let isSentence: Bool
        /// The UTF-8 length of the longest prefix of the text that is a prefix of some sentence.
        let viableLength: Int
    }

    func match(_ text: String) -> Match {
        let scalars = Array(text.unicodeScalars)
        var matcher = Matcher(rules: rules, scalars: scalars)
        let isSentence = matcher.ends(of: .rule(start), from: 0).contains(scalars.count)
        var viable = String.UnicodeScalarView()
        viable.append(contentsOf: scalars[..<matcher.furthest])
        return Match(isSentence: isSentence, viableLength: String(viable).utf8.count)
    }

    /// All ways at once: from one place to every place where an expression can end. Every expression of the grammar can
    /// be completed, so the furthest character that any way has passed ends the longest viable prefix.
    private struct Matcher {
        let rules: [String: Expression]
        let scalars: [Unicode.Scalar]
        var furthest = 0
        private var known: [String: [Int: Set<Int>]] = [:]

        init(rules: [String: Expression], scalars: [Unicode.Scalar]) {
            self.rules = rules
            self.scalars = scalars
        }

        mutating func ends(of expression: Expression, from start: Int) -> Set<Int> {
            switch expression {
            case .text(let wanted):
                var place = start
                for scalar in wanted {
                    guard place < scalars.count, scalars[place] == scalar else { return [] }
                    place += 1
                    furthest = max(furthest, place)
                }
                return [place]
            case .set(let set):
                guard start < scalars.count, set.contains(scalars[start]) else { return [] }
                furthest = max(furthest, start + 1)
                return [start + 1]
            case .difference(let included, let excluded):
                // The excluded character must not count as passed.
                let before = furthest
                let isExcluded = !ends(of: excluded, from: start).isEmpty
                furthest = before
                return isExcluded ? [] : ends(of: included, from: start)
            case .rule(let name):
                if let ends = known[name]?[start] { return ends }
                guard let rule = rules[name] else { return [] }
                let found = ends(of: rule, from: start)
                known[name, default: [:]][start] = found
                return found
            case .choice(let alternatives):
                return alternatives.reduce(into: []) { $0.formUnion(ends(of: $1, from: start)) }
            case .sequence(let parts):
                return parts.reduce([start]) { places, part in
                    places.reduce(into: []) { $0.formUnion(ends(of: part, from: $1)) }
                }
            case .repeated(let part, let least, let isEndless):
                var all: Set<Int> = least == 0 ? [start] : []
                var fresh: Set<Int> = [start]
                repeat {
                    let next = fresh.reduce(into: Set<Int>()) { $0.formUnion(ends(of: part, from: $1)) }
                    fresh = next.subtracting(all)
                    all.formUnion(next)
                } while isEndless && !fresh.isEmpty
                return all
            }
        }
    }

    // MARK: Sentences

    /// A random sentence. Tails of paths end more and more probably.
    func sentence(using random: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        derive(.rule(start), into: &text, depth: 0, using: &random)
        return String(text)
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
