// Recognizes texts by a grammar, and reports how far a match could continue.

extension EBNF {
    /// How a text relates to the language.
    struct Match {
        /// Whether the text is a sentence.
        let isSentence: Bool
        /// The UTF-8 length of the longest prefix of the text that is a prefix of some sentence.
        let viableLength: Int
    }

    func match(_ text: String) -> Match {
        var matcher = Matcher(rules: rules, scalars: Array(text.unicodeScalars))
        let isSentence = matcher.ends(of: .rule(start), from: 0).contains(matcher.scalars.count)
        var viable = String.UnicodeScalarView()
        viable.append(contentsOf: matcher.scalars[..<matcher.furthest])
        return Match(isSentence: isSentence, viableLength: String(viable).utf8.count)
    }

    /// All ways at once: from one place to every place where an expression can end. Every expression of the grammar can
    /// be completed, so the furthest character that any way has passed ends the longest viable prefix.
    struct Matcher {
        /// The result of trying a rule at a place.
        private struct Trial {
            let ends: Set<Int>
            /// The place after the last character that the rule has passed, even if the rule did not end there.
            let reached: Int
        }

        let rules: [String: Expression]
        let scalars: [Unicode.Scalar]
        private(set) var furthest = 0
        /// By rule and place.
        private var trials: [String: [Int: Trial]] = [:]

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
                return ends(ofRule: name, from: start)
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

        private mutating func ends(ofRule name: String, from start: Int) -> Set<Int> {
            guard let rule = rules[name] else { return [] }
            let trial: Trial
            if let known = trials[name]?[start] {
                trial = known
            } else {
                let before = furthest
                furthest = start
                trial = Trial(ends: ends(of: rule, from: start), reached: furthest)
                furthest = before
                trials[name, default: [:]][start] = trial
            }
            furthest = max(furthest, trial.reached)
            return trial.ends
        }
    }
}
