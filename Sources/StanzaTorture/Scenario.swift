// A scenario is a value: a name, its rule, and the steps of the server. It may not know sockets, processes or clocks.
// The tables are in Scenarios; Scene.swift plays them.

import StreamReference

/// One thing that a server does to a client, and the rule that says what the client owes it.
public struct Scenario: Sendable {
    public let name: String
    /// The specification, with its section.
    public let rule: String
    /// The rule in one sentence.
    public let title: String
    /// Whether it takes more than a few seconds.
    public let isSlow: Bool
    /// The features that a client must have for it.
    let need: Need
    let steps: [Step]

    init(
        _ name: String, _ rule: String, _ title: String, _ need: Need = .resumption, isSlow: Bool = false,
        _ steps: Step...
    ) {
        self.name = name
        self.rule = rule
        self.title = title
        self.need = need
        self.isSlow = isSlow
        self.steps = steps
    }

    /// All scenarios, in the order of a report.
    public static let all = counting + acknowledging + cutting + resuming + refusing + streams + loggingIn

    /// The beginning of all counters, if the scenario needs a client that takes one.
    public var firstCounter: UInt32? { need == .startValue ? Self.startValue : nil }
    /// Ten stanzas before the counters wrap.
    static let startValue = UInt32.max - 9

    /// The features that a client must have for a scenario.
    enum Need: Int, Sendable {
        case login, acknowledgements, resumption, startValue, sasl2
    }
}

/// An action of the server, or something that it waits for.
enum Step: Sendable {
    // MARK: Circumstances

    /// Changes how the reference server treats the client.
    case set(@Sendable (inout ServerSetup) -> Void)
    /// Changes the answers at a point of the negotiation, so many times.
    case twist(Point, Twist, times: Int = 1)
    /// Offers stream management, or does not.
    case offersManagement(Bool)
    /// Answers `<r/>`, or does not.
    case answersRequests(Bool)
    /// Writes byte by byte.
    case trickles(Bool)
    /// Closes each new connection at once.
    case refusesConnections(Bool)

    // MARK: Actions

    /// Sends messages that the client echoes.
    case ping(Int)
    /// Sends a message that the client echoes, with this text after `ping `, as XML.
    case pingText(String)
    /// Asks for numbered messages.
    case ask(Int)
    /// Sends a stanza that counts.
    case deliver(String)
    /// Writes text that does not count.
    case write(String)
    /// Requests acknowledgements.
    case request(Int)
    /// Acknowledges everything.
    case acknowledge
    /// Cuts the connection.
    case cut(asReset: Bool = false)
    /// Cuts the connection, and the server does not notice.
    case leave
    /// Cuts the connection after so many more bytes to the client.
    case cutAfter(Int)
    /// Loses the bytes from the client, except for the next ones; `nil` loses none.
    case hear(Int?)
    /// Loses everything that the server writes.
    case mute
    /// Sends a stream error, and closes.
    case complain(String)
    case restart
    /// Forgets the sessions without a connection.
    case forget(keepsTombstones: Bool)
    case pause(Duration)

    // MARK: Waits

    /// Until the client has a resource, with the features that the scenario needs.
    case online
    /// Until the client has resumed the session that was cut, or has begun another one.
    case resumed, anew
    /// Until the client has echoed all messages, and sent all numbers.
    case echoed, sent
    /// Until the client has acknowledged everything.
    case acknowledged
    /// Until the client ends the stream that got the last written text.
    case hangsUp
    /// Until the client has connected to the second port.
    case comesToSecondPort
    /// For this time, in which the client connects no more often. Its program may end if the scenario says so.
    case connects(atMost: Int, during: Duration, mayEnd: Bool = false)
    /// The client has sent no more requests than this.
    case requests(atMost: Int)
    /// The client has answered an `iq` of this id, with this type.
    case answered(String, type: String)
    /// No stanza that was sent again has a stamp with its sender.
    case unnamed
    /// The client has sent nothing with this id.
    case unanswered(String)
}

/// A point of the negotiation at which the server can do something else.
enum Point: Sendable {
    case header, authentication, binding, enabling, resumption
}

/// Something else than an answer. `SESSION` in a text is the id of the client's session.
enum Twist: Sendable {
    /// Says this and the answer.
    case first(String)
    /// Says this instead.
    case instead(String)
    /// Says this, and closes the stream.
    case end(String)
    /// Resets the connection.
    case reset
    /// Keeps the answer, and everything after it, for this time.
    case late(Duration)
    /// Does as the request says, and resets the connection before the answer has left.
    case answerLost
    /// Proves itself with the wrong password.
    case wrongProof
}
