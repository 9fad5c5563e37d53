// An authenticated stream as a session uses it: elements in, bytes out, a resource, and the end.

import Logging
import StreamManagement
import XMLTree

/// The transport of ``XMPPConnector``'s connections.
struct XMPPStreamTransport: StanzaTransport {
    private let stream: ClientStream
    private let resource: String?

    init(
        _ stream: ClientStream, _ configuration: XMPPConnectorConfiguration, _ features: StreamFeatures, logger: Logger
    ) {
        self.stream = stream
        resource = configuration.resource
    }

    func receive() async throws -> Element? {
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await stream.next()
        } onCancel: {
            stream.channel.abort()
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await stream.channel.write(bytes)
    }

    /// Binds (RFC 6120 §7).
    func bind() async throws -> String {
        let id = "bind-\(UInt64.random(in: 0...UInt64.max))"
        return try await withTaskCancellationHandler {
            try await stream.channel.within(stream.timeouts.bind, .binding) {
                try await stream.send(request(id))
                let answer = try await stream.next(.binding)
                guard answer.isNamed("iq", Namespaces.client), answer["id"] == id else {
                    throw XMPPConnectionError.unexpectedElement(answer.name, .binding)
                }
                return try address(in: answer)
            }
        } onCancel: {
            stream.channel.abort()
        }
    }

    private func request(_ id: String) throws -> Element {
        try MutableElement("iq", namespace: .uri(Namespaces.client), attributes: ["type": "set", "id": id]) {
            try MutableElement("bind", namespace: .uri(Namespaces.bind)) {
                if let resource { try MutableElement("resource", text: resource) }
            }
        }.freeze()
    }

    private func address(in answer: Element) throws -> String {
        let bind = answer.child("bind", namespace: .uri(Namespaces.bind))
        if answer["type"] == "result", let address = bind?.child("jid")?.text, !address.isEmpty { return address }
        let error = answer.child("error")?.children.first { $0.namespace == Namespaces.stanzaErrors }
        throw XMPPConnectionError.bindingFailed(condition: error?.name ?? "undefined-condition")
    }

    func close() async { await stream.close() }

    func abort() async { stream.channel.abort() }
}
