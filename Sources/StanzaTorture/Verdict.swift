// The outcome of a scenario, as a value. It may not know how it is printed: see Report.swift.

/// The judgement of one scenario.
public enum Verdict: Hashable, Sendable {
    case passed
    case failed(Failure)
    /// The client lacks a feature that the scenario needs.
    case notApplicable(String)

    /// The reason of a failure.
    public struct Failure: Hashable, Sendable {
        /// The rule, with its specification.
        public let rule: String
        public let expected: String
        public let found: String
    }
}

/// A scenario, its verdict, and the last elements of both sides.
public struct Outcome: Sendable {
    public let scenario: Scenario
    public let verdict: Verdict
    public let transcript: [String]
    public let duration: Duration
    /// Whether a second run of a failed scenario has passed.
    public var isUnstable = false

    public init(scenario: Scenario, verdict: Verdict, transcript: [String], duration: Duration) {
        self.scenario = scenario
        self.verdict = verdict
        self.transcript = transcript
        self.duration = duration
    }

    public var hasFailed: Bool {
        if case .failed = verdict { !isUnstable } else { false }
    }
}

/// The account of the client.
public struct TortureAccount: Sendable {
    public var user = "echo"
    public var domain = "localhost"
    public var password = "secret"

    public init() {}

    public var address: String { "\(user)@\(domain)" }
}
