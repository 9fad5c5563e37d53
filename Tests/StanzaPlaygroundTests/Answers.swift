// Helpers for all tests of answers.

@testable import StanzaPlayground

/// Returns the answer to a request, without HTTP and without JSON.
func answer(_ query: String, _ stanza: String, _ arguments: [String] = []) -> EvaluationAnswer {
    EvaluationAnswer(to: EvaluationRequest(query: query, stanza: stanza, arguments: arguments))
}
