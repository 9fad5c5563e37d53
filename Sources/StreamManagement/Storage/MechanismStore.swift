// Remembers how accounts were authenticated. Connectors decide which mechanism is stronger.

import Locking
public import XMPPCore

/// Remembers the strongest mechanism that each account was authenticated with, so that a connector notices when a
/// server suddenly offers only weaker ones.
///
/// A store keeps a mechanism under the account's bare address.
///
/// Its functions throw the errors of the store. A connector does not authenticate if it cannot read the mechanism.
public protocol MechanismStore: Sendable {
    /// Returns the remembered mechanism of an account, as SASL names it; `nil` if none is remembered.
    func strongestMechanism(of account: JID) async throws -> String?

    /// Remembers a mechanism. `nil` forgets it, and accepts any mechanism that the server offers next.
    func setStrongestMechanism(_ mechanism: String?, of account: JID) async throws
}

/// A store that forgets everything when its process ends.
public final class MemoryMechanismStore: MechanismStore {
    private let mechanisms = Lock<[JID: String]>([:])

    public init() {}

    public func strongestMechanism(of account: JID) -> String? { mechanisms.withLock { $0[account.bare] } }

    public func setStrongestMechanism(_ mechanism: String?, of account: JID) {
        mechanisms.withLock { $0[account.bare] = mechanism }
    }
}
