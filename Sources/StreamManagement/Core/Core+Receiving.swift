// What comes in, sorted by what it is.

import XMLTree

extension StreamManagementCore {
    mutating func receive(_ element: Element, _ step: inout Step) {
        // We are closing: whatever still comes is not meant for a session that lives.
        if state == .ended { return }
        switch ElementKind(element) {
        case .stanza: receiveStanza(element, &step)
        case .acknowledgement: receiveAcknowledgement(element, &step)
        case .request: receiveRequest(&step)
        case .enabled: receiveEnabled(element, &step)
        case .resumed: receiveResumed(element, &step)
        case .failed: failed(element, &step)
        case .streamError: receiveStreamError(element, &step)
        case .other: step.emit(.pass(element))
        }
    }

    private mutating func failed(_ element: Element, _ step: inout Step) {
        switch state {
        case .enabling: refused(element, &step)
        case .resuming: notResumed(element, &step)
        case .disabled, .enabled, .suspended, .ended: violate(.unexpected(.failed), &step)
        }
    }
}
