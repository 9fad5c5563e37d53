// Random queries for a given tree and context. Most follow a walk through the tree, so that they find something; noise
// at every turn covers the rest of the language.

import Foundation
import StanzaQuery
import TestSupport

/// A query's text with its arguments, and the output for each argument.
struct RandomQuery {
    var text = ""
    var arguments: [any QueryArgument] = []
    /// The output of each argument's specifier.
    var printed: [String] = []
}

/// Makes queries.
struct RandomQueries {
    let tree: NaiveTree
    var random: SeededGenerator
    private var query = RandomQuery()

    init(tree: NaiveTree, random: SeededGenerator) {
        self.tree = tree
        self.random = random
    }

    /// A query to evaluate on the node `context`; nearly always a correct one.
    mutating func query(on context: Int) -> RandomQuery {
        query = RandomQuery()
        var node = context
        if random.chance(3) { return query }
        let isRooted = random.chance(30)
        if isRooted { query.text = "/" }
        var isAfterParent = false
        for position in 0..<Int.random(in: 1...4, using: &random) {
            if position > 0 { query.text += "/" }
            let goesUp = random.chance(tree[node].children.isEmpty ? 60 : 15) && !(isRooted && position == 0)
            if goesUp || random.chance(3) {
                query.text += ".."
                node = tree[node].parent ?? node
                isAfterParent = true
                continue
            }
            if !(isRooted && position == 0) {
                guard !tree[node].children.isEmpty || random.chance(30) else {
                    if position > 0 { query.text.removeLast() }
                    break
                }
                if !tree[node].children.isEmpty { node = child(of: node) }
            }
            appendName(for: node, mayBeInherited: !isRooted || position > 0)
            while random.chance(35) { appendFilter(for: node) }
            isAfterParent = false
        }
        appendExtraction(for: node, isAfterParent: isAfterParent)
        return query
    }

    /// A child to go to; forms are worth a detour.
    private mutating func child(of node: Int) -> Int {
        let forms = tree[node].children.filter { tree[$0].name == "x" }
        return random.pick(forms.isEmpty || random.chance(30) ? tree[node].children : forms)
    }

    // MARK: Names

