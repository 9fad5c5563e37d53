// What an obstacle is, in words, and the queries that may have been meant.
//
// A repair is a guess, and may find nothing or not even compile: NearMiss.swift runs each.

import QuerySyntax
import StanzaQuery
import XMLTree

extension Obstacle {
    /// A reason, and queries to try, the likeliest first, each with the reason if it is the right one.
    struct Finding {
        let reason: String
        let repairs: [(query: String, reason: String?)]

        init(reason: String, repairs: [(query: String, reason: String?)]) {
            (self.reason, self.repairs) = (reason, repairs)
        }

        init(reason: String, repairs: [String] = []) {
            self.init(reason: reason, repairs: repairs.map { ($0, nil) })
        }
    }

    /// A name rarely occurs in more namespaces.
    private static let mostNamespaces = 8

    var finding: Finding {
        switch step.op {
        case .child: missingChild
        case .own: otherRoot
        case .filter: value
        case .yield: result
        case .not: Finding(reason: "every element in that namespace has the name that `\(shown)` excludes")
        case .leave, .ascend: Finding(reason: "no element passes `\(shown)`")
        }
    }

    // MARK: Elements

    private var missingChild: Finding {
        guard let name = wanted?.local else {
            return Finding(
                reason: names.ranked.isEmpty
                    ? "no children in \(shownPlaces)" : "no child of \(shownPlaces) is in the namespace of `\(shown)`")
        }
        // A form query has no name of its own, and perhaps filters.
        if program.text(in: program.place(of: address).range).utf8.first.map({ $0 == UInt8(ascii: "<") }) ?? true {
            return Finding(reason: "no data form in \(shownPlaces)")
        }
        if address == 0, !isRooted, elements.contains(where: { $0.isNamed(name) }) {
            return Finding(reason: "`\(name)` is the stanza itself", repairs: ["/" + source])
        }
        if let finding = otherNamespace(of: name) ?? prefixed(name) ?? attribute(name) ?? deeper(name) {
            return finding
        }
        let others = names.ranked
        if let similar = others.first(where: { Self.resembles($0.key.local, name) })?.key {
            return Finding(
                reason: "no `\(name)` in \(shownPlaces), but `\(similar.local)`",
                repairs: [replacing(head, with: similar.local), replacing(head, with: spelled(similar))])
        }
        let list = Self.list(others.prefix(40).map(\.key.local))
        return Finding(
            reason: "no `\(Self.shown(name))` in \(shownPlaces)"
                + (list.isEmpty ? ", which has no children" : ", only " + list))
    }

    private var otherRoot: Finding {
        guard let name = wanted?.local else {
            let namespace = places.ranked.first?.key.namespace
            return Finding(reason: "\(shownPlaces) is in \(Self.shown(namespace: namespace))")
        }
        if let finding = otherNamespace(of: name) ?? prefixed(name) { return finding }
        if elements.contains(where: { $0.children.contains { $0.isNamed(name) } }), source.first == "/" {
            return Finding(
                reason: "`\(Self.shown(name))` is in the stanza, and not the stanza itself",
                repairs: [String(source.dropFirst())])
        }
        let roots = places.ranked.map(\.key.local)
        let similar = roots.first { Self.resembles($0, name) }
        let deeper = similar == nil && source.first == "/" ? firstPath(to: name) : nil
        return Finding(
            reason: "no stanza is `\(Self.shown(name))`, only " + Self.list(roots),
            repairs: similar.map { [replacing(head, with: $0)] }
                ?? deeper.map { [replacing(0..<head.upperBound, with: $0.path)] } ?? [])
    }

    /// The same name in other namespaces.
    private func otherNamespace(of name: String) -> Finding? {
        let here = (step.op == .own ? places : names).ranked.filter { $0.key.local.utf8.elementsEqual(name.utf8) }
        guard let first = here.first else { return nil }
        let asked =
            wanted.flatMap { $0.prefix.hasPrefix("{") ? $0.prefix.dropFirst().dropLast() : nil }.map(String.init)
            ?? places.ranked.first?.key.namespace
        func reason(_ key: QualifiedName, _ count: Int) -> String {
            "no `\(Self.shown(name))` in \(Self.shown(namespace: asked, braces: false)); "
                + "\(count) in \(Self.shown(namespace: key.namespace))"
        }
        return Finding(
            reason: reason(first.key, first.count),
            repairs: here.prefix(Self.mostNamespaces).map { key, count in
                (replacing(head, with: spelled(key)), reason(key, count))
            })
    }

