// One run: both sides, the network between them, and the choices that move them.

import Foundation
import StreamManagement
import StreamReference
public import TestSupport
import XMLTree

/// A simulated world. The same setup and the same choices give the same run.
public final class StreamSimulation {
    private let setup: StreamSetup
    private let ledger: StreamLedger
    private let server: ReferenceServer<SimulatedLink>
    private let disk: SimulatedDisk
    private let tally: StreamTally
    private var client: SimulatedClient?
    private var uptime: Duration = .zero
    private var clockOffset: TimeInterval = 0
    private var nextStanza = 1
    private var connectionCount = 0
    /// Gets the lines of the transcript, if requested.
    public var log: ((String) -> Void)? {
        didSet { client?.log = log.map(lazily) }
    }
    /// The choice that is being made, until something happens.
    private var title: StreamChoice?

    /// Stanzas that one delivery can bring beyond the bound: the smallest has some 20 bytes.
    static let mostStanzasAtOnce = mostBytesAtOnce / 20 + 1
    static let mostBytesAtOnce = 400

    /// - Parameters:
    ///   - tally: Counts the actions of the client.
    ///   - storage: Keeps the session; the simulation compares it with the disk.
    public init(
        _ setup: StreamSetup, tally: StreamTally = StreamTally(), storage: (any StreamManagementStorage)? = nil
    ) throws {
        self.setup = setup
        disk = SimulatedDisk(storage: storage)
        self.tally = tally
        ledger = StreamLedger(setup: setup)
        server = ReferenceServer(setup: setup.server, record: ledger)
        try start()
    }

    private var now: Moment {
        Moment(
            uptime: uptime,
            date: Date(timeIntervalSince1970: 1_000_000 + uptime / .seconds(1) + clockOffset))
    }

    private func start() throws {
        if client != nil { return }
        do {
            client = try SimulatedClient(
                disk: disk, setup: setup, ledger: ledger, tally: tally, now: now, log: log.map(lazily))
        } catch is Killed {
            kill()
        }
    }

    private func kill() {
        client?.link?.isLeft = true
        client?.wasKilled()
        client = nil
        disk.processEnded()
        ledger.processKilled()
    }

    /// How often the client's disk was written.
    public var writeCount: Int { disk.writeCount }

    /// Kills the process at its n-th write, before or after it is durable.
    public func kill(atWrite number: Int, before: Bool) {
        disk.killAt = (number, before)
    }

    /// Plays a script to its end. Starts a process and connects it whenever none runs. At the end it lets
    /// everything come to rest.
    ///
    /// - Returns: how often the client's disk was written.
    public static func writes(
        of script: [StreamChoice], _ setup: StreamSetup, storage: (any StreamManagementStorage)? = nil,
        kill: (number: Int, before: Bool)? = nil
    ) throws -> Int {
        let simulation = try StreamSimulation(setup, storage: storage)
        if let kill { simulation.kill(atWrite: kill.number, before: kill.before) }
        for choice in script {
            if !simulation.isRunning {
                try simulation.perform(.start)
                try simulation.perform(.connect(resumes: true, enables: true))
            }
            try simulation.perform(choice)
        }
        try simulation.comeToRest()
        return simulation.writeCount
    }

    /// A script in which no process ends by itself, and only at writes.
    public static func script(length: Int, drawnFrom random: SeededGenerator) -> [StreamChoice] {
        var random = random
        let choices = (0..<length).map { _ in random.choice(isRunning: true, isConnected: true) }
        return [.connect(resumes: true, enables: true)] + choices.filter { $0 != .kill && $0 != .close }
    }

    /// Whether a process runs.
    public var isRunning: Bool { client != nil }

    /// Whether the process takes itself to be connected.
    public var isConnected: Bool { client?.link != nil }

    /// Makes one step.
    ///
    /// - Throws: `Violation` when an invariant does not hold.
    public func perform(_ choice: StreamChoice) throws {
        title = choice
        client?.now = now
        server.now = uptime
        do {
            try step(choice)
        } catch is Killed {
            log.map(lazily)?("    killed")
            kill()
        }
    }

