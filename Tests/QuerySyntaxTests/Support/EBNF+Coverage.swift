// Which parts of a grammar some texts use.

/// Counts, text by text.
struct GrammarCoverage: Sendable {
    /// A rule, an alternative of it, a range of its characters, or a number of repetitions: all that a text can use or
    /// leave unused.
    struct Part: Hashable, Comparable {
        let rule: String
        /// The way from the rule's expression down to this part.
        let path: [Int]

        static func < (left: Part, right: Part) -> Bool {
            left.rule != right.rule ? left.rule < right.rule : left.path.lexicographicallyPrecedes(right.path)
        }
    }

    let grammar: EBNF
    /// All parts, with their text.
    private(set) var parts: [Part: String] = [:]
    private(set) var used: Set<Part> = []
    /// The parts that no text has used so far.
    var unused: [Part] { parts.keys.filter { !used.contains($0) }.sorted() }

    init(of grammar: EBNF) {
        self.grammar = grammar
        for (name, rule) in grammar.rules { list(rule, Part(rule: name, path: [])) }
    }

    private mutating func list(_ expression: EBNF.Expression, _ part: Part) {
        if part.path.isEmpty { parts[part] = expression.text }
        switch expression {
        case .text, .rule: break
        case .set(let set):
            guard set.isList else { break }
            for (index, range) in set.ranges.enumerated() { parts[part.inner(index)] = range.text }
        case .difference(let included, _): list(included, part.inner(0))
        case .sequence(let items):
            for (index, item) in items.enumerated() { list(item, part.inner(index)) }
        case .choice(let alternatives):
            for (index, alternative) in alternatives.enumerated() {
                parts[part.inner(index)] = alternative.text
                list(alternative, part.inner(index))
            }
        case .repeated(let item, let least, let isEndless):
            if least == 0 { parts[part.none] = "\(expression.text), left out" }
            parts[part.once] = expression.text
            if isEndless { parts[part.several] = "\(expression.text), several times" }
            list(item, part.inner(0))
        }
    }

    /// - Returns: Whether the text is a sentence. If it is, the parts that it uses count from now on.
    mutating func accept(_ text: String) -> Bool {
        var derivation = Derivation(
            matcher: EBNF.Matcher(rules: grammar.rules, scalars: Array(text.unicodeScalars)))
        let end = derivation.matcher.scalars.count
        guard derivation.matcher.ends(of: .rule(grammar.start), from: 0).contains(end) else { return false }
        derivation.record(rule: grammar.start, from: 0, to: end)
        used.formUnion(derivation.used)
        return true
    }

    /// Goes over every derivation of a sentence.
    private struct Derivation {
        private struct Visit: Hashable {
            let rule: String
            let start: Int
            let end: Int
        }

        var matcher: EBNF.Matcher
        private(set) var used: Set<Part> = []
        private var visited: Set<Visit> = []

        init(matcher: EBNF.Matcher) { self.matcher = matcher }

        mutating func record(rule name: String, from start: Int, to end: Int) {
            guard visited.insert(Visit(rule: name, start: start, end: end)).inserted, let rule = matcher.rules[name]
            else { return }
            let part = Part(rule: name, path: [])
            used.insert(part)
            record(rule, part, from: start, to: end)
        }

        /// Records the parts that the expression uses; it is known to lead from one place to the other.
        private mutating func record(_ expression: EBNF.Expression, _ part: Part, from start: Int, to end: Int) {
            switch expression {
            case .text: break
            case .rule(let name): record(rule: name, from: start, to: end)
            case .set(let set):
                guard set.isList else { break }
                for (index, range) in set.ranges.enumerated() where range.contains(matcher.scalars[start].value) {
                    used.insert(part.inner(index))
                }
            case .difference(let included, _): record(included, part.inner(0), from: start, to: end)
            case .choice(let alternatives):
                for (index, alternative) in alternatives.enumerated()
                where matcher.ends(of: alternative, from: start).contains(end) {
                    used.insert(part.inner(index))
                    record(alternative, part.inner(index), from: start, to: end)
                }
            case .sequence(let items): record(items[...], part, from: start, to: end)
            case .repeated(let item, let least, let isEndless):
                if start == end, least == 0 { return _ = used.insert(part.none) }
                used.insert(part.once)
                guard isEndless else { return record(item, part.inner(0), from: start, to: end) }
                recordRepetitions(of: item, part, from: start, to: end)
            }
        }

        private mutating func record(_ items: ArraySlice<EBNF.Expression>, _ part: Part, from start: Int, to end: Int) {
            guard let item = items.first else { return }
            let rest = EBNF.Expression.sequence(Array(items.dropFirst()))
            for place in matcher.ends(of: item, from: start) where matcher.ends(of: rest, from: place).contains(end) {
                record(item, part.inner(items.startIndex), from: start, to: place)
                record(items.dropFirst(), part, from: place, to: end)
            }
        }

        private mutating func recordRepetitions(
            of item: EBNF.Expression, _ part: Part, from start: Int, to end: Int
        ) {
            let all = EBNF.Expression.repeated(item, from: 0, isEndless: true)
            for place in matcher.ends(of: all, from: start) where matcher.ends(of: all, from: place).contains(end) {
                for next in matcher.ends(of: item, from: place)
                where next > place && matcher.ends(of: all, from: next).contains(end) {
                    if place > start { used.insert(part.several) }
                    record(item, part.inner(0), from: place, to: next)
                }
            }
        }
    }
}

extension EBNF.CharacterRanges {
    /// Whether its ranges are separate alternatives.
    fileprivate var isList: Bool { !isNegated && ranges.count > 1 }
}

extension GrammarCoverage.Part {
    fileprivate func inner(_ index: Int) -> Self { Self(rule: rule, path: path + [index]) }
    /// How often something is repeated. Numbers that no index has.
    fileprivate var none: Self { inner(-1) }
    fileprivate var once: Self { inner(-2) }
    fileprivate var several: Self { inner(-3) }
}
