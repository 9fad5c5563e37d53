// Fuzzes query sets: after any edits a set gives the results of its single queries, on frozen and editable trees, and
// an earlier copy stays unchanged.
//
// Input: options, context (one byte each), lines up to an empty one, then the XML. A line that begins with '-' removes
// a query, with '^' gives it another priority, with '=' binds its arguments again, with '?' copies the set; other lines
// are a priority, one byte, and a query.

import QuerySyntax

@testable import StanzaQuery

/// - Returns: How many queries matched and failed, for the tests.
@discardableResult
func fuzzQuerySet(_ input: FuzzInput) -> (matches: Int, failures: Int) {
    var input = input
    let options = QueryOptions(rawValue: input.byte() & 3)
    let place = Int(input.byte())
    var lines: [[UInt8]] = []
    while case let line = input.line(), !line.isEmpty { lines.append(line) }
    guard let root = try? Element(parsing: input.rest(), in: .clientStream) else { return (0, 0) }

    let model = NaiveTree(root)
    var members = Members(options: options)
    var copy: Members?
    for line in lines.prefix(Members.mostEdits) {
        if line[0] == UInt8(ascii: "?") { copy = members }
        members.edit(line, on: model)
    }
    let context = place % model.nodes.count
    let frozen = NaiveTree.elements(of: root)[context]
    let editableRoot = root.thaw()
    // The storage of the editable tree is not in document order.
    if let first = editableRoot.firstChild {
        first.remove()
        editableRoot.add(first)
    }
    let editable = NaiveTree.elements(of: editableRoot)[context]
    var counts = (matches: 0, failures: 0)
    for members in [members, copy].compactMap(\.self) {
        let matches = members.set.matches(frozen)
        members.compare(on: frozen, matches) { () throws(QueryError) in try members.set.bestMatch(in: frozen) }
        members.compare(on: editable, members.set.matches(editable)) { () throws(QueryError) in
            try members.set.bestMatch(in: editable)
        }
        counts = (counts.matches + matches.count, counts.failures + matches.failures.count)
    }
    return counts
}

/// A set, and its expected content.
private struct Members {
    struct Member {
        let id: QuerySet.ID
        let query: Query<QueryValue>
        var arguments: [any QueryArgument]
        var priority: Int
    }

    let options: QueryOptions
    private(set) var set = QuerySet()
    /// In the order in which they were registered.
    private var members: [Member] = []

    /// More would only be slow.
    static let mostEdits = 200

    init(options: QueryOptions) {
        self.options = options
    }

    private var ordered: [Member] {
        members.enumerated().sorted { ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset) }
            .map(\.element)
    }

    mutating func edit(_ line: [UInt8], on model: NaiveTree) {
        let number = line.count > 1 ? Int(line[1]) : 0
        switch line[0] {
        case UInt8(ascii: "-"), UInt8(ascii: "^"), UInt8(ascii: "="):
            if members.isEmpty { return }
            change(number % members.count, line[0], line.count > 2 ? Int(line[2]) % 4 : 0, model)
        case UInt8(ascii: "?"):
            break
        default:
            insert(String(decoding: line[1...], as: UTF8.self), priority: Int(line[0]) % 4, on: model)
        }
        require(set.ids == ordered.map(\.id), "the set has another order")
        require(set.count == members.count, "\(set.count) queries in place of \(members.count)")
    }

    private mutating func insert(_ text: String, priority: Int, on model: NaiveTree) {
        guard let query = try? Query(text, options: options) else { return }
        guard let arguments = FittingArguments(for: ParsedQuery(parsing: text).tree, from: model)?.values else {
            return
        }
        guard let id = try? set.insert(query, arguments: arguments, priority: priority) else {
            return require(false, "a query and arguments that fit are refused")
        }
        require(!members.contains { $0.id == id }, "an identifier is given twice")
        members.append(Member(id: id, query: query, arguments: arguments, priority: priority))
    }

    private mutating func change(_ place: Int, _ edit: UInt8, _ value: Int, _ model: NaiveTree) {
        let member = members[place]
        switch edit {
        case UInt8(ascii: "-"):
            let removed = set.remove(member.id)?.query
            require(
                removed?.source == member.query.source
                    && removed?.values == (try? member.query.binding(arguments: member.arguments))?.values,
                "another query is removed")
            require(set[member.id] == nil && set.remove(member.id) == nil, "a query that was removed is there")
            members.remove(at: place)
        case UInt8(ascii: "^"):
            require(set.setPriority(value, of: member.id), "a query is not there")
            members[place].priority = value
        default:
            let argument = "\(value)"
            guard member.arguments.count == 1, (try? set.bind(argument, to: member.id)) == true else { return }
            members[place].arguments = [argument]
        }
    }

    func compare<Node: QueryableElement>(
        on element: Node, _ matches: QuerySet.Matches, first: () throws(QueryError) -> QuerySet.ID?
    ) {
        var expected: [QuerySet.ID] = []
        var failing: [(id: QuerySet.ID, error: QueryError)] = []
        var isFirstFailing = false
        for member in ordered {
            do throws(QueryError) {
                let isThere = try element.check(member.query.binding(arguments: member.arguments))
                if isThere { expected.append(member.id) }
            } catch {
                if expected.isEmpty { isFirstFailing = true }
                failing.append((member.id, error))
            }
        }
        require(Array(matches) == expected, "the set finds \(sources(matches)), its queries \(sources(expected))")
        let failures = matches.failures
        require(
            failures.map(\.id) == failing.map(\.id) && failures.map(\.error) == failing.map(\.error),
            "in the set \(sources(failures.map(\.id))) fail, one by one \(sources(failing.map(\.id)))")
        require(failures.allSatisfy { $0.error.kind == .regexLimit }, "another failure than that of a limit")
        do throws(QueryError) {
            let first = try first()
            require(!isFirstFailing && first == expected.first, "another query is the first")
        } catch {
            require(isFirstFailing, "the first fails in the set only")
        }
        for member in members { compareResults(of: member, on: element) }
    }

    private func compareResults<Node: QueryableElement>(of member: Member, on element: Node) {
        let found = try? element.find(member.query.binding(arguments: member.arguments))
        guard let query = set[member.id]?.query else { fatalError("the set lost a query") }
        let foundInSet = try? element.find(query)
        require(found?.count == foundInSet?.count, "\(member.query.source) finds something else in the set")
        let first = try? element.findFirst(member.query.binding(arguments: member.arguments))
        require(first?.string == (try? element.findFirst(query))?.string, "another first result")
    }

    private func sources(_ ids: some Sequence<QuerySet.ID>) -> [String] {
        ids.map { set[$0]?.query.source ?? "a query that is not there" }
    }
}