    private mutating func appendName(for node: Int, mayBeInherited: Bool) {
        let element = tree[node]
        let inherits = element.parent.map { tree[$0].namespace.isExactly(element.namespace) } ?? true
        var hasNamespace = true
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3 where inherits: hasNamespace = false
        case 0...7:
            if let namespace = element.namespace { query.text += "{\(namespace)}" } else { query.text += "{*}" }
        case 8: query.text += "{*}"
        default:
            if random.chance(50) {
                query.text += "{\(random.pick(RandomTrees.namespaces))}"
            } else {
                hasNamespace = false
            }
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...6: query.text += element.name
        case 7: query.text += "*"
        case 8: query.text += "!" + random.pick(RandomTrees.names)
        case 9 where hasNamespace: break
        case 10: query.text += random.pick(RandomTrees.names)
        default: query.text += element.name
        }
    }

    // MARK: Filters

    private mutating func appendFilter(for node: Int) {
        let attribute = tree[node].attributes.randomElement(using: &random)
        guard let attribute, random.chance(85) else {
            let name = random.pick(RandomTrees.attributeNames + ["xmlns"])
            let value = name == "xmlns" ? tree[node].namespace ?? "u" : random.pick(RandomTrees.values)
            return append(filterFor: name, value)
        }
        var name = attribute.name
        if let namespace = attribute.namespace, random.chance(50) {
            let local = attribute.name.unicodeScalars.split(separator: ":").last.map(String.init) ?? name
            name = "{\(namespace)}\(local)"
            // Another prefix in scope for the same namespace.
            if random.chance(50), let other = tree[node].prefixes.first(where: { $0.value.isExactly(namespace) }) {
                name = "\(other.key):\(local)"
            }
        }
        append(filterFor: name, attribute.value)
    }

    private mutating func append(filterFor name: String, _ value: String) {
        if random.chance(35) || value.isEmpty {
            query.text += "<\(name)~\(pattern(for: value))>"
        } else if random.chance(25) {
            appendArguments(name, value)
        } else if value.contains(">") {
            query.text += "<\(name)~.>"
        } else {
            let other = random.chance(10) ? "y" : random.chance(10) ? value.uppercased() : value
            query.text += "<\(name)=\(escaped(other))>"
        }
    }

    private func escaped(_ text: String) -> String { text.replacingOccurrences(of: "%", with: "%%") }

    /// A pattern that often matches a value: literals of every kind that the compiler reduces, and real expressions.
    private mutating func pattern(for value: String) -> String {
        let other = random.pick(RandomTrees.values)
        let literal = literalPattern(value)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return random.pick([".*", "^.*$", "^.*", ".*$", "^", "$", "^$"])
        case 1: return "^\(literal)$"
        case 2: return "^(\(literalPattern(other))|\(literal))$"
        case 3: return "^(?:\(literal)|)$"
        case 4: return "^" + literalPattern(String(value.prefix(1)))
        case 5: return literalPattern(String(value.suffix(1))) + "$"
        case 6 where !literal.isEmpty: return literal
        case 7: return "[a-zé]+"
        case 8: return "^\\s*[0-9]+$"
        case 9: return "(?i)^\(literal)$"
        case 10: return "^.{\(value.unicodeScalars.count)}$"
        default: return "\\w"
        }
    }

    private func literalPattern(_ text: String) -> String {
        var pattern = ""
        for scalar in text.unicodeScalars {
            if scalar == ">" {
                pattern += "\\x3e"
            } else if scalar.isASCII, !scalar.properties.isAlphabetic, scalar.properties.numericType == nil,
                scalar != "\n"
            {
                pattern += "\\\(scalar)"
            } else {
                pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern
    }

    /// A value as one or two specifiers among text (6.1).
    private mutating func appendArguments(_ name: String, _ value: String) {
        query.text += "<\(name)="
        let characters = Array(value)
        let split = Int.random(in: 0...characters.count, using: &random)
        let head = String(characters[..<split])
        if !head.contains(">"), random.chance(50) {
            query.text += escaped(head)
            appendArgument(String(characters[split...]))
        } else {
            appendArgument(value)
        }
        query.text += ">"
    }

    private mutating func appendArgument(_ text: String) {
        if let number = Int(text), String(number) == text, random.chance(60) {
            query.text += random.pick(
                number < 0 ? ["%d", "%@", "%ld", "%i"] : ["%d", "%u", "%@", "%lli", "%1d", "%zu"])
            query.arguments.append(number)
        } else if text.unicodeScalars.count == 1, random.chance(40) {
            query.text += "%c"
            query.arguments.append(random.chance(50) ? text : Int(text.unicodeScalars.first?.value ?? 0))
        } else if text == "true", random.chance(50) {
            query.text += "%@"
            query.arguments.append(true)
        } else {
            query.text += random.pick(["%@", "%s", "%-1s", "%.900@"])
            query.arguments.append(text)
            // `%-1s` pads an empty text. A scalar before it may make one character with the percent sign.
            if text.isEmpty, query.text.utf8.suffix(4).elementsEqual("%-1s".utf8) { return query.printed.append(" ") }
        }
        query.printed.append(text)
    }

    // MARK: Extractions

    private mutating func appendExtraction(for node: Int, isAfterParent: Bool) {
        let isForm = tree[node].name == "x"
        let separator = isAfterParent ? "/" : ""
        if isForm, random.chance(60) {
            query.text += separator + form(for: node)
            if query.text.hasSuffix("@one\\") || query.text.hasSuffix("@two\\") { appendConversion() }
            return
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: return
        case 3...5:
            let attribute = tree[node].attributes.randomElement(using: &random)
            query.text += separator + "@" + (attribute?.name ?? random.pick(RandomTrees.attributeNames + ["xmlns"]))
            appendConversion(of: attribute?.value ?? "")
        case 6:
            query.text += separator + "#"
            appendConversion(of: tree[node].texts.joined())
        case 7:
            query.text += separator + "$"
            appendConversion()
        case 8: query.text += separator + "@@"
        default: query.text += random.chance(50) ? "/" + form(for: node) : ""
        }
    }

    private mutating func appendConversion(of text: String = "") {
        let names = ["bool", "int", "uint", "double", "datetime", "base64", "uuid", "uuidcast"]
        if random.chance(50), NaiveConversions.datetime(text) != nil { return query.text += "|datetime" }
        if random.chance(50), NaiveConversions.uuid(text) != nil { return query.text += "|uuid" }
        if random.chance(35) { query.text += "|" + random.pick(names) }
    }

    /// A data-form query, mostly one that the form satisfies.
    private mutating func form(for node: Int) -> String {
        let formTypes = tree[node].children.compactMap { field -> String? in
            let isFormType = tree[field].attributes.contains { $0.name == "var" && $0.value == "FORM_TYPE" }
            return isFormType ? tree[field].children.first.map { tree[$0].texts.joined() } : nil
        }
        let type = tree[node].attributes.first { $0.name == "type" }?.value
        let items = tree[node].children.filter { tree[$0].name == "item" }.count
        var text = "\\"
        if random.chance(30) { text += "{" + (formTypes.first ?? random.pick(["urn:f", "urn:g", "*"])) + "}" }

        if random.chance(30) { text += type ?? random.pick(["form", "result", "*"]) }
        if random.chance(items > 0 ? 60 : 10) {
            text += random.pick([
                "[0]", "[1]", "[00]", "[\(max(0, items - 1))]", "[\(items)]", "[99999999999999999999]",
            ])
        }
        text += random.pick(["", "@one", "@two", "@FORM_TYPE", "&one", "&two", "&FORM_TYPE"])
        return text + "\\"
    }
}