    /// A name after a prefix, as XPath has it.
    private func prefixed(_ name: String) -> Finding? {
        guard let colon = name.lastIndex(of: ":") else { return nil }
        let local = name[name.index(after: colon)...]
        let here = (step.op == .own ? places : names).ranked.filter { $0.key.local.utf8.elementsEqual(local.utf8) }
        guard let first = here.first else { return nil }
        return Finding(
            reason: "a prefix has no meaning here, and `\(Self.shown(String(local)))` is in "
                + Self.shown(namespace: first.key.namespace),
            repairs: here.prefix(3).map { replacing(head, with: spelled($0.key)) })
    }

    /// A name of an attribute in the place of an element.
    private func attribute(_ name: String) -> Finding? {
        guard elements.contains(where: { $0[name] != nil }) else { return nil }
        let isLast = address == program.stepCount - 2 && program.steps[address + 1].result == .element
        let start = max(0, head.lowerBound - (source.utf8.first == UInt8(ascii: "/") || address > 0 ? 1 : 0))
        let repair = (address == 0 ? "/" : "") + "@" + name
        return Finding(
            reason: "`\(name)` is an attribute, not an element",
            repairs: isLast ? [replacing(start..<head.upperBound, with: repair)] : [])
    }

    /// The name further down.
    private func deeper(_ name: String) -> Finding? {
        guard let (path, element) = firstPath(to: name) else { return nil }
        return Finding(
            reason: "`\(Self.shown(name))` is deeper, in `\(Self.shown(element.parent?.name ?? ""))`",
            repairs: [replacing(head, with: path)])
    }

    /// The first element with a name below the places, and its path from there.
    private func firstPath(to name: String) -> (path: String, element: Element)? {
        for place in elements {
            if let path = Self.path(from: place, to: name) {
                return (path.map(step(to:)).joined(separator: "/"), path[path.count - 1])
            }
        }
        return nil
    }

    // MARK: Attributes

    private var value: Finding {
        guard let wanted else { return Finding(reason: "no element passes `\(shown)`") }
        let name = Self.shown(wanted.local)
        let found = values.ranked
        let range = program.place(of: address).range
        if found.isEmpty {
            return missingAttribute(wanted.local, at: range, isFilter: true)
        }
        let list = found.prefix(2).map { "\(Self.quoted($0.key)) in \($0.count)" }.joined(separator: ", ")
        let isPattern = program.text(in: range).utf8.dropFirst(head.count).first == UInt8(ascii: "~")
        let text = String(program.text(in: program.place(of: address).rest).dropLast())
        let repairs = isPattern ? [] : otherValues(text, found.map(\.key)).map { replacing(range, with: $0) }
        return Finding(
            reason: "`\(name)` is \(list), \(isPattern ? "and never matches" : "never") \(Self.quoted(text))",
            repairs: repairs)
    }

