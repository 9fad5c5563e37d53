// The XML of SASL (RFC 6120 §6).

import StreamManagement
import XMLTree
import XMPPCore

/// Authentication on a stream, after which the stream restarts.
enum Authentication {
    /// The server's offer.
    static func offer(in features: Element) -> SASLOffer {
        SASLOffer(features.child("mechanisms", namespace: .uri(Namespaces.sasl)), in: features)
    }

    /// Runs the exchange to its end.
    static func run(_ exchange: inout SASLExchange, on stream: ClientStream) async throws {
        try await stream.send(
            MutableElement(
                "auth", namespace: .uri(Namespaces.sasl), attributes: ["mechanism": exchange.mechanism.rawValue],
                text: SASLText.encode(exchange.initialResponse)
            ).freeze(), of: exchange)
        for _ in 0..<mostRounds {
            let answer = try await stream.next(.authenticating)
            if answer.isNamed("challenge", Namespaces.sasl) {
                let response = try exchange.respond(to: try content(of: answer))
                // No bytes are an empty element here; `=` is for first responses only (§6.4.2).
                let text = response.isEmpty ? nil : SASLText.encode(response)
                try await stream.send(
                    MutableElement("response", namespace: .uri(Namespaces.sasl), text: text).freeze(), of: exchange)
            } else if answer.isNamed("success", Namespaces.sasl) {
                return try exchange.finish(answer.text.isNilOrEmpty ? nil : try content(of: answer))
            } else if answer.isNamed("failure", Namespaces.sasl) {
                throw failure(answer, to: exchange.binding)
            } else {
                throw XMPPConnectionError.unexpectedElement(answer.name, .authenticating)
            }
        }
        throw XMPPConnectionError.serverNotAuthentic(.malformed)
    }

    /// The most rounds of an exchange. SCRAM takes two.
    static let mostRounds = 4

    static func content(of element: Element?) throws -> [UInt8] {
        guard let bytes = SASLText.decode(element?.text) else {
            throw XMPPConnectionError.serverNotAuthentic(.malformed)
        }
        return bytes
    }

    /// A failure's condition is its first child of SASL's namespace, in either version. A failure without one shows
    /// nothing about the account.
    ///
    /// - Parameter binding: the client's statement that the server may have refused: Prosody answers a wrong one with
    ///   `malformed-request`.
    static func failure(_ element: Element, to binding: ChannelBinding = .unsupported) -> XMPPConnectionError {
        let condition = element.children.first { $0.namespace == Namespaces.sasl && $0.name != "text" }
        let text = element.children.first { $0.name == "text" }?.text?.shortened
        if condition?.name == "malformed-request", binding != .unsupported { return .bindingRefused(text: text) }
        return .authenticationFailed(condition: condition?.name ?? "undefined-condition", text: text)
    }
}

extension String? {
    var isNilOrEmpty: Bool { self?.isEmpty ?? true }
}
