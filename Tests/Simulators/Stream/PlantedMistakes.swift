// The planted mistakes of the client (StreamSetup.Fault) that change actions and stream errors.

import StreamManagement

extension StreamSetup.Fault {
    /// The actions that a client with the mistake performs, instead of all actions.
    func sabotaged(
        _ actions: [StreamManagementCore.Action], hasRoom: Bool
    ) -> [StreamManagementCore.Action] {
        switch self {
        case .forgetsStanzas: actions.filter { if case .store(.append, _) = $0 { false } else { true } }
        case .tellsBeforeStoring: actions.filter { if case .store(.handled, .immediate) = $0 { false } else { true } }
        case .closesBeforeRemoving: actions.contains(.closeStream) ? actions.reversed() : actions
        case .forgetsLosses: actions.filter { if case .store(.blameSent, _) = $0 { false } else { true } }
        case .forgetsHeld: actions.filter { if case .store(.hold, _) = $0 { false } else { true } }
        case .forgetsBounces:
            actions.filter { action in
                guard case .report(let report) = action, case .bounced = report.state else { return true }
                return false
            }
        case .forgetsUnanswered:
            actions.filter { if case .store(.unansweredResumptions, _) = $0 { false } else { true } }
        case .forgetsRefusals:
            actions.filter {
                switch $0 {
                case .store(.append(let stanza), _), .store(.hold(let stanza), _): stanza.element["type"] != "error"
                case .transmit(_, let element): element["type"] != "error"
                default: true
                }
            }
        case .forgetsAnswers:
            actions.filter { if case .notify(.rejected(let stanza)) = $0 { stanza.type != "result" } else { true } }
        // The client acts as if it had asked for nothing, and waited for no answer.
        case .fullQueueAsksNothing where !hasRoom:
            actions.filter {
                switch $0 {
                case .send(.request), .arm(.missingAcknowledgement, _): false
                default: true
                }
            }
        case .sendsBeforeStoring, .marksBeforeHandling, .keepsRevoked, .releasesEarly, .sendsBeforeSettling,
            .reportsCommitsTwice, .forgetsUnstoredChanges, .beginsUnstored, .endsAtNamespaceFaults, .forgetsUnwritten,
            .fullQueueAsksNothing,
            .awaitsOnePlace, .resumesOnlyInTime, .blamesRestarts, .blamesNothing, .ignoresResets,
            .sendsSuspectsTogether, .resumesForEver, .greetsLate, .holdsNoRooms, .serverMiscounts,
            .serverReplaysTooLittle:
            actions
        }
    }

    /// The stream error that a client with the mistake reads instead of another one, in XML.
    func misreading(asComplaint isComplaint: Bool) -> String? {
        let condition =
            switch self {
            case .blamesRestarts where !isComplaint: "policy-violation"
            case .blamesNothing where isComplaint: "system-shutdown"
            default: ""
            }
        if condition.isEmpty { return nil }
        return "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
    }
}
