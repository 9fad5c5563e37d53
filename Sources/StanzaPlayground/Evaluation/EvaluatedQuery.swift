// The parts of an answer about the query itself: its mistakes, its tree and its program, with UTF-16 offsets.

import QueryRemarks
import QuerySyntax
import QueryTools
import StanzaQuery

extension QueryMistake {
    init(_ diagnostic: Diagnostic, _ offsets: TextOffsets) {
        self.init(
            kind: diagnostic.kind.rawValue, message: diagnostic.message, start: offsets[diagnostic.range.lowerBound],
            end: offsets[diagnostic.range.upperBound], expected: diagnostic.expectation,
            fix: diagnostic.fix.map { fix in
                QueryFix(
                    start: offsets[fix.range.lowerBound], end: offsets[fix.range.upperBound],
                    replacement: fix.replacement, label: fix.shown)
            })
    }

    init(_ remark: QueryRemark, _ offsets: TextOffsets) {
        self.init(
            kind: remark.kind.rawValue, message: remark.message, start: offsets[remark.range.lowerBound],
            end: offsets[remark.range.upperBound], expected: remark.hint, fix: nil)
    }

    /// The mistake of a query beyond the length limit. It covers everything after the limit.
    static func tooLong(_ query: String) -> QueryMistake {
        let offsets = TextOffsets(query)
        return QueryMistake(
            kind: "limit", message: "the query has more than \(PlaygroundLimits.queryBytes) bytes",
            start: offsets[PlaygroundLimits.queryBytes], end: offsets[query.utf8.count],
            expected: "expected a shorter query; Query itself has no such limit", fix: nil)
    }

    /// The mistake of a query with more arguments than allowed.
    static func tooManyArguments(_ query: String, _ offsets: TextOffsets) -> QueryMistake {
        QueryMistake(
            kind: Diagnostic.Kind.arguments.rawValue,
            message: "there are more than \(PlaygroundLimits.arguments) arguments", start: offsets[query.utf8.count],
            end: offsets[query.utf8.count], expected: "expected fewer arguments; Query itself has no such limit",
            fix: nil)
    }
}

extension TreeLine {
    /// The outline of the tree, as `stanza explain` prints it, up to `PlaygroundLimits.lines` lines.
    static func lines(_ lines: [OutlineLine], _ offsets: TextOffsets) -> [TreeLine] {
        if lines.isEmpty { return [TreeLine(depth: 0, text: "the element itself", start: nil, end: nil)] }
        return lines.prefix(PlaygroundLimits.lines).map { line in
            TreeLine(
                depth: line.depth, text: line.text.cutToLine, start: line.range.map { offsets[$0.lowerBound] },
                end: line.range.map { offsets[$0.upperBound] })
        }
    }
}

extension ProgramListing {
    /// The program, up to `PlaygroundLimits.lines` of its instructions.
    init(_ query: Query<QueryValue>, _ instructions: [ListedInstruction], _ offsets: TextOffsets) {
        let lines = instructions.prefix(PlaygroundLimits.lines).map { line in
            // An empty range comes from no part of the query.
            let place = line.range.isEmpty ? nil : line.range
            return ListingLine(
                text: line.text.cutToLine, start: place.map { offsets[$0.lowerBound] },
                end: place.map { offsets[$0.upperBound] })
        }
        self.init(listing: lines, resultKind: query.resultKind.rawValue, argumentCount: query.argumentCount)
    }
}

extension String {
    fileprivate var cutToLine: String {
        guard utf8.count > PlaygroundLimits.lineCharacters, count > PlaygroundLimits.lineCharacters else { return self }
        return prefix(PlaygroundLimits.lineCharacters) + "…"
    }
}
