// Undoes events whose changes could not be stored (D51). The hot path of sending must not copy a queue for it.

extension StreamManagementCore {
    /// A core before events that may be undone, without its queues.
    package struct Checkpoint {
        fileprivate let core: StreamManagementCore
    }

    /// Records the changes of the next events, until `keepChanges()` or `undo(to:)`. Costs constant time.
    package mutating func checkpoint() -> Checkpoint {
        var before = self
        before.outgoing = outgoing.checkpoint()
        before.incoming = incoming.checkpoint()
        return Checkpoint(core: before)
    }

    /// The changes since the checkpoint are stored.
    package mutating func keepChanges() {
        outgoing.keepChanges()
        incoming.keepChanges()
    }

    /// Undoes the events since the checkpoint. Costs as much time as these events did.
    package mutating func undo(to checkpoint: Checkpoint) {
        var before = checkpoint.core
        before.outgoing = outgoing.undone(to: before.outgoing)
        before.incoming = incoming.undone(to: before.incoming)
        self = before
    }
}
