// The rule of 8.1, on one query and one element: outside the list, a result of Prosody's is ours, too.
//
// The comparison requires more than the rule: if Prosody finds nothing, our engine also needs a reason to find
// something.

import StanzaQuery
import Testing

/// The result of a comparison.
enum Verdict: Equatable {
    /// Both have the same result.
    case sameResult
    /// Both have no result, or ours has one that Prosody's language cannot express or that 8.1 adds.
    case nothingInProsody
    /// An entry of the list may make the difference.
    case known
    case unlike
}

/// Counts the comparisons, to check afterwards that they were enough.
struct Comparison {
    private(set) var cases = 0
    /// How often Prosody had a result, and ours had to be the same.
    private(set) var sameResults = 0
    /// How often each form of the language gave the same result.
    private(set) var forms: [ProsodyQuery.Form: Int] = [:]
    /// How often each entry of the list was met.
    private(set) var differences: [KnownDifference: Int] = [:]
    /// How often each query gave the same result.
    private(set) var queries: [String: Int] = [:]

    /// Runs the same queries with both on one element.
    ///
    /// - Parameter note: Text that a failure prints besides query and document.
    mutating func compare(
        _ queries: [String], on element: Element, of document: String, with prosody: Prosody, note: String = ""
    ) throws {
        let place = ElementPlace(of: element)
        let answers = try prosody.answers(to: queries, on: place, of: document)
        for (query, answer) in zip(queries, answers) {
            let engine = EngineAnswer(to: query, on: element)
            let verdict = judge(query, answer, engine)
            let prosodySays = answer.result?.description ?? "nothing"
            #expect(
                verdict != .unlike,
                "'\(query)' on [\(place)] of \(document) is \(prosodySays) in Prosody, \(engine) here \(note)")
        }
    }

    private mutating func judge(_ text: String, _ answer: ProsodyAnswer, _ engine: EngineAnswer) -> Verdict {
        let query = ProsodyQuery(text)
        let known = KnownDifference.allCases.filter { $0.concerns(text, query, answer) }
        cases += 1
        for difference in known { differences[difference, default: 0] += 1 }
        if !known.allSatisfy(\.onlyAddsResults) { return .known }
        guard let result = answer.result else {
            let isExplained = engine == .nothing || !query.hasOrdinaryNames || (!known.isEmpty && engine.isFound)
            return isExplained ? .nothingInProsody : .unlike
        }
        guard engine == .found(result) else { return .unlike }
        sameResults += 1
        queries[text, default: 0] += 1
        for form in query.forms { forms[form, default: 0] += 1 }
        return .sameResult
    }
}

extension EngineAnswer {
    fileprivate var isFound: Bool { if case .found = self { true } else { false } }
}
