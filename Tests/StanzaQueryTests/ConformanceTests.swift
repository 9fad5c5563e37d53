// The conformance suites: the engine gives the results of the naive evaluator, as many as each suite says, and the
// suites' errors. `StanzaCLITests` compares the results themselves.

import QuerySyntax
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct ConformanceTests {
    @Test func suites() throws {
        let cases = try ConformanceCase.all()
        #expect(cases.count > 1_500)
        for test in cases { try FuzzSeeds.$current.withValue(test.name) { try run(test) } }
    }

    private func run(_ test: ConformanceCase) throws {
        do throws(QueryError) {
            let query = try Query(test.query, options: test.compileOptions)
            let bound = try query.binding(arguments: test.values)
            guard let xml = test.xml, let top = try? Element(parsing: xml, in: test.surroundings) else {
                return require(false, "a query that compiles has a document")
            }
            let element = (test.context ?? []).reduce(top) { Array($0.children)[$1] }
            let elements = NaiveTree.elements(of: top)
            let context = elements.firstIndex { $0.isSame(as: element) } ?? -1
            let printed = zip(query.specifiers, test.values).map { $0.format($1) ?? "" }
            let naive = NaiveEvaluator(
                tree: NaiveTree(top), query: ParsedQuery(parsing: test.query).tree, options: test.compileOptions,
                arguments: printed)
            let expected = try? naive.results(on: context)
            require(expected?.count == test.resultCount, "not as many results as the suite has")
            compare(bound, on: element, with: expected) { found in elements.firstIndex { $0.isSame(as: found) } }
            let editable = NaiveTree.elements(of: top.thaw())
            compare(bound, on: editable[context], with: expected) { found in editable.firstIndex { $0 === found } }
            _ = try element.find(bound)
            require(test.error == nil, "no error")
        } catch {
            require(error.kind.rawValue == test.error, "\(error)")
            guard let at = test.at else { return }
            // The comparison ignores the end of a syntax error (7.2).
            let isThere = error.kind == .syntax ? error.range.lowerBound == at[0] : error.range == at[0]..<at[1]
            require(isThere, "the error is at \(error.range)")
        }
    }
}

extension ConformanceCase {
    var compileOptions: QueryOptions {
        QueryOptions((options ?? []).map { $0 == "strictConversions" ? .strictConversions : .caseInsensitiveFilters })
    }

    var surroundings: NamespaceContext {
        NamespaceContext(defaultNamespace: defaultNamespace, prefixes: NamespaceContext.clientStream.prefixes)
    }

    var values: [QueryArgumentValue] {
        (arguments ?? []).map { argument in
            switch argument {
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .unsigned(let value): .unsigned(value)
            case .number(let value): .floating(value)
            case .string(let value): .text(value)
            }
        }
    }
}
