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
        switch query {
        case 0: countErrors(elements)
        case 1: countItemNotFound(elements)
        case 2: countFeatures(elements)
        case 3: countItems(elements)
        case 4: countBodies(elements)
        case 5: countStamps(elements)
        case 6: countJingle(elements)
        case 7: countIdentifiers(elements)
        case 8: countItemsOfNode(elements)
        case 9: countMaximumSizes(elements)
        default: preconditionFailure("there are ten queries, numbered from 0")
        }
    }

    /// Looks once at the names of all attributes and children of each element, and does nothing with them but to
    /// compare them with one name each: the least that any engine can do that asks several queries of an element at
    /// once.
    public func countNames(in elements: [Element]) -> Int {
        let (type, body) = (names.type, names.body)
        var count = 0
        for element in elements {
            let (view, stanza) = (element.view, element.index)
            for record in view.attributeRecords(of: stanza) where view[record.name].qualified == type { count += 1 }
            let inherited = view.inherited(body, of: stanza)
            var child = view[stanza].firstChild
            while child != .none {
                if view[child].key == inherited { count += 1 }
                child = view[child].next
            }
        }
        return count
    }

    private func countErrors(_ elements: [Element]) -> Int {
        let type = names.type
        let error = Bytes("error")
        return number(of: elements) { $0.attribute(type, of: $1, equals: error) }
    }

    private func countItemNotFound(_ elements: [Element]) -> Int {
        let (error, itemNotFound) = (names.error, names.itemNotFound)
        return number(of: elements) { view, stanza in
            view.anyChild(view.inherited(error, of: stanza), of: stanza) { view.anyChild(itemNotFound, of: $0) }
        }
    }

    private func countFeatures(_ elements: [Element]) -> Int {
        let (query, feature, variable) = (names.query, names.feature, names.variable)
        return number(of: elements) { view, stanza in
            view.anyChild(query, of: stanza) {
                view.anyChild(feature, of: $0) { view.attribute(qualified: variable, of: $0) != nil }
            }
        }
    }

    private func countItems(_ elements: [Element]) -> Int {
        let (root, items, item) = (names.pubsub, names.items, names.item)
        return number(of: elements) { view, stanza in
            view.anyChild(root, of: stanza) { view.anyChild(items, of: $0) { view.anyChild(item, of: $0) } }
        }
    }

    private func countBodies(_ elements: [Element]) -> Int {
        let body = names.body
        return number(of: elements) { view, stanza in
            view.anyChild(view.inherited(body, of: stanza), of: stanza) { view.isWithText($0) }
        }
    }

    private func countStamps(_ elements: [Element]) -> Int {
        let (delay, stamp) = (names.delay, names.stamp)
        return number(of: elements) { view, stanza in
            view.anyChild(delay, of: stanza) { view.attribute(qualified: stamp, of: $0) != nil }
        }
    }

    private func countJingle(_ elements: [Element]) -> Int {
        let (jingle, action) = (names.jingle, names.action)
        let (initiate, accept) = (Bytes("session-initiate"), Bytes("session-accept"))
        return number(of: elements) { view, stanza in
            view.anyChild(jingle, of: stanza) {
                guard let reference = view.attribute(qualified: action, of: $0) else { return false }
                let value = view.string(reference)
                return value.equals(initiate) || value.equals(accept)
            }
        }
    }

    private func countIdentifiers(_ elements: [Element]) -> Int {
        let id = names.id
        return number(of: elements) { view, stanza in view.attribute(qualified: id, of: stanza) != nil }
    }

    private func countItemsOfNode(_ elements: [Element]) -> Int {
        let (root, items, item) = (names.pubsub, names.items, names.item)
        let (id, nodeName) = (names.id, names.node)
        let node = Bytes(node)
        return number(of: elements) { view, stanza in
            view.anyChild(root, of: stanza) {
                view.anyChild(items, of: $0) {
                    view.attribute(nodeName, of: $0, equals: node)
                        && view.anyChild(item, of: $0) { view.attribute(qualified: id, of: $0) != nil }
                }
            }
        }
    }

    private func countMaximumSizes(_ elements: [Element]) -> Int {
        let (query, form, field, value) = (names.query, names.form, names.field, names.value)
        let (type, variable) = (names.type, names.variable)
        let (result, maximumSize) = (Bytes("result"), Bytes("max-file-size"))
        return number(of: elements) { view, stanza in
            view.anyChild(query, of: stanza) {
                view.anyChild(form, of: $0) {
                    view.attribute(type, of: $0, equals: result)
                        && view.anyChild(field, of: $0) {
                            view.attribute(variable, of: $0, equals: maximumSize)
                                && view.anyChild(value, of: $0) { view.isWithText($0) }
                        }
                }
            }
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
