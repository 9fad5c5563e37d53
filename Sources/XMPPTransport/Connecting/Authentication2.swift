// SASL2 (XEP-0388): authenticates, resumes and binds in one exchange, then continues the same stream.

import StreamManagement
import XMLTree
import XMPPCore

/// Authentication with the session's inline requests.
enum Authentication2 {
    /// The server's offer.
    static func offer(in features: Element) -> SASLOffer {
        SASLOffer(features.child("authentication", namespace: .uri(Namespaces.sasl2)), in: features)
    }

    /// The session's elements. The binding holds more requests: those that the server accepts there.
    static func inline(
        _ elements: [Element], asking requests: [Element], of features: StreamFeatures
    ) -> [Element] {
        elements.map { element in
            guard element.isNamed("bind", Namespaces.bind2) else { return element }
            let bind = element.thaw()
            for request in requests where request.namespace.map(features.inlineBindFeatures.contains) == true {
                bind.add(request)
            }
            return bind.freeze()
        }
    }

    /// Runs the exchange to its end, and returns `<success/>` with its results.
    static func run(
        _ exchange: inout SASLExchange, on stream: ClientStream, userAgent: UserAgent?, inline: [Element]
    ) async throws -> Element {
        try await stream.send(authenticate(exchange, userAgent, inline), of: exchange)
        for _ in 0..<Authentication.mostRounds {
            let answer = try await stream.next(.authenticating)
            if answer.isNamed("challenge", Namespaces.sasl2) {
                let response = try exchange.respond(to: try Authentication.content(of: answer))
                let text = response.isEmpty ? nil : SASLText.encode(response)
                try await stream.send(
                    MutableElement("response", namespace: .uri(Namespaces.sasl2), text: text).freeze(), of: exchange)
            } else if answer.isNamed("success", Namespaces.sasl2) {
                try finish(&exchange, with: answer)
                return answer
            } else if answer.isNamed("failure", Namespaces.sasl2) {
                throw Authentication.failure(answer, to: exchange.binding)
            } else if answer.isNamed("continue", Namespaces.sasl2) {
                // Tasks come with the mechanism's last message (XEP-0388 §2.6.3): to name some, an impostor has to
                // relay a login without channel binding.
                try finish(&exchange, with: answer)
                throw XMPPConnectionError.tasksNeeded(tasks(in: answer))
            } else {
                throw XMPPConnectionError.unexpectedElement(answer.name, .authenticating)
            }
        }
        throw XMPPConnectionError.serverNotAuthentic(.malformed)
    }

    private static func finish(_ exchange: inout SASLExchange, with answer: Element) throws {
        try exchange.finish(answer.child("additional-data").map { try Authentication.content(of: $0) })
    }

    private static func tasks(in answer: Element) -> [String] {
        let tasks = answer.child("tasks")?.children.filter { $0.name == "task" } ?? []
        return tasks.prefix(mostTasks).compactMap { $0.text?.shortened }
    }

    /// The most tasks that an error lists.
    private static let mostTasks = 10

    private static func authenticate(
        _ exchange: SASLExchange, _ userAgent: UserAgent?, _ inline: [Element]
    ) throws -> Element {
        try MutableElement(
            "authenticate", namespace: .uri(Namespaces.sasl2), attributes: ["mechanism": exchange.mechanism.rawValue]
        ) {
            MutableElement("initial-response", text: SASLText.encode(exchange.initialResponse))
            if let userAgent { try userAgent.element() }
            inline
        }.freeze()
    }
}
