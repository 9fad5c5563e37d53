// Dispatches received elements by their kind.

import XMLTree

extension StreamManagementCore {
    mutating func receive(_ element: Element, _ step: inout Step) {
        // The client is closing the stream: later elements do not belong to a live session.
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
