// The batch that a task has to commit before it reads the database.

/// The changes that were collected before the work of the current task.
///
/// The task's value is an object: with a closure as the value, release builds of Swift 6.3 crash in `withValue`.
package final class UncommittedBatch: Sendable {
    @TaskLocal package static var current: UncommittedBatch?

    /// Commits the batch. Each access of the task to a database calls it first, so that a handler sees the changes of
    /// earlier handlers. So does a direct send. Lookups of the session itself do not call it.
    package let commit: @Sendable () async throws -> Void

    package init(commit: @escaping @Sendable () async throws -> Void) { self.commit = commit }
}
