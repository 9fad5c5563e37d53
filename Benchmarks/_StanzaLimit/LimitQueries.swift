// The ten queries of the benchmarks, written by hand over the storage of frozen trees: the limit for any engine over
// it.
//
// It is a target of the main package, because it has to see the storage. The product's name begins with an underscore,
// because only Benchmarks should use it. It knows trees and not queries. The loops over elements are in here, too, so
// that not even a call per element is counted.

public import XMLTree

/// Counts the elements that a query has a result on.
public final class LimitQueries {
    private let node: UnsafeMutableBufferPointer<UInt8>
    private let names = Names()

    /// - Parameter node: the argument of the ninth query.
    public init(node: String) {
        self.node = .allocate(capacity: node.utf8.count)
        _ = self.node.initialize(fromContentsOf: node.utf8)
    }

    deinit { node.deallocate() }

    /// How many elements have a result for the query of that number, from 0.
    public func count(_ query: Int, in elements: [Element]) -> Int {
        let names = names
        switch query {
        case 0:
            let error = Bytes("error")
            return number(of: elements) { $0.attribute(names.type, of: $1, equals: error) }
        case 1:
            return number(of: elements) { view, stanza in
                view.anyChild(view.inherited(names.error, of: stanza), of: stanza) {
                    view.anyChild(names.itemNotFound, of: $0)
                }
            }
        case 2:
            return number(of: elements) { view, stanza in
                view.anyChild(names.query, of: stanza) {
                    view.anyChild(names.feature, of: $0) { view.has(names.variable, $0) }
                }
            }
        case 3:
            return number(of: elements) { view, stanza in
                view.anyChild(names.pubsub, of: stanza) {
                    view.anyChild(names.items, of: $0) { view.anyChild(names.item, of: $0) }
                }
            }
        case 4:
            return number(of: elements) { view, stanza in
                view.anyChild(view.inherited(names.body, of: stanza), of: stanza) { view.isWithText($0) }
            }
        case 5:
            return number(of: elements) { view, stanza in
                view.anyChild(names.delay, of: stanza) { view.has(names.stamp, $0) }
            }
        case 6:
            let (initiate, accept) = (Bytes("session-initiate"), Bytes("session-accept"))
            return number(of: elements) { view, stanza in
                view.anyChild(names.jingle, of: stanza) {
                    guard let action = view.attribute(qualified: names.action, of: $0) else { return false }
                    let value = view.string(action)
                    return value.equals(initiate) || value.equals(accept)
                }
            }
        case 7: return number(of: elements) { $0.has(names.id, $1) }
        case 8:
            let node = Bytes(node)
            return number(of: elements) { view, stanza in
                view.anyChild(names.pubsub, of: stanza) {
                    view.anyChild(names.items, of: $0) {
                        view.attribute(names.node, of: $0, equals: node)
                            && view.anyChild(names.item, of: $0) { view.has(names.id, $0) }
                    }
                }
            }
        case 9:
            let (result, maximumSize) = (Bytes("result"), Bytes("max-file-size"))
            return number(of: elements) { view, stanza in
                view.anyChild(names.query, of: stanza) {
                    view.anyChild(names.form, of: $0) {
                        view.attribute(names.type, of: $0, equals: result)
                            && view.anyChild(names.field, of: $0) {
                                view.attribute(names.variable, of: $0, equals: maximumSize)
                                    && view.anyChild(names.value, of: $0) { view.isWithText($0) }
                            }
                    }
                }
            }
        default: preconditionFailure("there are ten queries, numbered from 0")
        }
    }
}

/// The keys of all names, made once, as a compiler makes them.
private struct Names {
    let type = NameKey(.qualified, "type")
    let error = NameKey(.local, "error")
    let itemNotFound = Self.key("urn:ietf:params:xml:ns:xmpp-stanzas", "item-not-found")
    let query = Self.key("http://jabber.org/protocol/disco#info", "query")
    let feature = Self.key("http://jabber.org/protocol/disco#info", "feature")
    let variable = NameKey(.qualified, "var")
    let pubsub = Self.key("http://jabber.org/protocol/pubsub", "pubsub")
    let items = Self.key("http://jabber.org/protocol/pubsub", "items")
    let item = Self.key("http://jabber.org/protocol/pubsub", "item")
    let body = NameKey(.local, "body")
    let delay = Self.key("urn:xmpp:delay", "delay")
    let stamp = NameKey(.qualified, "stamp")
    let jingle = Self.key("urn:xmpp:jingle:1", "jingle")
    let action = NameKey(.qualified, "action")
    let id = NameKey(.qualified, "id")
    let node = NameKey(.qualified, "node")
    let form = Self.key("jabber:x:data", "x")
    let field = Self.key("jabber:x:data", "field")
    let value = Self.key("jabber:x:data", "value")

    private static func key(_ namespace: String, _ local: String) -> NameKey {
        NameKey(.namespace, namespace) + NameKey(.local, local)
    }
}

private typealias Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
    fileprivate init(_ literal: StaticString) {
        self.init(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    }
}

@inline(__always)
private func number(of elements: [Element], where isFound: (TreeView, NodeIndex) -> Bool) -> Int {
    var number = 0
    for element in elements where isFound(element.view, element.index) { number += 1 }
    return number
}

extension TreeView {
    /// A name in the namespace of an element.
    @inline(__always)
    fileprivate func inherited(_ local: NameKey, of node: NodeIndex) -> NameKey {
        name(of: node).namespace + local
    }

    @inline(__always)
    fileprivate func anyChild(_ key: NameKey, of node: NodeIndex, where test: (NodeIndex) -> Bool = { _ in true })
        -> Bool
    {
        var child = self[node].firstChild
        while child != .none {
            if self[child].key == key, test(child) { return true }
            child = self[child].next
        }
        return false
    }

    @inline(__always)
    fileprivate func attribute(_ key: NameKey, of node: NodeIndex, equals text: Bytes) -> Bool {
        guard let reference = attribute(qualified: key, of: node) else { return false }
        return string(reference).equals(text)
    }

    @inline(__always)
    fileprivate func has(_ attribute: NameKey, _ node: NodeIndex) -> Bool {
        self.attribute(qualified: attribute, of: node) != nil
    }

    @inline(__always)
    fileprivate func isWithText(_ node: NodeIndex) -> Bool {
        if !self[node].text.isEmpty { return true }
        var child = self[node].firstChild
        while child != .none {
            if !self[child].tail.isEmpty { return true }
            child = self[child].next
        }
        return false
    }
}