    private func step(_ choice: StreamChoice) throws {
        switch choice {
        case .send(let kind): try send(kind: kind)
        case .handle(let index): try client?.handleStanza(at: index)
        case .failToHandle(let index): try client?.failToHandle(at: index)
        case .identify: try client?.identify()
        case .greet: try client?.greet()
        case .withdraw: try client?.withdraw()
        case .requestAcknowledgement: try client?.requestAcknowledgement()
        case .awaitRoom(let places): try client?.awaitRoom(places)
        case .sendAcknowledgement: try client?.sendAcknowledgement()
        case .decide(let mask): try client?.decide(mask: mask)
        case .close: try client?.close()
        case .connect(let resumes, let enables): try connect(resumes: resumes, enables: enables)
        case .write(let count): try client?.write(count)
        case .askForSignOfLife: try client?.askForSignOfLife()
        case .fire(let index): try client?.fire(index)
        case .kill: if client != nil { kill() }
        case .killAtWrite(let before): if client != nil { disk.killsBefore = before }
        case .diskFails(let count): disk.failures = count
        case .store: try client?.store()
        case .transactionFails: client?.failsTransaction = true
        case .start: try start()
        case .setClock(let seconds): clockOffset = TimeInterval(seconds)
        case .serverSends: server.deliver(ledger.nextStanza("s"))
        case .serverSendsRejected: server.deliver(ledger.nextStanza("bqa"))
        case .serverJoins: server.deliver(ledger.nextStanza("j"))
        case .serverBounces:
            guard let id = server.activeSession?.received.last(where: ledger.canBounce) else { return }
            ledger.serverBounces(id)
            server.deliver(id)
        case .serverRequests: server.request()
        case .serverAcknowledges: server.acknowledge()
        case .serverHandles(let count): server.handle(count)
        case .serverRefuses(let refuses): server.refuses = refuses
        case .serverRestarts: try server.restart()
        case .deliverToServer(let index, let bytes):
            guard !server.connections.isEmpty else { return }
            let connection = Array(server.connections.reversed())[index % server.connections.count]
            try deliver(connection.link.takeToServer(bytes), on: connection)
        case .deliverToClient(let bytes):
            guard let client, let link = client.link, client.wantsInput else { return }
            try client.receive(link.takeToClient(min(bytes, Self.mostBytesAtOnce)))
        case .cut(let asReset): (client?.link ?? server.connections.last?.link)?.cut(asReset: asReset)
        case .clientNotices:
            guard let client else { return }
            let isOver = client.link.map { $0.isCut || (!$0.isOpenAtServer && $0.toClient.count == 0) }
            if isOver ?? (client.state == .ended) { try client.lose() }
        case .serverNotices(let index):
            guard !server.connections.isEmpty else { return }
            let connection = Array(server.connections.reversed())[index % server.connections.count]
            if connection.link !== client?.link || connection.link.isCut { server.notices(connection) }
        case .advance(let milliseconds):
            uptime += .milliseconds(milliseconds)
            server.now = uptime
            try server.expire()
        }
    }

    private func deliver(_ bytes: ArraySlice<UInt8>, on connection: ServerConnection<SimulatedLink>) throws {
        var event = try connection.link.next(bytes)
        while let next = event, connection.link.isOpenAtServer {
            switch next {
            case .streamStart: break
            case .element(let element, _): try server.receive(element, on: connection)
            case .rejected(let stanza): throw stanza.error
            case .streamEnd: return try server.receiveEnd(on: connection)
            }
            event = try connection.link.next()
        }
    }

    private func send(kind: Int) throws {
        guard let client, client.hasRoom else { return }
        let id = "c\(nextStanza)"
        nextStanza += 1
        let name = kind < 4 || kind == 6 ? "message" : kind == 4 ? "iq" : "presence"
        if setup.isTooLarge(id) {
            let element = "<message id='\(id)'><body>\(setup.tooLargeBody)</body></message>"
            return try client.send(id, element: element, name: "message")
        }
        if kind == 6 {
            let element = "<message id='\(id)' type='groupchat' to='\(SimulatedClient.room)'/>"
            return try client.send(id, element: element, name: "message")
        }
        try client.send(id, element: "<\(name) id='\(id)'/>", name: name)
    }

    private func connect(resumes: Bool, enables: Bool) throws {
        guard let client, client.state != .ended else { return }
        let link = SimulatedLink()
        connectionCount += 1
        server.accept(link)
        try client.connect(link, resumes: resumes, enables: enables)
    }

    /// Writes the title of the step before the first line that the step causes.
    private func lazily(_ log: @escaping (String) -> Void) -> (String) -> Void {
        { [self] line in
            if let title { log("\(title)") }
            title = nil
            log(line)
        }
    }

    // MARK: The end

    /// Lets everything come to rest, and checks that nothing was lost.
    public func comeToRest() throws {
        log?("no more faults")
        disk.killsBefore = nil
        disk.failures = 0
        server.handlesAtOnce = true
        try perform(.serverRefuses(false))
        try perform(.setClock(seconds: 0))
        try perform(.start)
        try fillQueue()
        guard try repeatRounds(restOnce) else {
            throw Violation("everything comes to rest", "state \(client.map { $0.state.text } ?? "none")")
        }
        try server.expireAll()
        try checkEnd()
    }

    /// Each suspect takes one, and each stanza of a full queue can be a suspect. Where a server is silent at
    /// `<resume/>`, a stanza that it refuses with a reset takes 960: four losses of four resets, each with three
    /// timeouts of six seconds. A planted mistake must not take that long to be found.
    private var mostRounds: Int { setup.refusal == .isSilent && setup.fault == nil ? 10_000 : 2_000 }

