// The reasons of invalidations after an answer that no handler gets.

public import Handlers

extension InvalidationReason {
    /// Handling the answer has failed too often, and the session has dead-lettered it (rule R40).
    public static let answerNotHandled = InvalidationReason.other("answer-not-handled")

    /// The answer is beyond a limit of the parser, which has skipped it (rule R7).
    public static let answerRejected = InvalidationReason.other("answer-rejected")
}
