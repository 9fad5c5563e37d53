// The batch that a task has to commit before it reads the database.

/// The changes that were collected before the work of the current task.
package enum UncommittedBatch {
    /// Commits the batch. Each access that the task makes to a database calls it first, so that a handler sees the
    /// changes of the handlers before it; so does a direct send. Lookups of the session itself do not call it.
    @TaskLocal package static var commit: (@Sendable () async throws -> Void)?
}
