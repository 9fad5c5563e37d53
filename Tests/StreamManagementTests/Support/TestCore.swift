// A core under test, with a clock that a test advances.

import Foundation
import Simulators
import StreamManagement
import Testing
import XMLTree

/// A core in a box, so that tests can look at it inside of `#expect`.
final class TestCore {
    typealias Core = StreamManagementCore

    private var core: Core
    private(set) var now = Moment(uptime: .zero, date: TestCore.start)

    static let start = Date(timeIntervalSince1970: 1_000_000)

    init(
        _ configuration: StreamManagementConfiguration = .quiet, restoring session: StoredSession? = nil,
        limit: Int? = nil, awaitsGreetings: Bool = false
    ) {
        core = Core(configuration: configuration)
        core.awaitsGreetings = awaitsGreetings
        core.maximumStanzaBytes = limit
        if let session { handle(.restore(session)) }
    }

    var copy: Core { core }
    var state: Core.State { core.state }
    var didResume: Bool { core.didResume }
    var resumption: Resumption? { core.resumption }
    var hasRoom: Bool { core.hasRoom }
    var wantsInput: Bool { core.wantsInput }
    var handled: UInt32 { core.handledCounter.rawValue }
    var acknowledged: UInt32 { core.acknowledgedCounter.rawValue }
    var unacknowledged: [OutgoingStanza] { Array(core.unacknowledged) }
    var undecided: [OutgoingStanza] { core.undecidedStanzas }
    var held: [OutgoingStanza] { Array(core.held) }
    var canResume: Bool { core.canResume }
    var probableExpiry: Date? { core.probableExpiry }

    var configuration: StreamManagementConfiguration {
        get { core.configuration }
        set { core.configuration = newValue }
    }

    /// Advances both clocks.
    func wait(_ time: Duration) {
        now.uptime += time
        now.date += time / .seconds(1)
    }

    /// The limit of the next stream's server.
    func setLimit(_ bytes: Int?) { core.maximumStanzaBytes = bytes }

    func setDate(_ date: Date) { now.date = date }

    func setUptime(_ uptime: Duration) { now.uptime = uptime }

    /// Sets the kinds of stanzas that new sessions hold.
    func hold(where isHeld: @escaping @Sendable (Element) -> Bool) { core.isHeld = isHeld }

    /// Handles an event that may be illegal.
    func attempt(_ event: Core.Event) throws(StreamManagementError) -> [Core.Action] {
        try core.handle(event, at: now)
    }

    /// Handles a legal event.
    @discardableResult
    func handle(_ event: Core.Event, at location: SourceLocation = #_sourceLocation) -> [Core.Action] {
        do {
            return try attempt(event)
        } catch {
            Issue.record("\(event) was refused: \(error)", sourceLocation: location)
            return []
        }
    }

    /// Handles an illegal event.
    func refusal(of event: Core.Event) -> StreamManagementError? {
        do {
            _ = try attempt(event)
            return nil
        } catch {
            return error
        }
    }

    /// Takes stanzas back, and gives the actions in words.
    func revoke(_ numbers: Set<OutgoingNumber>) -> [String] {
        core.revoke(numbers, isCounted: true, at: now).map(\.text)
    }

    /// A transaction has stored that stanzas are handled.
    func markHandled(_ numbers: [IncomingNumber], stored count: UInt32) -> (actions: [Core.Action], isStored: Bool) {
        core.markHandled(numbers, stored: StanzaCounter(rawValue: count), at: now)
    }

    // MARK: In words

    /// Handles an event, and gives the actions in words.
    @discardableResult
    func text(_ event: Core.Event) -> [String] { handle(event).map(\.text) }

    /// Receives an element that is written as XML, with the prefix `sm` in scope.
    @discardableResult
    func receive(_ xml: String) -> [String] { text(.received(element(xml))) }

    @discardableResult
    func send(_ xml: String, id: StanzaID? = nil) -> [String] { text(.send(element(xml), id: id)) }

    /// Returns the sent elements among actions in words.
    static func sent(_ actions: [String]) -> [String] {
        actions.filter { $0.hasPrefix("send ") || $0.hasPrefix("transmit ") || $0.hasPrefix("error ") }
    }
}

extension StreamManagementConfiguration {
    /// A configuration without the timers that are on by default, so that tests see only their own timers.
    static var quiet: StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration()
        configuration.acknowledgementTimeout = .zero
        configuration.negotiationTimeout = .zero
        configuration.disconnectRefreshInterval = .zero
        return configuration
    }

    static func quiet(_ change: (inout StreamManagementConfiguration) -> Void) -> StreamManagementConfiguration {
        var configuration = quiet
        change(&configuration)
        return configuration
    }
}

extension TestCore {
    /// A core whose session is enabled; the counters are at zero.
    static func enabled(
        _ configuration: StreamManagementConfiguration = .quiet,
        answer: String = "<sm:enabled id='s1' resume='true' max='600'/>", awaitsGreetings: Bool = false
    ) -> TestCore {
        let core = TestCore(configuration, awaitsGreetings: awaitsGreetings)
        core.handle(.enable(resumption: true, maximum: nil, address: "juliet@example.org/balcony"))
        core.receive(answer)
        return core
    }

    /// Receives a message, and marks it as handled unless it shall wait.
    @discardableResult
    func receiveMessage(_ id: String, handled: Bool = true) -> IncomingNumber? {
        for case .deliver(let stanza) in handle(.received(element("<message id='\(id)'/>"))) {
            guard let number = stanza.number else { return nil }
            if handled { self.handle(.markHandled(number)) }
            return number
        }
        return nil
    }
}

/// The markup of a message whose body has this many bytes.
func message(_ id: String, bytes: Int = 2000) -> String {
    "<message id='\(id)'><body>\(String(repeating: "x", count: bytes))</body></message>"
}

/// The markup of an error that answers a message.
func bounce(of id: String, from sender: String? = nil, name: String = "message") -> String {
    let from = sender.map { " from='\($0)'" } ?? ""
    return "<\(name) type='error' id='\(id)'\(from)><error type='cancel'><service-unavailable "
        + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></\(name)>"
}

/// The report of a parser with these limits on a stanza.
func rejected(_ xml: String, limits: ParserLimits = ParserLimits(depth: 2)) -> RejectedStanza {
    var parser = XMLStreamParser(mode: .stream, limits: limits)
    parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>")
    parser.feed(xml)
    while let event = try? parser.next() {
        if case .rejected(let stanza) = event { return stanza }
    }
    preconditionFailure("\(xml) is within the limits")
}

/// An element of a client's stream: `sm`, `stream` and `err` are bound, too.
func element(_ xml: String) -> Element {
    var context = NamespaceContext.clientStream
    context.prefixes["sm"] = "urn:xmpp:sm:3"
    context.prefixes["err"] = "urn:ietf:params:xml:ns:xmpp-streams"
    do {
        return try Element(parsing: xml, in: context)
    } catch {
        preconditionFailure("\(xml): \(error)")
    }
}
