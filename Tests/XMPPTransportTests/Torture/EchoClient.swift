// An echo client in memory, with mistakes on request: small enough to be right without them. It reads bytes and writes
// bytes; Stage.swift joins it with a scene. It shares no code with StreamManagement.

import Foundation
import XMLTree

@testable import StanzaTorture

final class EchoClient {
    /// The mistakes of real clients.
    enum Mistake: String, CaseIterable {
        case countsEnabled, countsRequests, wrapsTooEarly, countsSentFromEnabled, ignoresTooMuch, clearsQueue,
            resendsEverything, resendsInReverse, stampsWithSender, bindsAfterResumption, resumesForEver, escapesNothing,
            splitsCharacters, answersErrors, reconnectsAtOnce, enablesAlways, resumesAlways
    }

    private enum Phase { case connected, encrypting, loggingIn, authenticated, resuming, binding, enabling, online }

    private let mistake: Mistake?
    private let firstCounter: UInt32
    private var parser = XMLStreamParser(mode: .stream)
    private var phase = Phase.connected
    private var isConnected = false
    private var canManage = false
    private(set) var output: [UInt8] = []
    /// It has ended the stream.
    private(set) var hasHungUp = false
    /// When it connects, and the number of attempts that failed.
    private var connectsAt: Duration = .zero
    private var failures = 0

    private var session: String?
    private var handled: UInt32 = 0
    private var acknowledged: UInt32 = 0
    private var unacknowledged: [String] = []
    private var unanswered = 0
    private var resumingSince: Duration?

    init(_ mistake: Mistake?, firstCounter: UInt32 = 0) {
        self.mistake = mistake
        self.firstCounter = firstCounter
    }

    func wantsConnection(at now: Duration) -> Bool { !isConnected && now >= connectsAt }

    /// It waits ten seconds for an answer to `<resume/>`.
    func tick(at now: Duration) {
        if phase != .resuming { resumingSince = nil }
        guard isConnected, phase == .resuming else { return }
        resumingSince = resumingSince ?? now
        if now - (resumingSince ?? now) > .seconds(10) { hasHungUp = true }
    }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    func connected() {
        (isConnected, hasHungUp, canManage) = (true, false, false)
        resumingSince = nil
        phase = .connected
        open()
    }

    func disconnected(at now: Duration) {
        guard isConnected else { return }
        if phase == .resuming { unanswered += 1 }
        if unanswered == 3, mistake != .resumesForEver { forget() }
        isConnected = false
        output = []
        failures = phase == .online ? 0 : failures + 1
        connectsAt = mistake == .reconnectsAtOnce ? now : now + .seconds(min(1 << failures, 16))
    }

    private func forget() {
        session = nil
        unanswered = 0
        unacknowledged = []
    }

    private func open() {
        parser.reset()
        write(
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='\(Names.stream)' to='localhost' version='1.0'>"
        )
    }

    private func write(_ text: String) { output += Array(text.utf8) }

    private func send(_ stanza: String) {
        write(stanza)
        guard session != nil || phase == .enabling else { return }
        if phase == .enabling, mistake == .countsSentFromEnabled { return }
        unacknowledged.append(stanza)
    }

    private func hangUp(_ condition: String) {
        write("<stream:error><\(condition) xmlns='\(Names.streams)'/></stream:error></stream:stream>")
        hasHungUp = true
        if session != nil, condition == "undefined-condition" { forget() }
    }

    // MARK: Input

    func receive(_ bytes: [UInt8]) {
        if mistake == .splitsCharacters {
            parser.feed(Array(String(decoding: bytes, as: UTF8.self).utf8))
        } else {
            parser.feed(bytes)
        }
        while isConnected, !hasHungUp {
            do {
                guard let event = try parser.next() else { return }
                switch event {
                case .streamStart: break
                case .element(let element, _): receive(element)
                case .rejected: count()
                case .streamEnd: hasHungUp = true
                }
            } catch {
                return hangUp("not-well-formed")
            }
        }
    }

    private func count() {
        if session == nil { return }
        handled = mistake == .wrapsTooEarly && handled == .max - 1 ? 0 : handled &+ 1
    }

