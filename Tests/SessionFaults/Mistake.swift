// Deliberate mistakes. The harness orders one, the probe makes it, and the checks have to notice it.

/// A mistake that the probe of durable sessions makes on purpose.
package enum Mistake: String, CaseIterable, Sendable {
    /// The probe inserts a message into the table in a separate transaction.
    case insertEarly = "insert-early"
    /// The probe reports a message as acknowledged as soon as it passes the message to the session.
    case tellEarly = "report-early"
}
