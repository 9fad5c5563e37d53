// The resource that a connector requests. After a conflict, it leaves the resource to the other program.

import Locking
import XMPPCore

/// Chooses the resource of the next binding (RFC 6120 §4.9.3.3, §7.7.2.2).
///
/// Two programs with one configured resource would take it from each other without end. So each conflict changes the
/// requested resource, and keeps the configured one as its beginning. A server that allows only one connection of an
/// account reports a conflict also then: the number of attempts is bounded.
struct ResourceChoice: Equatable, Sendable {
    private let configured: String?
    /// Distinguishes the requested resource from the configured one.
    private var suffix: String?
    private var conflictCount = 0
    private var lastConflict: ContinuousClock.Instant?

    /// - Parameter configured: `nil` lets the server choose.
    init(configured: String?) { self.configured = configured }

    /// The most conflicts in a row after which another resource is requested.
    static let mostConflicts = 3
    /// A conflict after this time without one does not continue a fight.
    static let memory = Duration.seconds(3600)

    /// The resource to request; `nil` lets the server choose.
    var requested: String? {
        guard let configured, let suffix else { return configured }
        var prefix = configured[...].unicodeScalars
        while prefix.reduce(0, { $0 + $1.utf8.count }) + suffix.utf8.count >= JID.maximumPartLength {
            prefix.removeLast()
        }
        return "\(String(prefix))-\(suffix)"
    }

    /// Notes that another connection of the account has the requested resource.
    ///
    /// - Parameter suffix: The end of the resource to request next.
    /// - Throws: ``XMPPConnectionError/resourceConflict(_:)`` after too many conflicts in a row.
    mutating func noteConflict(
        at now: ContinuousClock.Instant, suffix: String
    ) throws(XMPPConnectionError) {
        if let lastConflict, now - lastConflict > Self.memory { conflictCount = 0 }
        lastConflict = now
        conflictCount += 1
        self.suffix = suffix
        if conflictCount > Self.mostConflicts { throw .resourceConflict(configured) }
    }
}

/// The choice of a connector. All copies of the connector share it.
final class RequestedResource: Sendable {
    private let choice: Lock<ResourceChoice>

    init(configured: String?) { choice = Lock(ResourceChoice(configured: configured)) }

    /// The resource to request; `nil` lets the server choose.
    var value: String? { choice.withLock { $0.requested } }

    /// Notes that another connection of the account has the requested resource.
    ///
    /// - Throws: ``XMPPConnectionError/resourceConflict(_:)`` after too many conflicts in a row.
    func noteConflict() throws(XMPPConnectionError) {
        try choice.withLock { choice throws(XMPPConnectionError) in
            try choice.noteConflict(at: .now, suffix: String(UInt32.random(in: 0...UInt32.max), radix: 36))
        }
    }
}
