// A server's offer for authentication, and whether SCRAM confirms that it is the server's own.

import Foundation
import XMLTree
import XMPPCore

/// The mechanisms of one profile, SASL or SASL2, and the kinds of channel binding.
struct SASLOffer: Sendable {
    /// The mechanisms' names, in the server's order.
    var mechanisms: [String] = []
    /// The kinds of channel binding (XEP-0440); `nil` if the server does not list them.
    var bindings: [String]?

    /// The longest list that is read. The registry has some thirty mechanisms, and five kinds of binding.
    private static let longestList = 100

    /// Reads a list of mechanisms, and the kinds beside it.
    init(_ list: Element?, in features: Element) {
        guard let list else { return }
        mechanisms = list.children.filter { $0.name == "mechanism" }.prefix(Self.longestList).compactMap(\.text)
        bindings = features.child("sasl-channel-binding", namespace: .uri(Namespaces.channelBinding))?
            .children.filter { $0.name == "channel-binding" }.prefix(Self.longestList).compactMap { $0["type"] }
    }

    init() {}

    /// Whether the server offers any channel binding.
    var hasBinding: Bool { mechanisms.contains { $0.hasSuffix("-PLUS") } }
}

extension SASLOffer {
    /// The attributes of a server's first message that confirm its offer (XEP-0474): the current one, and the one
    /// before version 0.4, each with the separators of names and of lists.
    private static let confirmations: [Character: (name: UInt8, list: UInt8)] = [
        "h": (0x1E, 0x1F), "d": (UInt8(ascii: ","), UInt8(ascii: "|")),
    ]

    /// Whether an attribute is about the offer.
    static func isConfirmation(_ attribute: Character) -> Bool { confirmations[attribute] != nil }

    /// Whether an attribute confirms that the server has sent this offer.
    func isConfirmed(by attribute: (name: Character, value: Substring), _ hash: SCRAMHash) -> Bool {
        guard let separators = Self.confirmations[attribute.name] else { return false }
        func joined(_ names: [String]) -> [UInt8] {
            let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            return Array(sorted.joined(separator: [separators.name]))
        }
        let lists = joined(mechanisms) + (bindings.map { [separators.list] + joined($0) } ?? [])
        return Data(hash.hash(lists)).base64EncodedString() == attribute.value
    }
}
