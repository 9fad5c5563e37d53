// The elements that stream management sends: as values, as elements and as bytes.
//
// ElementKind.swift recognizes the received elements.

import XMLTree
import XMPPCore

/// An element of stream management that a client sends. None of them counts.
public enum Nonza: Hashable, Sendable {
    /// Asks for stream management; `maximum` is the requested resumption time in seconds (rule R41).
    case enable(resumption: Bool, maximum: UInt32?)
    /// Asks the server to resume the session, and carries the count of handled stanzas (rule R24).
    case resume(ResumptionID, handled: StanzaCounter)
    /// Asks for an acknowledgement.
    case request
    /// Acknowledges stanzas up to the given count.
    case acknowledgement(StanzaCounter)
}

extension Nonza {
    /// The element to send.
    public var element: Element {
        switch self {
        case .enable(let resumption, let maximum):
            make("enable", ["resume": resumption ? "true" : nil, "max": maximum.map(String.init)])
        case .resume(let id, let handled): make("resume", ["previd": id.rawValue, "h": handled.description])
        case .request: make("r", [:])
        case .acknowledgement(let handled): make("a", ["h": handled.description])
        }
    }

    private func make(_ name: XMLName, _ attributes: AttributeValues) -> Element {
        MutableElement(name, namespace: .uri(Namespaces.streamManagement), attributes: attributes).freeze()
    }

    /// Appends the element to `output` as XML. The frequent elements allocate no memory.
    public func write(to output: inout [UInt8]) {
        switch self {
        case .request: output.append(utf8: "<r xmlns='urn:xmpp:sm:3'/>")
        case .acknowledgement(let handled):
            output.append(utf8: "<a xmlns='urn:xmpp:sm:3' h='")
            output.append(digits: handled.rawValue)
            output.append(utf8: "'/>")
        case .enable, .resume: element.write(to: &output, in: .clientStream)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(utf8 text: StaticString) {
        append(contentsOf: text.buffer)
    }

    fileprivate mutating func append(digits value: UInt32) {
        let start = count
        var rest = value
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}
