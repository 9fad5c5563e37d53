// What all tests of answers need.

@testable import StanzaPlayground

/// The answer to a request, without HTTP and without JSON.
func answer(_ query: String, _ stanza: String, _ arguments: [String] = []) -> EvaluationAnswer {
    EvaluationAnswer(to: EvaluationRequest(query: query, stanza: stanza, arguments: arguments))
}
