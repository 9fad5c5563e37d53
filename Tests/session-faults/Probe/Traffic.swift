// The application's own traffic: it sends messages and requests, until its task is canceled.

import Foundation
import Handlers
import Persistence
import TestSupport
import XMLTree
import XMPPSession

/// Messages and requests for bob, in an order that the seed decides.
struct Traffic {
    let probe: ProbeSession
    private var random: SeededGenerator
    private var count = 0

    init(_ probe: ProbeSession) {
        self.probe = probe
        random = SeededGenerator(seed: probe.setup.seed)
    }

    private var log: ProbeLog { probe.log }
    private var session: DurableSession { probe.session }

    mutating func run() async {
        while !Task.isCancelled {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60: await send(1)
            case 60..<70: await send(Int.random(in: 2...8, using: &random))
            case 70..<80: await sendTogether()
            default: await ask()
            }
            try? await Task.sleep(for: .milliseconds(Int.random(in: 1...60, using: &random)))
        }
    }

    private mutating func nextID(_ kind: String) -> String {
        count += 1
        return "\(kind)-\(probe.setup.life)-\(count)"
    }

    private mutating func send(_ count: Int) async {
        let ids = (0..<count).map { _ in nextID("m") }
        for id in ids { log.note("sending", id) }
        do {
            for id in ids {
                if probe.setup.mistake == .tellEarly { log.note("acknowledged", id) }
                try await session.send(ProbeSession.message(id))
                log.note("stored", id)
            }
        } catch {
            // Another process has the session.
        }
    }

    private mutating func sendTogether() async {
        let ids = [nextID("m"), nextID("m")]
        for id in ids { log.note("sending", id) }
        do {
            try await session.transaction { work in
                for id in ids { try work.send(ProbeSession.message(id)) }
            }
            for id in ids { log.note("stored", id) }
        } catch {
            // Another process has the session.
        }
    }

    /// A single request, with a promise, which bob answers.
    mutating func askOnce() async {
        while await session.stream.state != .enabled { try? await Task.sleep(for: .milliseconds(5)) }
        await ask("result")
    }

    /// Sends a request, whose name asks bob for an answer. One that bob forgets has a timeout; the others wait without
    /// limit.
    private mutating func ask() async { await ask(random.pick(["result", "result", "error", "twice", "forget"])) }

    private mutating func ask(_ kind: String) async {
        let id = nextID("q") + "-" + kind
        let timeout = kind == "forget" ? Duration.milliseconds(Int.random(in: 1...1500, using: &random)) : nil
        log.note("asking", id)
        do {
            let promise: Promise<String>? = probe.setup.isApp ? try await probe.promises.create(key: id) : nil
            let handler = try probe.handlers.handler(
                "Probe|answered", invalidation: "Probe|ended", binding: ["request": id, "promise": promise])
            let iq = MutableElement(
                "iq", namespace: .uri("jabber:client"),
                attributes: ["type": "get", "to": "bob@localhost/desk", "id": id]
            ) { MutableElement("question", namespace: .uri("urn:example:faults")) }.freeze()
            probe.setup.begin(.request)
            try await session.request(iq, handler: handler, timeout: timeout)
            log.note("asked", id)
            if let promise { show(promise, id) }
        } catch {
            // Another process has the session.
        }
    }

    /// Waits for the answers to the requests of earlier lives.
    func reattach() async throws {
        let asked = try await probe.askedBefore()
        for id in asked {
            if let promise = try await probe.promises.reattach(key: id, as: String.self) { show(promise, id) }
        }
    }

    private func show(_ promise: Promise<String>, _ id: String) {
        Task { [log] in
            guard let outcome = try? await promise.value else { return }
            log.note("shown", id, outcome)
        }
    }
}
