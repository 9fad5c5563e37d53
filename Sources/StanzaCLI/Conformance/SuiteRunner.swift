// Runs one case of a suite with `find`, and checks that `findFirst` and `check` agree with its results. It runs on a
// frozen tree, and again on an editable one.

import QuerySyntax
import QueryTools
import SafeText
import StanzaQuery

/// The outcome of a case that failed.
struct SuiteFailure: Error, CustomStringConvertible {
    let query: String
    let expected: String
    let got: String

    /// The maximum number of characters shown of a text. All cases of a suite may share a document of megabytes, which
    /// each of a hundred thousand failures would print.
    static let maximumLength = 2_000
    /// More bytes are certainly more characters.
    fileprivate static let maximumBytes = 4 * maximumLength

    /// Three lines, indented.
    var description: String {
        zip(["  query:    ", "  expected: ", "  got:      "], [query.escapedForLine, expected, got])
            .map { $0 + $1.cut(toScalars: Self.maximumLength) }.joined(separator: "\n")
    }
}

extension Suite {
    /// Runs a case. Returns its failure; `nil` when it passes.
    func run(_ test: SuiteTest) -> SuiteFailure? {
        do throws(SuiteFailure) {
            let query: Query<QueryValue>
            do throws(QueryError) {
                query = try Query(test.query, options: test.options)
            } catch {
                return test.compare(error, in: "")
            }
            guard let document = test.document else { throw test.failure("a query that compiles") }
            let trees: DocumentTrees
            do throws(XMLParseError) {
                trees = try document.trees(in: context)
            } catch {
                throw test.failure("a document that cannot be read: \(error)")
            }
            try test.run(query, on: trees.frozen, in: "")
            try test.run(query, on: trees.editable, in: "on an editable tree: ")
            return nil
        } catch {
            return error
        }
    }
}

extension SuiteTest {
    /// - Parameter place: The kind of tree, as the beginning of a failure's message.
    fileprivate func run<Node: QueryableElement>(
        _ query: Query<QueryValue>, on top: Node, in place: String
    ) throws(SuiteFailure) {
        guard let element = top.descendant(at: context) else { throw failure("no element at the path of 'context'") }
        var paths = IndexPaths<Node>()
        let found: [PlainResult]
        let bound: Query<QueryValue>
        do throws(QueryError) {
            bound = try query.binding(arguments: arguments)
            found = try element.find(bound).map { PlainResult($0, paths: &paths) }
        } catch {
            if let failure = compare(error, in: place) { throw failure }
            return
        }
        guard case .results(let expected, let isUnordered) = expectation else {
            throw failure(place + found.text)
        }
        guard isUnordered ? found.isPermutation(of: expected) : found.matches(expected) else {
            let miss = (element as? Element).flatMap { try? query.nearMiss(on: $0, arguments: arguments) }
            throw failure(place + found.text + (miss.map { "; \($0)" } ?? ""))
        }
        let first: [PlainResult]
        let check: Bool
        do throws(QueryError) {
            first = try element.findFirst(bound).map { [PlainResult($0, paths: &paths)] } ?? []
            check = try element.check(bound)
        } catch {
            throw failure("\(place)findFirst or check fails: \(error.first.text)")
        }
        guard first.matches(Array(found.prefix(1))) else { throw failure("\(place)findFirst gives \(first.text)") }
        guard check == !found.isEmpty else { throw failure("\(place)check gives \(check)") }
    }

    fileprivate func compare(_ error: QueryError, in place: String) -> SuiteFailure? {
        compare(error.kind, at: error.range, described: place + error.first.text)
    }

    /// The mismatch of an error; `nil` if it is the expected one.
    func compare(_ got: Diagnostic.Kind, at gotRange: SourceRange?, described text: String) -> SuiteFailure? {
        guard case .error(let kind, let range) = expectation, kind == got else { return failure(text) }
        guard let range else { return nil }
        // The comparison ignores the end of a syntax error (7.2).
        let isThere = kind == .syntax ? range.lowerBound == gotRange?.lowerBound : range == gotRange
        return isThere ? nil : failure(text)
    }

    func failure(_ got: String) -> SuiteFailure {
        let expected =
            switch expectation {
            case .results(let results, let isUnordered): results.text + (isUnordered ? " in any order" : "")
            case .error(let kind, let range): kind.rawValue + (range.map { " at \($0.text)" } ?? "")
            }
        return SuiteFailure(query: query, expected: expected, got: got)
    }
}

extension ReadableElement {
    /// The element at an index path.
    fileprivate func descendant(at path: [Int]) -> Self? {
        var element = self
        for index in path {
            guard let child = Array(element.children).dropFirst(index).first else { return nil }
            element = child
        }
        return element
    }
}

extension [PlainResult] {
    /// The results as JSON, as far as a failure shows them.
    var text: String {
        var bytes = [UInt8]("[".utf8)
        for (index, result) in enumerated() {
            if bytes.count > SuiteFailure.maximumBytes { return String(decoding: bytes, as: UTF8.self) }
            bytes += "\(index > 0 ? ", " : "")\(result.json.text)".utf8
        }
        return String(decoding: bytes + "]".utf8, as: UTF8.self)
    }
}

extension Diagnostic {
    fileprivate var text: String { "\(kind.rawValue) at \(range.text): \(message)" }
}

extension SourceRange {
    var text: String { "[\(lowerBound), \(upperBound)]" }
}