    /// More rounds than the longest timeout takes.
    private static let mostIdleRounds = 200

    /// More connections than there are resets for a loss, or attempts to handle a stanza.
    private static let mostIdleConnections = 20

    /// Makes rounds until one of them is the last.
    ///
    /// - Parameter makeRound: Takes the number of the round. Returns whether it is the last.
    /// - Returns: `false` if the rounds bring no more progress.
    private func repeatRounds(_ makeRound: (Int) throws -> Bool) throws -> Bool {
        var (last, lastNumber, lastConnection) = (progress, 0, connectionCount)
        for number in 0..<mostRounds {
            if try makeRound(number) { return true }
            if progress != last { (last, lastNumber, lastConnection) = (progress, number, connectionCount) }
            if number - lastNumber == Self.mostIdleRounds { return false }
            if connectionCount - lastConnection > Self.mostIdleConnections { return false }
        }
        return false
    }

    /// Changes with each round that brings the rest nearer.
    private var progress: [Int] {
        let session = server.activeSession
        return [
            client?.unacknowledgedCount ?? 0, client?.undecided.count ?? 0, client?.lossCount ?? 0,
            session?.acknowledged ?? 0, session?.sent.count ?? 0, session?.received.count ?? 0,
            session?.handledCount ?? 0,
        ]
    }

    /// The application sends more than there is room for. The server acknowledges only in answer to requests, and the
    /// client requests as its configuration says.
    private func fillQueue() throws {
        let limit = setup.configuration.maximumUnacknowledged
        guard limit <= Self.smallQueue else { return }
        // Single stanzas, then transactions that need more than half of the queue.
        for places in [1, limit / 2 + 1] { try fillQueue(places, 2 * limit / places) }
        try perform(.awaitRoom(places: 0))
    }

    private func fillQueue(_ places: Int, _ count: Int) throws {
        var left = count
        let isSent = try repeatRounds { _ in
            while left > 0, client?.hasRoom(for: places) == true, client?.link != nil {
                left -= 1
                for _ in 0..<places { try perform(.send(kind: 0)) }
            }
            if left == 0 { return true }
            try perform(.awaitRoom(places: places))
            try deliverEverything()
            return false
        }
        guard isSent else { throw Violation("a sender that waits for room gets it", "\(left) times \(places) left") }
    }

    private static let smallQueue = 20

    private func restOnce(_ round: Int) throws -> Bool {
        try deliverEverything()
        if isAtRest { return true }
        try perform(.requestAcknowledgement)
        try perform(.serverAcknowledges)
        if round % 4 == 3 { try perform(.sendAcknowledgement) }
        return false
    }

    /// Connects where need be, and lets everything arrive, be handled and be decided.
    private func deliverEverything() throws {
        // It may still be killed at a write.
        try perform(.start)
        guard let client else { return }
        if client.state == .ended || client.state == .disabled(.refused) || client.state == .disabled(.bound) {
            client.link?.cut()
        }
        try perform(.clientNotices)
        if client.link == nil { try perform(.connect(resumes: true, enables: true)) }
        for connection in server.connections where connection.link !== client.link { server.notices(connection) }
        for _ in 0..<8 { try perform(.store) }
        try perform(.write(count: .max))
        for index in server.connections.indices.reversed() {
            try perform(.deliverToServer(link: index, bytes: .max))
        }
        for _ in 0..<20 { try perform(.deliverToClient(bytes: Self.mostBytesAtOnce)) }
        while let client = self.client, !client.unhandled.isEmpty {
            // The last one first, except where a stanza ends the process: the core would blame the waiting ones.
            try perform(.handle(index: setup.hasPoison ? 0 : client.unhandled.count - 1))
        }
        try perform(.greet)
        if let client = self.client, client.holdsForRoom, server.activeSession != nil { try perform(.serverJoins) }
        try perform(.decide(mask: .max))
        try perform(.serverHandles(count: .max))
        try perform(.advance(milliseconds: 300))
        for _ in 0..<6 { try perform(.fire(index: 0)) }
    }

    private var isAtRest: Bool {
        guard let client, client.state == .enabled, let link = client.link, client.hasWritten, link.toServer.count == 0,
            link.toClient.count == 0, let session = server.activeSession
        else { return false }
        return client.unacknowledgedCount == 0 && session.acknowledged == session.sent.count
            && session.handledCount == session.received.count && client.undecided.isEmpty
    }

    private func checkEnd() throws {
        guard let client, let session = server.activeSession else { throw Violation("there is a session at the end") }
        guard client.resumptionID == session.id else { throw Violation("both sides agree on the session") }
        guard client.acknowledged == session.counter(session.received.count) else {
            throw Violation("both sides agree on the sent count", "\(client.acknowledged)")
        }
        guard client.handled == session.counter(session.sent.count) else {
            throw Violation("both sides agree on the received count", "\(client.handled)")
        }
        try ledger.checkEnd(disk: disk)
    }
}
