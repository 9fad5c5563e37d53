// A scenario while it is played, as a value: what happens on connections goes in, orders for them come out, until
// there is a verdict. The reference server gives the verdicts about counts, order and resumption. A scene may not know
// sockets, processes or clocks: times are arguments. Scene+Script.swift does the steps, Serving has the sockets.

import SafeText
import StreamReference
import XMLTree

package struct Scene: ~Copyable {
    package enum Event: Sendable {
        case connected(Int, toSecondPort: Bool)
        case received(Int, [UInt8])
        case disconnected(Int)
        /// The program of the client has ended.
        case clientEnded(String)
        case tick
    }

    let scenario: Scenario
    /// The longest wait of a step.
    let patience: Duration
    let account: TortureAccount
    /// The number of the second port, to which the scenario can send the client.
    let secondPort: Int
    let server: ReferenceServer<SceneLink>
    let record: SceneRecord
    let queue = OrderQueue()
    var connections: [Int: ServerConnection<SceneLink>] = [:]
    package internal(set) var verdict: Verdict?

    // MARK: The state of the script

    var step = 0
    /// When the step has begun.
    var stepBegan: Duration?
    var now: Duration = .zero
    var offer: ServerLogin.Offer
    var twists: [(point: Point, twist: Twist, times: Int)] = []
    var answersRequests = true
    var refusesConnections = false
    /// The session that was cut, and the newest connection of that moment.
    var lastSession: String?
    var lastConnection = -1
    var connectionCount = 0
    var secondPortCount = 0
    var requestCount = 0
    var hangUps = 0
    /// The number of ended streams at the last written text.
    var hangUpsBefore = 0
    var lastElementAt: Duration = .zero
    var boundAt: Duration = .zero
    var lastAnswerAt: Duration?
    var requestedAt: Duration = .zero
    private var isFirstAnswer = true
    var asksForResumption = false
    /// Whether a client that knows SASL2 has logged in with it.
    var usesSASL2 = false

    /// The bytes and elements of the client, on all connections.
    private var byteCount = 0
    private var elementCount = 0

    static let mostConnections = 200
    private static let mostBytes = 1 << 25
    private static let mostElements = 50_000

    package init(
        _ scenario: Scenario, account: TortureAccount = TortureAccount(), encrypts: Bool = true,
        secondPort: Int = 0, patience: Duration = .seconds(20)
    ) {
        self.scenario = scenario
        self.account = account
        self.secondPort = secondPort
        self.patience = scenario.isSlow ? patience * 8 : patience
        record = SceneRecord(account: account)
        var setup = ServerSetup()
        if let counter = scenario.firstCounter { setup.firstCounter = counter }
        server = ReferenceServer(setup: setup, record: record)
        server.handlesAtOnce = true
        offer = ServerLogin.Offer()
        offer.encrypts = encrypts
        offer.hasSASL2 = scenario.need == .sasl2
    }

    package var transcript: [String] { queue.transcript.lines }

    /// Takes an event.
    ///
    /// - Returns: The orders that follow, in their order.
    package mutating func handle(_ event: Event, at now: Duration) -> [Order] {
        self.now = now
        server.now = now
        if verdict == nil {
            do throws(Violation) {
                try take(event)
                try advance()
                notice()
            } catch {
                fail(expected: error.invariant, found: error.detail)
            }
        }
        if verdict != nil { for connection in connections.values { connection.link.isOpenAtServer = false } }
        for connection in connections.values.sorted(by: { $0.link.number < $1.link.number }) {
            connection.link.release(at: now)
            if !connection.link.isOpenAtServer || connection.link.isCut { connection.link.close() }
        }
        defer { queue.orders = [] }
        return queue.orders
    }

    mutating func fail(expected: String, found: String) {
        guard verdict == nil else { return }
        verdict = .failed(
            .init(rule: "\(scenario.rule): \(scenario.title)", expected: expected.excerpt(), found: found.excerpt()))
    }

    private mutating func take(_ event: Event) throws(Violation) {
        switch event {
        case .connected(let number, let isSecond): try connect(number, isSecond: isSecond)
        case .received(let number, let bytes):
            guard let connection = connections[number], connection.link.isOpenAtServer else { return }
            byteCount += bytes.count
            if byteCount > Self.mostBytes {
                throw Violation("a client sends a bounded number of bytes", "\(byteCount)")
            }
            connection.link.feed(bytes)
            while connection.link.isOpenAtServer, !connection.link.isCut, verdict == nil,
                let event = try next(on: connection)
            {
                try receive(event, on: connection)
            }
        case .disconnected(let number):
            guard let connection = connections[number], !connection.link.isGone else { return }
            connection.link.isGone = true
            guard connection.link.isOpenAtServer, !connection.link.isCut else { return }
            queue.transcript.add("client:", "closes the connection")
            hangUps += 1
            server.notices(connection)
        case .clientEnded(let reason):
            // A client that another one has replaced may end.
            if step < scenario.steps.count, case .connects(_, _, true) = scenario.steps[step],
                connectionCount > 0
            {
                return
            }
            throw Violation("the client keeps running", reason)
        case .tick: break
        }
    }

    /// The next event of a connection. A client that refuses the server's proof ends a stream that it has not opened.
    private mutating func next(
        on connection: ServerConnection<SceneLink>
    ) throws(Violation) -> XMLStreamParser.Event? {
        do {
            return try connection.link.next()
        } catch {
            guard connection.link.isUnproven else { throw error }
            server.notices(connection)
            return nil
        }
    }

    private mutating func connect(_ number: Int, isSecond: Bool) throws(Violation) {
        if refusesConnections { return queue.orders.append(.close(connection: number, .abrupt)) }
        let link = SceneLink(number: number, isSecond: isSecond, account: account, queue: queue)
        connectionCount += 1
        // The time in which the program starts belongs to no step.
        if connectionCount == 1, stepBegan != nil { stepBegan = now }
        if connectionCount > Self.mostConnections {
            throw Violation("a client waits between its attempts (RFC 6120 §3.3)", "\(connectionCount) connections")
        }
        queue.transcript.add("client:", isSecond ? "connects to the second port" : "connects")
        if isSecond { secondPortCount += 1 }
        link.isShown = scenario.need == .login
        connections[number] = server.accept(link)
    }

    /// Takes note of cut connections.
    private mutating func notice() {
        for connection in connections.values where connection.link.isCut && connection.link.isOpenAtServer {
            if !connection.link.isUnnoticed { server.notices(connection) }
        }
    }

    // MARK: Received elements

    private mutating func receive(
        _ event: XMLStreamParser.Event, on connection: ServerConnection<SceneLink>
    ) throws(Violation) {
        lastElementAt = now
        elementCount += 1
        if elementCount > Self.mostElements {
            throw Violation("a client sends a bounded number of elements", "\(elementCount)")
        }
        switch event {
        case .streamStart(let header):
            if connection.link.isShown { queue.transcript.add("client:", header.element.description) }
            if connection.link.isUnproven, connection.link.login.isAuthenticated {
                // A client that refuses the proof may say so, as `<abort/>`.
                guard header.element.name == "stream" else { return server.notices(connection) }
                throw Violation("a client refuses a server that does not prove itself", "it continues")
            }
            // A redirection counts only on an encrypted stream.
            let isSafe = connection.link.login.isEncrypted || !offer.encrypts
            if isSafe, twist(.header, on: connection, after: "") { return }
            connection.link.write(connection.link.login.header(offer))
            if connection.link.login.isAuthenticated, !connection.link.isShown {
                connection.link.isShown = true
                queue.transcript.add("client:", "has logged in")
            }
        case .element(let element, _):
            if connection.link.isShown { queue.transcript.add("client:", element.description) }
            try receive(element, on: connection)
        case .rejected(let stanza):
            throw Violation("a client writes well-formed XML (RFC 6120 §11)", "\(stanza.error)")
        case .streamEnd:
            queue.transcript.add("client:", "</stream:stream>")
            hangUps += 1
            connection.link.write("</stream:stream>")
            try server.receiveEnd(on: connection)
        }
    }

    private mutating func receive(_ element: Element, on connection: ServerConnection<SceneLink>) throws(Violation) {
        let link = connection.link
        if element.namespace == Names.stream, element.name == "error" {
            hangUps += 1
            return server.notices(connection)
        }
        guard link.login.isAuthenticated else { return try logIn(element, on: connection) }
        switch (element.namespace, element.name) {
        case (Names.management, "enable"):
            guard offer.managesStreams else {
                throw Violation("a client enables nothing that is not offered", element.description)
            }
            asksForResumption = element["resume"] == "true" || element["resume"] == "1"
            if twist(.enabling, on: connection, after: "") { return }
            try server.receive(element, on: connection)
            if scenario.need == .startValue { server.request() }
        case (Names.management, "resume"):
            if case .answerLost? = nextTwist(.resumption) {
                takeTwist(.resumption)
                link.isMute = true
                try server.receive(element, on: connection)
                return link.cut(asReset: true)
            }
            if twist(.resumption, on: connection, after: element["previd"] ?? "") { return }
            try server.receive(element, on: connection)
        case (Names.management, "r"):
            requestCount += 1
            if answersRequests { try server.receive(element, on: connection) }
        case (Names.management, "a"):
            lastAnswerAt = now
            defer { isFirstAnswer = false }
            if ignoresStartValue(element) { return verdict = .notApplicable("it takes no start value of counters") }
            try server.receive(element, on: connection)
        case (Names.client, "iq") where record.answer(toBinding: element) != nil:
            if twist(.binding, on: connection, after: element["id"] ?? "") { return }
            boundAt = now
            try server.receive(element, on: connection)
        default:
            try server.receive(element, on: connection)
            if element.namespace == Names.client, let reply = record.reply(to: element) { server.deliver(reply) }
        }
    }

    /// Whether a client has begun to count at 0, although the scenario asks for another value.
    private func ignoresStartValue(_ element: Element) -> Bool {
        guard let first = scenario.firstCounter, isFirstAnswer, let session = server.activeSession,
            let h = element["h"].flatMap({ UInt32($0) })
        else { return false }
        return h &- first > session.sent.count && h <= session.sent.count
    }

    private mutating func logIn(_ element: Element, on connection: ServerConnection<SceneLink>) throws(Violation) {
        let link = connection.link
        let isStart = element.name == "auth" || element.name == "authenticate"
        if isStart, case .wrongProof? = nextTwist(.authentication) {
            takeTwist(.authentication)
            // With PLAIN, a server proves nothing.
            if element["mechanism"] == "PLAIN" { return verdict = .notApplicable("it does not use SCRAM") }
            link.login.scram.signature = { $0.reversed() }
            link.isUnproven = true
        } else if isStart, twist(.authentication, on: connection, after: "") {
            return
        }
        for action in try link.login.receive(element, offer) {
            switch action {
            case .write(let xml): link.write(xml)
            case .startTLS: link.startTLS()
            case .restart: link.restart()
            case .inline(let resume, let bind, let proof):
                usesSASL2 = true
                try answerInline(resume, bind, proof, on: connection)
            }
        }
    }

    /// Answers a login with SASL2: the answers to `<resume/>`, or to `<bind/>`, are inside `<success/>`.
    private mutating func answerInline(
        _ resume: Element?, _ bind: Element?, _ proof: String, on connection: ServerConnection<SceneLink>
    ) throws(Violation) {
        let link = connection.link
        link.isShown = true
        var answers = ""
        var rest: [UInt8] = []
        if let resume {
            link.captures = true
            let former = queue.orders
            let lines = queue.transcript
            try server.receive(resume, on: connection)
            answers += link.captured
            // The stanzas that are sent again follow `<success/>`.
            for case .write(link.number, let bytes) in queue.orders.dropFirst(former.count) { rest += bytes }
            queue.orders = former
            queue.transcript = lines
        }
        if let bind, connection.session == nil {
            let request = "<iq type='set' id='bind'><bind xmlns='\(Names.bind)'/></iq>"
            link.captures = true
            if let element = try? Element(stanza: request) { try server.receive(element, on: connection) }
            boundAt = now
            var bound = ""
            if let enable = bind.child("enable", namespace: .uri(Names.management)) {
                asksForResumption = enable["resume"] == "true" || enable["resume"] == "1"
                link.captures = true
                try server.receive(enable, on: connection)
                bound = link.captured
            }
            answers += "<bound xmlns='\(Names.bind2)'>\(bound)</bound>"
        }
        let resource = connection.isBound ? "/torture" : ""
        link.write(
            "<success xmlns='\(Names.sasl2)'>\(proof)<authorization-identifier>\(account.address)\(resource)"
                + "</authorization-identifier>\(answers)</success>")
        let hasResumed = answers.hasPrefix("<resumed")
        if !hasResumed { link.write(link.login.featuresAfterSASL2(offer)) }
        if !rest.isEmpty { link.writeToClient(rest) }
    }

    // MARK: Twists

    private func nextTwist(_ point: Point) -> Twist? { twists.first { $0.point == point }?.twist }

    private mutating func takeTwist(_ point: Point) {
        guard let index = twists.firstIndex(where: { $0.point == point }) else { return }
        twists[index].times -= 1
        if twists[index].times == 0 { twists.remove(at: index) }
    }

    /// Does something else than answering.
    ///
    /// - Returns: Whether the server must not answer.
    private mutating func twist(
        _ point: Point, on connection: ServerConnection<SceneLink>, after session: String
    ) -> Bool {
        guard let twist = nextTwist(point) else { return false }
        takeTwist(point)
        let link = connection.link
        func say(_ text: String) {
            if text.isEmpty { return }
            let header =
                point == .header
                ? "<stream:stream xmlns='jabber:client' xmlns:stream='\(Names.stream)' "
                    + "id='torture' from='\(account.domain)' version='1.0'>" : ""
            link.write(
                header
                    + text.replacing("SESSION", with: Names.escaped(session))
                    .replacing("SECONDPORT", with: "\(secondPort)"))
        }
        switch twist {
        case .first(let text):
            say(text)
            return false
        case .instead(let text):
            say(text)
            return true
        case .end(let text):
            say(text)
            link.isOpenAtServer = false
            server.notices(connection)
            return true
        case .reset:
            link.cut(asReset: true)
            return true
        case .late(let time):
            link.hold(until: now + time)
            return false
        case .answerLost, .wrongProof:
            return false
        }
    }
}
