// A core that talks with a server that does right, without a network.

import Foundation
import StreamManagement
import XMLTree

/// Which way stanzas go.
enum Direction: CaseIterable, CustomStringConvertible {
    case outgoing, incoming

    var description: String {
        switch self {
        case .outgoing: "sending"
        case .incoming: "receiving"
        }
    }

    /// The direction's traffic, for a table's head: stanzas and the elements that acknowledge them.
    var traffic: String {
        switch self {
        case .outgoing: "stanzas sent, a request"
        case .incoming: "stanzas received, an acknowledgement"
        }
    }
}

/// One enabled session with its storage.
final class Exchange {
    private var core: StreamManagementCore
    private let store: (any SessionStore)?
    private var actions: [StreamManagementCore.Action] = []
    private var changes: [StorageChange] = []
    private let now = Moment(uptime: .seconds(1), date: Date(timeIntervalSince1970: 1_000_000))
    private let message: Element

    /// The message that is sent and received.
    static let text = """
        <message to='romeo@example.net/orchard' from='juliet@example.org/balcony' type='chat' id='7f3a9c52'>\
        <body>Wherefore art thou, Romeo? Deny thy father and refuse thy name.</body>\
        <origin-id xmlns='urn:xmpp:sid:0' id='7f3a9c52'/><request xmlns='urn:xmpp:receipts'/></message>
        """

    init(store: (any SessionStore)?) throws {
        self.store = store
        var configuration = StreamManagementConfiguration()
        configuration.acknowledgementRequests = .init(count: 5)
        configuration.acknowledgements = .init(count: 5)
        configuration.acknowledgementTimeout = .zero
        core = StreamManagementCore(configuration: configuration)
        message = try Self.element(Self.text)
        try handle(.enable(resumption: true, maximum: nil, address: "juliet@example.org/balcony"))
        try handle(.received(try Self.element("<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true' max='600'/>")))
    }

    static func element(_ xml: String) throws -> Element { try Element(stanza: xml) }

    /// The server's acknowledgements of this many stanzas. They are parsed before the stanzas are sent: parsing is
    /// measured elsewhere.
    static func answers(count: Int) throws -> [Element] {
        try (1...(count / 5)).map { try element("<a xmlns='urn:xmpp:sm:3' h='\($0 * 5)'/>") }
    }

    /// Sends or receives as many stanzas as there are answers for.
    func run(_ direction: Direction, answers: [Element]) throws {
        let count = answers.count * 5
        switch direction {
        case .outgoing:
            for number in 1...count {
                try handle(.send(message, id: nil))
                if number % 5 == 0 { try handle(.received(answers[number / 5 - 1])) }
            }
        case .incoming:
            for number in 1...count {
                try handle(.received(message))
                try handle(.markHandled(IncomingNumber(rawValue: UInt64(number))))
            }
        }
    }

    /// Lets the core handle an event, and stores its changes: those that can wait with the next other ones.
    private func handle(_ event: StreamManagementCore.Event) throws {
        try core.handle(event, at: now, into: &actions)
        defer { actions.removeAll(keepingCapacity: true) }
        if store == nil { return }
        var isDue = false
        for case .store(let change, let urgency) in actions {
            changes.append(change)
            isDue = isDue || urgency > .deferrable
        }
        if isDue { try flush() }
    }

    /// Stores the changes that wait.
    func flush() throws {
        if !changes.isEmpty { try store?.write(changes) }
        changes = []
    }
}
