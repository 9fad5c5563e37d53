// Limits the number of connections: the listener accepts another only below the limit, and closes all of them when it
// closes.

import NIOCore

/// The handler of the listening channel. Its event loop alone calls it.
final class ConnectionGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    private let limit: Int
    private var open: [ObjectIdentifier: any Channel] = [:]
    /// Whether the listener wants to accept a connection, and the limit is reached.
    private var isWaiting = false

    init(limit: Int) {
        self.limit = limit
    }

    func read(context: ChannelHandlerContext) {
        guard open.count < limit else {
            isWaiting = true
            return
        }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        open[ObjectIdentifier(connection)] = connection
        let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
        connection.closeFuture.hop(to: context.eventLoop).whenComplete { [id = ObjectIdentifier(connection)] _ in
            bound.value.gate.remove(id, context: bound.value.context)
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isWaiting = false
        for connection in open.values { connection.close(promise: nil) }
        context.fireChannelInactive()
    }

    private func remove(_ id: ObjectIdentifier, context: ChannelHandlerContext) {
        open[id] = nil
        guard isWaiting else { return }
        isWaiting = false
        context.read()
    }
}
