// The number of each event and action: a simulation proves nothing about an event that never happens.

import SessionCore

/// Counts events and actions by their names.
public final class SessionTally {
    private var counts: [String: Int] = [:]

    public init() {}

    public subscript(name: String) -> Int { counts[name] ?? 0 }

    func count(_ event: Core.Event) { counts["event \(event.name)", default: 0] += 1 }

    func count(_ action: Core.Action) { counts["action \(action.name)", default: 0] += 1 }

    /// A transaction was canceled too late to leave its commit.
    func countRefusal() { counts[Self.refusal, default: 0] += 1 }

    /// A lease that was respected, of a process that has ended or not, or that has ended before its owner.
    func countLease(_ name: String) { counts["lease \(name)", default: 0] += 1 }

    private static let refusal = "refused withdrawal"

    /// The events and actions that have not happened.
    public var missing: [String] { Self.names.filter { counts[$0] == nil } }

    private static let names =
        [
            "run", "suspend", "suspend within", "close", "close within", "transactionCollected",
            "transactionCanceled", "readWanted",
            "received", "requestsChanged", "streamBegan", "sessionBegan", "streamLost", "streamIsGone", "streamEnded",
            "alarm",
            "claimed", "notClaimed", "swept", "not swept", "streamSuspended", "streamClosed", "sessionForgotten",
            "sessionNotForgotten", "found", "notFound", "returned", "threw", "wasGreeted", "committed",
            "committed in part",
            "notCommitted busy", "notCommitted broken", "notCommitted notOwner", "notCommitted staleStanza",
            "failureCounted again",
            "failureCounted deadLettered", "failureCounted comesAgain", "requestsRead", "requestsNotRead", "withdrawn",
        ].map { "event \($0)" }
        + [
            "lookUp", "handle", "invalidate", "greet", "endGreeting",
            "cancel", "noteSlowness", "allowRead", "commit", "commit of several",
            "commitWithRoom", "withdraw", "acknowledge",
            "send", "countFailure", "deadLetter", "putBack", "finish", "readRequests", "claim", "runStream", "sweep",
            "connect", "connect not", "failStream", "suspendStream", "closeStream", "hurry", "forgetSession", "answer",
            "setAlarm",
        ].map { "action \($0)" } + [refusal, "lease respected", "lease late", "lease early"]

    /// The events and actions that have happened, with their numbers.
    public var text: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}

extension DurableSessionCore.Event {
    /// The name of the case; for results also their outcome.
    var name: String {
        switch self {
        case .run: "run"
        case .suspend(_, _, _, isWithin: false): "suspend"
        case .suspend(_, _, _, isWithin: true): "suspend within"
        case .close(_, isWithin: false): "close"
        case .close(_, isWithin: true): "close within"
        case .transactionCollected: "transactionCollected"
        case .transactionCanceled: "transactionCanceled"
        case .readWanted: "readWanted"
        case .received: "received"
        case .requestsChanged: "requestsChanged"
        case .streamBegan: "streamBegan"
        case .sessionBegan: "sessionBegan"
        case .streamLost: "streamLost"
        case .streamIsGone: "streamIsGone"
        case .streamEnded: "streamEnded"
        case .alarm: "alarm"
        case .claimed: "claimed"
        case .notClaimed: "notClaimed"
        case .swept(_, true): "swept"
        case .swept(_, false): "not swept"
        case .streamSuspended: "streamSuspended"
        case .streamClosed: "streamClosed"
        case .sessionForgotten: "sessionForgotten"
        case .sessionNotForgotten: "sessionNotForgotten"
        case .found: "found"
        case .notFound: "notFound"
        case .returned: "returned"
        case .threw: "threw"
        case .wasGreeted: "wasGreeted"
        case .committed(_, let results): results.allSatisfy { $0 == .done } ? "committed" : "committed in part"
        case .notCommitted(_, let failure): "notCommitted \(failure)"
        case .failureCounted(_, let verdict): "failureCounted \(verdict)"
        case .requestsRead: "requestsRead"
        case .requestsNotRead: "requestsNotRead"
        case .withdrawn: "withdrawn"
        }
    }
}

extension DurableSessionCore.Action {
    /// The name of the case.
    var name: String {
        switch self {
        case .lookUp: "lookUp"
        case .handle: "handle"
        case .invalidate: "invalidate"
        case .greet: "greet"
        case .endGreeting: "endGreeting"
        case .cancel: "cancel"
        case .noteSlowness: "noteSlowness"
        case .allowRead: "allowRead"
        case .commit(_, let entries): entries.count > 1 ? "commit of several" : "commit"
        case .commitWithRoom: "commitWithRoom"
        case .withdraw: "withdraw"
        case .acknowledge: "acknowledge"
        case .send: "send"
        case .countFailure: "countFailure"
        case .deadLetter: "deadLetter"
        case .putBack: "putBack"
        case .finish: "finish"
        case .readRequests: "readRequests"
        case .claim: "claim"
        case .runStream: "runStream"
        case .sweep: "sweep"
        case .connect(true): "connect"
        case .connect(false): "connect not"
        case .failStream: "failStream"
        case .suspendStream: "suspendStream"
        case .closeStream: "closeStream"
        case .hurry: "hurry"
        case .forgetSession: "forgetSession"
        case .answer: "answer"
        case .setAlarm: "setAlarm"
        }
    }
}
