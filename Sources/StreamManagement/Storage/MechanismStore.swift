// Remembers how accounts were authenticated. Connectors decide which mechanism is stronger.

import Synchronization

/// Remembers the strongest mechanism that each account was authenticated with, so that a connector notices when a
/// server suddenly offers only weaker ones.
///
/// Both methods get the account as the app writes it. A store keeps a mechanism under `key(of:)`, so that the case of
/// an account does not matter. Other spellings, such as another form of an international domain, are other accounts.
public protocol MechanismStore: Sendable {
    /// Returns the remembered mechanism of an account, as SASL names it; `nil` if none is remembered.
    func strongestMechanism(of account: String) async throws -> String?

    /// Remembers a mechanism. `nil` forgets it, and accepts any mechanism that the server offers next.
    func setStrongestMechanism(_ mechanism: String?, of account: String) async throws
}

extension MechanismStore {
    /// The key under which a store keeps an account's mechanism. Addresses that differ only in case have the same key.
    public static func key(of account: String) -> String { account.lowercased() }
}

/// A store that forgets everything when its process ends.
public final class MemoryMechanismStore: MechanismStore {
    private let mechanisms = Mutex<[String: String]>([:])

    public init() {}

    public func strongestMechanism(of account: String) -> String? { mechanisms.withLock { $0[Self.key(of: account)] } }

    public func setStrongestMechanism(_ mechanism: String?, of account: String) {
        mechanisms.withLock { $0[Self.key(of: account)] = mechanism }
    }
}