    private func receive(_ element: Element) {
        switch (element.namespace, element.name) {
        case (Names.stream, "features"): features(element)
        case (Names.stream, "error"): hasHungUp = true
        case (Names.tls, "proceed"):
            phase = .encrypting
            open()
        case (Names.sasl, "success"):
            phase = .authenticated
            open()
        case (Names.sasl, _): hangUp("not-authorized")
        case (Names.management, _): manage(element)
        case (Names.client, _): receiveStanza(element)
        default: break
        }
    }

    private func features(_ features: Element) {
        if features.child("starttls", namespace: .uri(Names.tls)) != nil {
            return write("<starttls xmlns='\(Names.tls)'/>")
        }
        if phase != .authenticated {
            let text = Data("\0echo\0secret".utf8).base64EncodedString()
            return write("<auth xmlns='\(Names.sasl)' mechanism='PLAIN'>\(text)</auth>")
        }
        canManage = features.child("sm", namespace: .uri(Names.management)) != nil
        // Without resumption, the session is an empty text.
        guard let session, canManage, !session.isEmpty || mistake == .resumesAlways else {
            forget()
            return bind()
        }
        phase = .resuming
        if mistake == .clearsQueue { unacknowledged = [] }
        let id = mistake == .escapesNothing ? session : Names.escaped(session)
        write("<resume xmlns='\(Names.management)' previd='\(id)' h='\(handled)'/>")
    }

    private func bind() {
        phase = .binding
        write("<iq type='set' id='bind'><bind xmlns='\(Names.bind)'/></iq>")
    }

    private func manage(_ element: Element) {
        switch element.name {
        case "enabled":
            phase = .online
            session = element["resume"] == "true" ? element["id"] ?? "" : nil
            // Without resumption it still counts.
            session = session ?? (element["id"].map { _ in "" })
            (handled, acknowledged) = (firstCounter, firstCounter)
            if mistake == .countsEnabled { handled &+= 1 }
        case "failed":
            if phase == .resuming {
                forget()
                bind()
            } else {
                phase = .online
            }
        case "resumed":
            guard phase == .resuming else { return }
            unanswered = 0
            phase = .online
            resumed(element)
        case "r":
            write("<a xmlns='\(Names.management)' h='\(handled)'/>")
            if mistake == .countsRequests { count() }
        case "a": if phase != .resuming { acknowledge(element["h"]) }
        default: break
        }
    }

    private func resumed(_ element: Element) {
        if mistake != .resendsEverything { acknowledge(element["h"]) }
        if mistake == .bindsAfterResumption { bind() }
        let stamp =
            "<delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'"
            + (mistake == .stampsWithSender ? " from='echo@localhost'/>" : "/>")
        for stanza in mistake == .resendsInReverse ? unacknowledged.reversed() : unacknowledged {
            write(stanza.replacing("</message>", with: stamp + "</message>"))
        }
    }

    private func acknowledge(_ h: String?) {
        guard let h = h.flatMap({ UInt32($0) }) else { return hangUp("undefined-condition") }
        let count = h &- acknowledged
        guard count <= unacknowledged.count else {
            if mistake == .ignoresTooMuch { return }
            return hangUp("undefined-condition")
        }
        unacknowledged.removeFirst(Int(count))
        acknowledged = h
    }

    private func receiveStanza(_ stanza: Element) {
        if phase == .binding, stanza["id"] == "bind" { return bound() }
        if phase != .enabling { count() }
        let sender = Names.escaped(stanza["from"] ?? "localhost")
        let type = stanza["type"]
        if stanza.name == "iq", type == "get" || type == "set" || type == "error" && mistake == .answersErrors {
            let id = Names.escaped(stanza["id"] ?? "")
            return send(
                "<iq type='error' to='\(sender)' id='\(id)'><error type='cancel'><service-unavailable xmlns='\(Names.stanzas)'/></error></iq>"
            )
        }
        guard stanza.name == "message", type != "error", let body = stanza.child("body")?.text else { return }
        let words = body.split(separator: " ")
        if words.first == "ping" {
            send("<message type='chat' to='\(sender)'><body>\(Names.escaped(body))</body></message>")
        } else if words.first == "send", let first = Int(words[1]), let last = Int(words[2]) {
            for number in first...last { send("<message type='chat' to='\(sender)'><body>\(number)</body></message>") }
        }
    }

    private func bound() {
        phase = .online
        if canManage || mistake == .enablesAlways {
            write("<enable xmlns='\(Names.management)' resume='true'/>")
            phase = .enabling
        }
        send("<presence/>")
    }
}
