// The size of a stanza: in memory, for the bounds of queues, and on the stream, for a server's limit (XEP-0478).

import XMLTree

extension Element {
    /// The bytes of the subtree in memory, without the names, which trees share.
    package var weight: Int {
        read { reader in
            let view = reader.view
            var (weight, node) = (0, reader.index)
            while true {
                weight += MemoryLayout<Node>.stride + view.string(view[node].text).count
                for attribute in view.attributeRecords(of: node) {
                    weight += MemoryLayout<AttributeRecord>.stride + view.string(attribute.value).count
                }
                if view[node].firstChild != .none {
                    node = view[node].firstChild
                    continue
                }
                while node != reader.index, view[node].next == .none { node = view[node].parent }
                if node == reader.index { return weight }
                weight += view.string(view[node].tail).count
                node = view[node].next
            }
        }
    }

    /// Whether the element as sent has more bytes than a server accepts.
    ///
    /// - Parameters:
    ///   - limit: the server's limit in bytes.
    ///   - weight: the element's size in memory. For an element that is much smaller than the limit, it saves writing
    ///     the element.
    func exceeds(_ limit: Int, weight: Int) -> Bool {
        weight > limit / Self.longestSpelling && xmlBytes(in: .clientStream).count > limit
    }

    /// The most bytes on the stream for one byte of weight: a node of 40 bytes has a name and namespace of at most
    /// 1,024 bytes each, in two tags.
    private static let longestSpelling = 128
}
