// How much a stanza takes: in memory, for the bounds of queues, and on the stream, for a server's limit (XEP-0478).

import XMLTree

extension Element {
    /// The bytes of the subtree in memory, without its names, which trees share.
    var weight: Int {
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

    /// Whether more bytes are sent than a server accepts.
    ///
    /// - Parameter weight: what it takes in memory. Most stanzas are so much smaller than the limit that they need not
    ///   be written to know.
    func exceeds(_ limit: Int, weight: Int) -> Bool {
        weight > limit / Self.longestSpelling && xmlBytes(in: .clientStream).count > limit
    }

    /// A node of 40 bytes and its name and namespace, of 1,024 bytes each at most, in two tags.
    private static let longestSpelling = 128
}
