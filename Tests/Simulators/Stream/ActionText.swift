// Events and actions in a few words, for transcripts that developers read.

import Foundation
import StreamManagement
import XMLTree

extension StreamManagementCore.State {
    /// The name of the state.
    public var text: String {
        switch self {
        case .disabled(.unbound): "unbound"
        case .disabled(.bound): "bound"
        case .disabled(.refused): "refused"
        case .enabling: "enabling"
        case .enabled: "enabled"
        case .suspended: "suspended"
        case .resuming: "resuming"
        case .ended: "ended"
        }
    }
}

extension StreamManagementCore.Action {
    /// The kind of the action, in one word.
    public var kind: String {
        switch self {
        case .send: "send"
        case .transmit: "transmit"
        case .store: "store"
        case .deliver: "deliver"
        case .pass: "pass"
        case .report: "report"
        case .notify: "notify"
        case .arm: "arm"
        case .cancel: "cancel"
        case .sendStreamError: "error"
        case .closeStream: "close"
        case .abandonTransport: "abandon"
        }
    }

    public var text: String {
        switch self {
        case .send(let nonza): "send \(nonza.text)"
        case .transmit(let number, let element): "transmit \(number.text) \(element.text)"
        case .store(let change, .immediate): "store \(change.text)"
        case .store(let change, .prompt): "store if possible \(change.text)"
        case .store(let change, .deferrable): "store later \(change.text)"
        case .deliver(let stanza): "deliver \(stanza.number.map(\.text) ?? "uncounted") \(stanza.element.text)"
        case .pass(let element): "pass \(element.text)"
        case .report(let report): "report \(report.text)"
        case .notify(let notification): "notify \(notification.text)"
        case .arm(let timer, let deadline): "arm \(timer) at \(deadline / .seconds(1))"
        case .cancel(let timer): "cancel \(timer)"
        case .sendStreamError(let error): "error \(error)"
        case .closeStream: "close"
        case .abandonTransport(.streamError(let element)): "abandon after \(element.text)"
        case .abandonTransport(let reason): "abandon: \(reason)"
        }
    }
}

extension Nonza {
    public var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self).replacing(" xmlns='urn:xmpp:sm:3'", with: "")
    }
}

extension Element {
    public var text: String {
        xmlString(in: .clientStream).replacing(" xmlns='urn:xmpp:sm:3'", with: "")
            .replacing(" xmlns:sm='urn:xmpp:sm:3'", with: "").replacing("sm:", with: "")
    }
}

extension OutgoingNumber {
    public var text: String { "#\(rawValue)" }
}

extension IncomingNumber {
    public var text: String { "@\(rawValue)" }
}

extension StanzaReport {
    public var text: String {
        var text = "\(number.text) \(state)"
        if let id { text += " id=\(id)" }
        if let reason = deadLetterReason { text += " \(reason.text)" }
        return prospect == .final ? text : text + ", \(prospect)"
    }
}

extension StreamManagementCore.DeadLetterReason {
    public var text: String {
        switch self {
        case .tooLarge(let limit): "tooLarge(limit: \(limit))"
        case .losses(let count): "losses(\(count))"
        }
    }
}

extension OutgoingStanza {
    public var text: String { number.text + (isSent ? "" : " waiting") }
}

extension StorageChange {
    public var text: String {
        switch self {
        case .replace(let session): "replace \(session.text)"
        case .begin(let session): "begin \(session.text)"
        case .append(let stanza): "append \(stanza.text)"
        case .hold(let stanza): "hold \(stanza.text)"
        case .release(let numbers): "release [\(numbers.map(\.text).joined(separator: " "))]"
        case .greeted: "greeted"
        case .sendWaiting: "sendWaiting"
        case .blameSent: "blameSent"
        case .identify(let number, let id): "identify \(number.text) as \(id)"
        case .withdraw(let number): "withdraw \(number.text)"
        case .acknowledge(let counter, let count): "acknowledge \(counter), \(count) of them"
        case .handled(let counter): "handled \(counter)"
        case .lastDisconnect(let date): "lastDisconnect \(date.timeIntervalSince1970)"
        case .handlingAttempts(let attempts): "handlingAttempts \(attempts)"
        case .unansweredResumptions(let count): "unansweredResumptions \(count)"
        case .remove: "remove"
        }
    }
}

extension StoredSession {
    public var text: String {
        var text = resumption.map { "id=\($0.id.rawValue)" } ?? "no resumption"
        text += " client=\(handledByClient) server=\(handledByServer)"
        text += " [\(pending.map(\.text).joined(separator: " "))]"
        if !held.isEmpty { text += " held [\(held.map(\.text).joined(separator: " "))]" }
        if !isGreeted { text += " not greeted" }
        if !undecided.isEmpty { text += " undecided [\(undecided.map(\.text).joined(separator: " "))]" }
        return text
    }
}

extension StreamManagementCore.Notification {
    public var text: String {
        switch self {
        case .enabled(_, let resumption):
            "enabled, \(resumption.map { "resumable as \($0.id.rawValue)" } ?? "not resumable")"
        case .notEnabled(let element): "notEnabled \(element.text)"
        case .resumed(let element): "resumed \(element.text)"
        case .notResumed(let element): "notResumed \(element.text)"
        case .sessionLost(let loss): "sessionLost: \(loss)"
        case .acknowledgementRequested: "requested"
        case .acknowledgementWithheld(let first, let count): "acknowledgementWithheld \(first.number.text) of \(count)"
        case .undecided(let stanzas): "undecided [\(stanzas.map(\.number.text).joined(separator: " "))]"
        case .incomingDeadLetter(let element, let attempts): "incomingDeadLetter \(element.text) after \(attempts)"
        case .deadLettered(let stanza, let reason): "deadLettered #\(stanza.number.rawValue) \(reason.text)"
        case .rejected(let stanza): "rejected \(stanza.name) id=\(stanza.id ?? "none")"
        }
    }
}
