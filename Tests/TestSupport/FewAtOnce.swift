// Tests that have many files open: only some of them run at once.

public import Testing

extension Trait where Self == FewAtOnce {
    /// Of all tests with this trait only some run at once. Each of hundreds that begin together has files of a
    /// database, sockets and a watch on a folder, and a system limits their number for each user.
    ///
    /// Not together with a time limit, which counts while a test waits for its turn. A test that hangs in its turn
    /// fails, and the next test gets the turn.
    public static var fewAtOnce: Self { FewAtOnce() }
}

/// A trait of tests of which only some run at once; of a suite, all that are in it have it.
public struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(24)
    /// The longest turn: the tests themselves give up each wait after at most 20 minutes.
    private static let longest = Duration.seconds(1800)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.turns.turn(limit: Self.longest, function) {
            Issue.record("'\(test.name)' hangs: it had its turn for \(Self.longest)")
        }
    }
}
