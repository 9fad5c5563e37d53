// Tests that have many files open: only some of them run at once.

public import Testing

extension Trait where Self == FewAtOnce {
    /// Of all tests with this trait only some run at once. Each of hundreds that begin together has files of a
    /// database, sockets and a watch on a folder, and a system lets a user have so many of them and no more.
    ///
    /// Not together with a time limit, which counts while a test waits for its turn.
    public static var fewAtOnce: Self { FewAtOnce() }
}

/// A trait of tests of which only some run at once; of a suite, all that are in it have it.
public struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(24)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.take()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await function())
        } catch {
            outcome = .failure(error)
        }
        await Self.turns.giveBack()
        try outcome.get()
    }
}
