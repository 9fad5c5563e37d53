// How many bytes requests and acknowledgements take, by policy and pace. No clock: the numbers are the same everywhere.

import Foundation
import StreamManagement
import XMLTree

/// A client that sends and receives, and a server that answers requests at once and asks as the client does.
enum AcknowledgementTraffic {
    static func measure() throws {
        let policies: [(String, AcknowledgementTrigger)] = [
            ("every stanza", .init(count: 1)), ("every 5", .init(count: 5)),
            ("every 5, or after 2 s", .init(count: 5, interval: .seconds(2))),
            ("every 20, or after 5 s", .init(count: 20, interval: .seconds(5))),
            ("after 2 s", .init(interval: .seconds(2))),
        ]
        for (name, trigger) in policies {
            let bytes = try [Duration.milliseconds(20), .milliseconds(500), .seconds(10)].map {
                try bytesForEachStanza(trigger, pace: $0).shortly
            }
            print("requests \(name): \(bytes.joined(separator: ", ")) bytes for each of 50, 2, 0.1 stanzas a second")
        }
    }

    /// Requests of the client and their answers, divided by the stanzas that it sends.
    private static func bytesForEachStanza(_ trigger: AcknowledgementTrigger, pace: Duration) throws -> Double {
        var configuration = StreamManagementConfiguration()
        configuration.acknowledgementRequests = trigger
        configuration.acknowledgementTimeout = .zero
        configuration.disconnectRefreshInterval = .zero
        var core = StreamManagementCore(configuration: configuration)
        let message = try Exchange.element("<message id='m'/>")
        let count = 1000
        var (bytes, sent, uptime) = (0, 0, Duration.seconds(1))
        var deadlines: [StreamManagementCore.Timer: Duration] = [:]

        func handle(_ event: StreamManagementCore.Event) throws {
            let now = Moment(uptime: uptime, date: Date(timeIntervalSince1970: 1_000_000 + uptime.inSeconds))
            var isAsked = false
            for action in try core.handle(event, at: now) {
                switch action {
                case .send(.request):
                    bytes += Nonza.request.byteCount
                    isAsked = true
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
        for number in 1...count {
            let next = Duration.seconds(1) + pace * number
            while let (timer, deadline) = deadlines.min(by: { $0.value < $1.value }), deadline <= next {
                deadlines[timer] = nil
                uptime = deadline
                try handle(.deadline(timer))
            }
            uptime = next
            sent += 1
            try handle(.send(message, id: nil))
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
