// The transport that a session uses: an authenticated stream with elements in, bytes out, binding and closing.

import Logging
import StreamManagement
import XMLTree
import XMPPCore

/// The transport of ``XMPPConnector``'s connections.
final class XMPPStreamTransport: StanzaTransport {
    private let stream: ClientStream
    private let channel: ByteChannel
    private let account: JID
    private let resource: RequestedResource
    private let bindTimeout: Duration
    private let pulse = StreamPulse()
    private let keepAlive: Task<Void, any Error>

    init(
        _ stream: ClientStream, over channel: ByteChannel, of account: JID,
        _ configuration: XMPPConnectorConfiguration, _ features: StreamFeatures, resource: RequestedResource,
        _ logger: Logger
    ) {
        self.stream = stream
        self.channel = channel
        self.account = account
        self.resource = resource
        bindTimeout = configuration.timeouts.bind
        let loop = KeepAliveLoop(
            stream: stream, channel: channel, pulse: pulse,
            settings: configuration.keepAlive.keeping(within: features.limits), logger: logger,
            pings: !features.supportsStreamManagement)
        keepAlive = Task { try await loop.run() }
    }

    deinit {
        keepAlive.cancel()
        channel.abort()
    }

    func receive() async throws -> Element? {
        try await withTaskCancellationHandler {
            while true {
                try Task.checkCancellation()
                guard let element = try await stream.nextLookingAhead() else { return nil }
                if pulse.noteRead(element) { continue }
                if ReceivedStreamError(element)?.condition == "conflict" { try resource.noteConflict() }
                return element
            }
        } onCancel: {
            channel.abort()
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.write(bytes)
        pulse.noteWritten()
    }

    var traffic: ByteCounts? { channel.traffic }

    var hasInput: Bool { stream.hasInput }

    /// Binds a resource (RFC 6120 §7): another one if the requested one is taken.
    func bind() async throws -> String {
        try await withTaskCancellationHandler {
            try await channel.within(bindTimeout, .binding) {
                while true {
                    do {
                        return try await bind(resource.value)
                    } catch XMPPConnectionError.bindingFailed(condition: "conflict") {
                        try resource.noteConflict()
                    }
                }
            }
        } onCancel: {
            channel.abort()
        }
    }

    private func bind(_ resource: String?) async throws -> String {
        let id = "bind-\(UInt64.random(in: 0...UInt64.max))"
        try await stream.send(request(id, resource))
        let answer = try await stream.next(.binding)
        guard answer.isNamed("iq", Namespaces.client), answer["id"] == id else {
            throw XMPPConnectionError.unexpectedElement(answer.name, .binding)
        }
        let address = try address(in: answer)
        try account.check(bound: address)
        return address
    }

    private func request(_ id: String, _ resource: String?) -> Element {
        MutableElement("iq", namespace: .uri(Namespaces.client), attributes: ["type": "set", "id": id]) {
            MutableElement("bind", namespace: .uri(Namespaces.bind)) {
                if let resource { MutableElement("resource", text: resource) }
            }
        }.freeze()
    }

    private func address(in answer: Element) throws -> String {
        let bind = answer.child("bind", namespace: .uri(Namespaces.bind))
        if answer["type"] == "result", let address = bind?.child("jid")?.text, !address.isEmpty { return address }
        let error = answer.child("error")?.children.first { $0.namespace == Namespaces.stanzaErrors }
        throw XMPPConnectionError.bindingFailed(condition: error?.name ?? "undefined-condition")
    }

    func close() async {
        keepAlive.cancel()
        await stream.close()
    }

    func abort() async {
        keepAlive.cancel()
        channel.abort()
    }
}
