// How many bytes requests and acknowledgements take, by policy and pace. No clock: the numbers are the same everywhere.

import Foundation
import StreamManagement
import XMLTree

/// Bytes of requests and acknowledgements for each stanza.
enum AcknowledgementTraffic {
    private static let paces: [(String, Duration)] = [
        ("50 a second", .milliseconds(20)), ("2 a second", .milliseconds(500)), ("one in 10 s", .seconds(10)),
    ]

    private static let policies: [(String, AcknowledgementTrigger)] = [
        ("each stanza", .init(count: 1)), ("5", .init(count: 5)),
        ("5, or 2 s", .init(count: 5, interval: .seconds(2))),
        ("20, or 5 s", .init(count: 20, interval: .seconds(5))), ("2 s", .init(interval: .seconds(2))),
    ]

    static func measure() throws {
        for direction in Direction.allCases {
            var table = Table([direction.traffic] + paces.map(\.0))
            for (name, trigger) in policies {
                table.add(["after \(name)"] + (try paces.map { try bytes(trigger, direction, pace: $0.1).shortly }))
            }
            table.print()
        }
    }

    /// Elements of stream management in both directions, divided by the stanzas. The server answers requests at once.
    private static func bytes(
        _ trigger: AcknowledgementTrigger, _ direction: Direction, pace: Duration
    ) throws -> Double {
        var configuration = StreamManagementConfiguration()
        configuration.acknowledgementRequests = trigger
        configuration.acknowledgements = trigger
        configuration.acknowledgementTimeout = .zero
        configuration.disconnectRefreshInterval = .zero
        var core = StreamManagementCore(configuration: configuration)
        let message = try Exchange.element("<message id='m'/>")
        let count: UInt64 = 1000
        var (bytes, sent, uptime) = (0, 0, Duration.seconds(1))
        var deadlines: [StreamManagementCore.Timer: Duration] = [:]

        func handle(_ event: StreamManagementCore.Event) throws {
            let now = Moment(uptime: uptime, date: Date(timeIntervalSince1970: 1_000_000 + uptime.inSeconds))
            var isAsked = false
            for action in try core.handle(event, at: now) {
                switch action {
                case .send(let nonza):
                    bytes += nonza.byteCount
                    isAsked = nonza == .request
                case .arm(let timer, let deadline): deadlines[timer] = deadline
                case .cancel(let timer): deadlines[timer] = nil
                default: break
                }
            }
            guard isAsked else { return }
            let answer = Nonza.acknowledgement(StanzaCounter(rawValue: UInt32(sent)))
            bytes += answer.byteCount
            try handle(.received(try Exchange.element("<a xmlns='urn:xmpp:sm:3' h='\(sent)'/>")))
        }

        try handle(.enable(resumption: true, maximum: nil, address: nil))
        try handle(.received(try Exchange.element("<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true'/>")))
        bytes = 0
        for number in 1...count {
            let next = Duration.seconds(1) + pace * number
            while let (timer, deadline) = deadlines.min(by: { $0.value < $1.value }), deadline <= next {
                deadlines[timer] = nil
                uptime = deadline
                try handle(.deadline(timer))
            }
            uptime = next
            switch direction {
            case .outgoing:
                sent += 1
                try handle(.send(message, id: nil))
            case .incoming:
                try handle(.received(message))
                try handle(.markHandled(IncomingNumber(rawValue: number)))
            }
        }
        return Double(bytes) / Double(count)
    }
}

extension Nonza {
    fileprivate var byteCount: Int {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes.count
    }
}
