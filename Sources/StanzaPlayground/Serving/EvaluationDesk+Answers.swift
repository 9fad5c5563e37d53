// From the bytes of a request's body to the answer.

extension EvaluationDesk {
    /// Reads a body and evaluates its request.
    func answer(to body: [UInt8]) async -> SiteAnswer {
        let outcome = await run { () -> SiteAnswer in
            do throws(InvalidRequest) {
                return SiteAnswer(body: EvaluationAnswer(to: try EvaluationRequest(json: body)).json)
            } catch {
                return .refusal(400, error.description)
            }
        }
        switch outcome {
        case .done(let answer): return answer
        case .tooLong: return SiteAnswer(body: EvaluationAnswer.unfinished.json)
        case .busy: return .busy
        }
    }
}

extension EvaluationAnswer {
    /// The answer when an evaluation takes too long.
    static let unfinished = {
        var answer = EvaluationAnswer()
        answer.failure =
            "the evaluation takes more than \(PlaygroundLimits.evaluationTime.components.seconds) seconds; make the "
            + "query or the stanza shorter, or begin regular expressions with '^'"
        return answer
    }()
}
