// The limits of the core.

extension DurableSessionCore {
    /// The sizes, counts and times of the core.
    package struct Limits: Hashable, Sendable {
        /// Entries of a batch: a long transaction delays other processes.
        package var batchCount = 256
        /// Bytes of a batch, for the same reason.
        package var batchSize = 1 << 20
        /// Stanzas in the core: two full batches, so that one commits while handlers fill the other. Their bytes have
        /// the same bound, two times `batchSize`.
        package var incomingCount = 512
        /// How long the first entry of a batch waits for others while handlers run.
        package var batchAge = Duration.milliseconds(50)
        /// Attempts at a handler or an invalidation.
        package var attempts = 5
        /// How long a failed stanza rests.
        package var failurePause = Duration.milliseconds(50)
        /// How long the core waits for the database, for other work, and before it tries an invalidation again.
        package var pause = Duration.seconds(1)
        /// How long a handler may run. All later stanzas wait for it.
        package var handlerTime = Duration.seconds(10)
        /// How long closing waits for a handler: an app that has to end soon waits for that.
        package var closingTime = Duration.seconds(5)

        package init() {}
    }
}
