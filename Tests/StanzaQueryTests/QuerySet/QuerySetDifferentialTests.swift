// Random sets of random queries on random trees: a set gives the results of its single queries.
//
// Sets change between evaluations, so that they reuse places, lists and hash tables; queries get other arguments.
// QuerySetFaultTests.swift tests the faults of regular expressions. STANZA_SEED and STANZA_CASES repeat and lengthen
// the run.

import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct QuerySetDifferentialTests {
    /// A set, and its expected content.
    private struct Model {
        var set = QuerySet()
        var members: [(id: QuerySet.ID, query: Query<QueryValue>, arguments: [any QueryArgument], priority: Int)] = []

        /// In the order of the set.
        var ordered: [Int] {
            members.indices.sorted { left, right in
                let (leftPriority, rightPriority) = (members[left].priority, members[right].priority)
                return leftPriority == rightPriority ? left < right : leftPriority > rightPriority
            }
        }
    }

    private struct Tally {
        var cases = 0
        var matches = 0
        var first = 0
        var many = 0
        var bound = 0
    }

    @Test func setsAgreeWithTheirQueries() throws {
        let total = SeededGenerator.cases(default: 25_000)
        var tally = Tally()
        var salt: UInt64 = 0
        // A short run ends when a set has had many matches.
        while tally.cases < total || tally.many == 0 && salt < 10_000 {
            salt += 1
            var trees = RandomTrees(random: SeededGenerator(salt: 0x5E7 &+ salt))
            let root = try trees.tree(upTo: 25)
            try trees.edit(root)
            try compare(root, random: trees.random, salt: salt, &tally)
        }
        #expect(tally.matches * 100 > tally.cases * 10, "\(tally.matches) of \(tally.cases) queries matched")
        #expect(tally.many > 0 && tally.first > 0 && tally.bound > 0, "\(tally)")
    }

    private func compare(
        _ root: MutableElement, random: SeededGenerator, salt: UInt64, _ tally: inout Tally
    ) throws {
        let tree = NaiveTree(root)
        let editable = NaiveTree.elements(of: root)
        let frozen = NaiveTree.elements(of: root.freeze())
        var maker = RandomQueries(tree: tree, random: random)
        var model = Model()
        for _ in 0..<4 {
            try edit(&model, &maker, contexts: frozen.count)
            // Later changes of the set do not affect a copy.
            let copy = model
            if maker.random.chance(30) { try edit(&model, &maker, contexts: frozen.count) }
            if maker.random.chance(60) { try bind(&model, &maker.random, &tally) }
            for _ in 0..<3 {
                let context = maker.random.chance(50) ? 0 : Int.random(in: frozen.indices, using: &maker.random)
                for model in [copy, model] {
                    let note: Comment = "context \(context), case \(salt), seed \(SeededGenerator.seed)"
                    compare(model, on: frozen[context], note, &tally)
                    compare(model, on: editable[context], note, &tally)
                }
            }
        }
    }

    /// Adds, removes and changes some queries.
    private func edit(_ model: inout Model, _ maker: inout RandomQueries, contexts: Int) throws {
        for _ in 0..<Int.random(in: 1...20, using: &maker.random) {
            let context = maker.random.chance(50) ? 0 : Int.random(in: 0..<contexts, using: &maker.random)
            let made = maker.query(on: context)
            var options: QueryOptions = []
            if maker.random.chance(10) { options.insert(.caseInsensitiveFilters) }
            if maker.random.chance(10) { options.insert(.strictConversions) }
            guard let query = try? Query(made.text, options: options) else { continue }
            let priority = maker.random.chance(70) ? 0 : Int.random(in: -2...2, using: &maker.random)
            // So many of one query that their matches are not few.
            for _ in 0..<(maker.random.chance(3) ? 12 : 1) {
                let id = try model.set.insert(query, arguments: made.arguments, priority: priority)
                #expect(!model.members.contains { $0.id == id })
                model.members.append((id, query, made.arguments, priority))
            }
        }
        while model.members.count > 40 || (maker.random.chance(40) && !model.members.isEmpty) {
            let place = Int.random(in: model.members.indices, using: &maker.random)
            let member = model.members[place]
            if maker.random.chance(20) {
                let priority = Int.random(in: -2...2, using: &maker.random)
                let isThere = model.set.setPriority(priority, of: member.id)
                #expect(isThere)
                model.members[place].priority = priority
                continue
            }
            let removed = model.set.remove(member.id)
            let bound = try member.query.binding(arguments: member.arguments)
            #expect(removed?.query.source == bound.source && removed?.query.values == bound.values)
            let isThere = model.set.remove(member.id) != nil || model.set[member.id] != nil
            #expect(!isThere)
            model.members.remove(at: place)
        }
        #expect(model.set.count == model.members.count)
        #expect(model.set.ids == model.ordered.map { model.members[$0].id })
    }

    /// Binds other arguments to some queries: values of the trees, which do not always fit.
    private func bind(_ model: inout Model, _ random: inout SeededGenerator, _ tally: inout Tally) throws {
        for place in model.members.indices where !model.members[place].arguments.isEmpty {
            let member = model.members[place]
            let arguments: [any QueryArgument] = member.arguments.map { old in
                if old is Int { return random.pick([1, 42, -7, 233]) }
                return random.chance(80) ? random.pick(RandomTrees.values) : 1
            }
            let before = model.set[member.id]
            do throws(QueryError) {
                let isThere = try model.set.bind(arguments: arguments, to: member.id)
                #expect(isThere)
                model.members[place].arguments = arguments
                tally.bound += 1
            } catch {
                #expect(error.kind == .arguments)
                #expect(model.set[member.id]?.arguments == before?.arguments, "an error changes nothing")
            }
        }
    }

    private func compare<Node: QueryableElement>(
        _ model: Model, on element: Node, _ note: Comment, _ tally: inout Tally
    ) where Node: SetAskable {
        let expected = model.ordered.filter {
            (try? element.check(model.members[$0].query.binding(arguments: model.members[$0].arguments))) == true
        }
        tally.cases += model.members.count
        tally.matches += expected.count
        if expected.count > FewIDs.capacity { tally.many += 1 }
        let matches = element.matches(of: model.set)
        if Array(matches) != expected.map({ model.members[$0].id }) {
            let found = model.members.filter { Array(matches).contains($0.id) }.map(\.query.source)
            Issue.record(
                "\(note): \(found) instead of \(expected.map { model.members[$0].query.source }) on \(element)")
        }
        #expect(matches.failures.isEmpty)
        do {
            let first = try element.first(of: model.set)
            #expect(first == expected.first.map { model.members[$0].id }, note)
            if let first, let place = expected.first {
                tally.first += 1
                let query = try #require(model.set[first]?.query)
                let results = try element.find(query)
                let member = model.members[place]
                let found = try element.find(member.query.binding(arguments: member.arguments))
                #expect(results.map { "\($0)" } == found.map { "\($0)" }, note)
                #expect(try element.findFirst(query).map { "\($0)" } == results.first.map { "\($0)" }, note)
            }
        } catch {
            Issue.record(error, note)
        }
    }
}

/// Elements that sets can run on.
protocol SetAskable {
    func matches(of set: QuerySet) -> QuerySet.Matches
    func first(of set: QuerySet) throws(QueryError) -> QuerySet.ID?
}

extension Element: SetAskable {
    func matches(of set: QuerySet) -> QuerySet.Matches { set.matches(self) }
    func first(of set: QuerySet) throws(QueryError) -> QuerySet.ID? { try set.bestMatch(in: self) }
}

extension MutableElement: SetAskable {
    func matches(of set: QuerySet) -> QuerySet.Matches { set.matches(self) }
    func first(of set: QuerySet) throws(QueryError) -> QuerySet.ID? { try set.bestMatch(in: self) }
}
