// What is wrong on purpose, so that one sees that the checks notice anything: named to the harness, made by the probe.

/// A mistake that the probe of durable sessions makes on purpose.
public enum Mistake: String, CaseIterable, Sendable {
    /// A message goes into the table in a transaction of its own.
    case insertEarly = "insert-early"
    /// A message counts as acknowledged when it was given to be sent.
    case tellEarly = "tell-early"
}