    /// Filters with another value: without quotes and signs of other languages, in another case, or of alternatives.
    private func otherValues(_ text: String, _ values: [String]) -> [String] {
        guard let name = wanted.map({ $0.prefix + $0.local }) else { return [] }
        let marks = Set("='\" ")
        func bare(_ text: some StringProtocol) -> String {
            String(String(text.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }).reversed())
        }
        var repairs: [String] = []
        let one = bare(text)
        if one != text { repairs.append("<\(name)=\(one)>") }
        // Other characters may mean something in a pattern.
        let isPlain = !text.contains { "^$.+?()[]{}\\".contains($0) }
        let isChoice = text.contains("|") || text.contains(" or ")
        let isConjunction = text.contains("&") || text.contains(" and ")
        let parts = [" or ", " and ", "|", "&"].reduce(text) { $0.replacing($1, with: ",") }.split(separator: ",")
        // Each part after the first is a value, or a condition of its own.
        let conditions = parts.dropFirst().compactMap { part -> (name: String, sign: Character, value: String)? in
            guard let sign = part.firstIndex(where: { "=~".contains($0) }) else { return nil }
            let value = bare(part[sign...].drop { "=~".contains($0) })
            return (String(bare(part[..<sign]).drop { $0 == "@" }), part[sign], value)
        }
        if isConjunction || conditions.contains(where: { $0.name != name || $0.sign == "~" }) {
            if !isChoice, conditions.count == parts.count - 1 {
                let all = [(name: name, sign: "=", value: bare(parts[0]))] + conditions
                repairs.append(all.map { "<\($0.name)\($0.sign)\($0.value)>" }.joined())
            }
        } else if parts.count > 1, isPlain {
            let values = conditions.isEmpty ? parts.map(bare) : [bare(parts[0])] + conditions.map(\.value)
            repairs.append("<\(name)~^(\(values.joined(separator: "|")))$>")
        }
        if text.contains("*"), isPlain { repairs.append("<\(name)~^\(text.replacing("*", with: ".*"))$>") }
        repairs += values.filter { Self.resembles($0, text) }.prefix(2)
            .map { "<\(name)=\($0.replacing("%", with: "%%"))>" }
        // An address without its resource.
        if values.contains(where: { $0.utf8.starts(with: (text + "/").utf8) }),
            !text.contains(where: { "^$+?()[]{}\\|*%".contains($0) })
        {
            repairs.append("<\(name)~^\(text.replacing(".", with: "\\."))/>")
        }
        return repairs
    }

    /// An attribute that no element has at this place.
    private func missingAttribute(_ name: String, at range: SourceRange, isFilter: Bool) -> Finding {
        let shown = Self.shown(name)
        if let child = elements.lazy.flatMap(\.children).first(where: { $0.isNamed(name) }) {
            let isLast = isFilter ? isLastStep : true
            // The query reads that child next.
            let rest = String(decoding: source.utf8.dropFirst(range.upperBound), as: UTF8.self)
            return Finding(
                reason: "`\(shown)` is an element, "
                    + (isFilter ? "and a filter tests only attributes, no texts" : "not an attribute"),
                repairs: isLast
                    ? [replacing(range, with: "/" + step(to: child) + (isFilter ? "" : "#"))]
                    : rest.hasPrefix("/" + step(to: child)) ? [replacing(range, with: "")] : [])
        }
        if !isRooted, isInStanza, elements.contains(where: { $0.parent?[name] != nil }) {
            let rest = replacing(range, with: "")
            let filtered = ["/" + source, "/" + program.text(in: range) + "/" + rest]
            let repairs = isFilter ? filtered : [replacing(0..<range.lowerBound, with: "/")]
            return Finding(reason: "`\(shown)` is an attribute of the stanza itself", repairs: repairs)
        }
        let others = Set(elements.flatMap { $0.attributes.map(\.name) }).sorted()
        if let similar = others.first(where: { Self.resembles($0, name) }) {
            return Finding(
                reason: "no `\(shown)` in \(shownPlaces), but `\(Self.shown(similar))`",
                repairs: [replacing(head.lowerBound + 1..<head.upperBound, with: similar)])
        }
        let list = Self.list(others)
        return Finding(
            reason: "\(shownPlaces) has no attribute `\(shown)`" + (list.isEmpty ? ", and no other" : ", only " + list))
    }

    // MARK: Results

    private var result: Finding {
        let range = program.place(of: address).range
        switch step.result {
        case .attribute:
            guard let wanted else { return Finding(reason: "no element has `\(shown)`") }
            if let value = values.ranked.first?.key, let conversion = step.conversion {
                return Finding(
                    reason: "\(Self.quoted(value)) does not convert to \(conversion.rawValue)",
                    repairs: [withoutConversion])
            }
            return missingAttribute(wanted.local, at: range, isFilter: false)
        case .text:
            if let conversion = step.conversion, let text = elements.lazy.compactMap(\.text).first {
                return Finding(
                    reason: "\(Self.quoted(text)) does not convert to \(conversion.rawValue)",
                    repairs: [withoutConversion])
            }
            guard let child = elements.lazy.flatMap(\.children).first(where: { $0.text != nil }) else {
                return Finding(reason: "\(shownPlaces) has no text")
            }
            return Finding(
                reason: "\(shownPlaces) has no text, but `\(Self.shown(child.name))` in it has",
                repairs: [replacing(range.lowerBound..<range.lowerBound, with: "/" + step(to: child))])
        case .form, .field, .description:
            let fields = Self.list(
                elements.flatMap { $0.children.filter { $0.isNamed("field") }.compactMap { $0["var"] } })
            return Finding(
                reason: "\(shownPlaces) is not a data form that fits `\(shown)`"
                    + (fields.isEmpty ? "" : "; its fields are " + fields))
        default: return Finding(reason: "no element passes `\(shown)`")
        }
    }

    // MARK: The query's text

    private var source: String { program.source }
    private var head: SourceRange { program.place(of: address).head }
    private var isRooted: Bool { ParsedQuery(parsing: source).tree.isRooted }
    private var shown: String { Self.shown(program.text(in: program.place(of: address).range)) }

    /// Whether only the result follows the filter.
    private var isLastStep: Bool {
        address == program.stepCount - 2 && program.steps[address + 1].result == .element
    }

    /// Whether the step is on a child of the stanza.
    private var isInStanza: Bool { program.steps.prefix(address).filter(\.op.moves).count == 1 }

    private var withoutConversion: String {
        let bar = program.place(of: address).head.upperBound
        return replacing(bar..<program.place(of: address).range.upperBound, with: "")
    }

    private func replacing(_ range: SourceRange, with text: String) -> String {
        let bytes = source.utf8
        return String(decoding: bytes.prefix(range.lowerBound), as: UTF8.self) + text
            + String(decoding: bytes.dropFirst(range.upperBound), as: UTF8.self)
    }

    /// The segment from an element's parent to it.
    private func step(to element: Element) -> String {
        element.namespace == element.parent?.namespace ? element.name : spelled(QualifiedName(element))
    }

    /// A name with its namespace, as queries have it.
    private func spelled(_ name: QualifiedName) -> String { "{\(name.namespace ?? "*")}\(name.local)" }

    /// The elements that the step looked at.
    private var shownPlaces: String {
        let names = Set(places.ranked.map(\.key.local)).sorted()
        if names.count > 3 { return "`\(Self.shown(names[0]))` and others" }
        return names.isEmpty ? "the stanza" : names.map { "`\(Self.shown($0))`" }.joined(separator: ", ")
    }

    private static func shown(namespace: String?, braces: Bool = true) -> String {
        guard let namespace else { return "no namespace" }
        return braces ? "{\(shown(namespace))}" : shown(namespace)
    }

    /// The first names in order.
    private static func list(_ names: [String]) -> String {
        let names = Set(names).sorted()
        return names.prefix(8).map { "`\(shown($0))`" }.joined(separator: ", ") + (names.count > 8 ? " and others" : "")
    }

    /// On one line, and of a length that a reader takes in.
    private static func shown(_ text: String) -> String {
        let beginning = text.unicodeScalars.prefix(80)
        return escapedText(String(beginning)) + (beginning.endIndex < text.unicodeScalars.endIndex ? "…" : "")
    }

    /// A value in quotes that it does not contain: double ones around single ones, which are a common mistake.
    private static func quoted(_ text: String) -> String {
        let quote = text.utf8.contains(UInt8(ascii: "'")) ? "\"" : "'"
        return quote + shown(text) + quote
    }

    /// Whether two names differ by their case or by a few typing mistakes.
    private static func resembles(_ left: String, _ right: String) -> Bool {
        if left.utf8.count > 80 || right.utf8.count > 80 { return false }
        if left.lowercased() == right.lowercased() { return true }
        return editDistance(Array(left.utf8), Array(right.utf8)) <= min(2, right.utf8.count / 3)
    }

    /// The path to the first element with a name, in document order.
    private static func path(from place: Element, to name: String) -> [Element]? {
        var waiting: [[Element]] = [[]]
        for _ in 0...NearMissSearch.maximumElements {
            guard let path = waiting.popLast() else { return nil }
            if let last = path.last, last.isNamed(name) { return path }
            guard path.count < longestPath else { continue }
            let children = (path.last ?? place).children.prefix(NearMissSearch.maximumElements)
            waiting += children.reversed().map { path + [$0] }
        }
        return nil
    }

    /// A longer query is not readable.
    private static let longestPath = 8
}

extension Element {
    /// Whether the code points of the name are these.
    fileprivate func isNamed(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }
}
