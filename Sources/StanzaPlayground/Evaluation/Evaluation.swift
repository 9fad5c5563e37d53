// Makes the answer to a request with the modules of the query language. It does not use HTTP; the engine's limits and
// PlaygroundLimits.swift bound it. EvaluatedQuery.swift describes the query, EvaluatedStanza.swift describes its
// effects.

import QueryRemarks
import QuerySyntax
import QueryTools
import StanzaQuery

extension EvaluationAnswer {
    /// Evaluates a request. The cost is at most the product of the query's segments and the stanza's elements, plus the
    /// limits of its regular expressions.
    init(to request: EvaluationRequest) {
        guard request.query.utf8.count <= PlaygroundLimits.queryBytes else {
            diagnostics = [.tooLong(request.query)]
            return
        }
        let offsets = TextOffsets(request.query)
        let parsed = ParsedQuery(parsing: request.query)
        let outline = parsed.tree.outline
        tree = TreeLine.lines(outline, offsets)
        isShortened = outline.count > PlaygroundLimits.lines
        let query: Query<QueryValue>
        do throws(QueryError) {
            query = try Query(
                request.query, options: QueryOptions(ignoresCase: request.ignoreCase, isStrict: request.strict))
        } catch {
            diagnostics = error.diagnostics.map { QueryMistake($0, offsets) }
            stanzaProblems = EvaluatedText(request.stanza).problems
            return
        }
        let instructions = query.listedInstructions
        program = ProgramListing(query, instructions, offsets)
        isShortened = isShortened || instructions.count > PlaygroundLimits.lines
        warnings = TextCheck(parsed, ignoresCase: request.ignoreCase).remarks.prefix(QueryLimits.diagnostics)
            .map { QueryMistake($0, offsets) }
        evaluate(query, request, offsets)
    }

    private mutating func evaluate(_ query: Query<QueryValue>, _ request: EvaluationRequest, _ offsets: TextOffsets) {
        guard request.arguments.count <= PlaygroundLimits.arguments else {
            diagnostics = [.tooManyArguments(request.query, offsets)]
            return
        }
        let arguments = query.arguments(from: request.arguments)
        do throws(QueryError) {
            try query.checkArguments(arguments)
        } catch {
            diagnostics = error.diagnostics.map { QueryMistake($0, offsets) }
        }
        let text = EvaluatedText(request.stanza)
        stanzaProblems = text.problems
        guard diagnostics.isEmpty else { return }
        isShortened = isShortened || text.isCut
        var misses = NearMissSearch(for: query, arguments: arguments)
        var rest = PlaygroundLimits.resultBytes
        do throws(QueryError) {
            for stanza in text.stanzas where !isCut {
                let inspection = try query.inspect(
                    stanza.root, arguments: arguments, limit: PlaygroundLimits.results - results.count)
                isShortened = stanza.addMarks(inspection, to: &marks) || isShortened
                isCut = stanza.addResults(inspection, to: &results, &rest)
                if results.isEmpty { try misses.add(stanza.root) }
            }
        } catch {
            diagnostics = error.diagnostics.map { QueryMistake($0, offsets) }
            failure = error.first.message
            return
        }
        if results.isEmpty, let miss = misses.nearMiss {
            nearMiss = miss.reasons.joined(separator: "; ")
            repair = miss.repair.map {
                QueryFix(start: 0, end: offsets[request.query.utf8.count], replacement: $0, label: escapedText($0))
            }
        }
    }
}
