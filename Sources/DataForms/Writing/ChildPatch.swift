// Updates child elements of one kind from old values to new ones. It finds unchanged elements by comparing from both
// ends, and by key in between.

import FormModel

struct ChildPatch {
    let parent: MutableElement
    /// The elements of the old values, in order.
    let nodes: [MutableElement]
    /// The element before which new ones at the end are inserted; `nil` for the parent's end.
    let follower: MutableElement?

    /// Updates the elements to represent the new values. Linear in their number, except for the changes.
    func apply<Part: FormPart>(from old: [Part], to new: [Part]) throws(XMLTreeError) {
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var ends = (old: old.count, new: new.count)
        while ends.old > start, ends.new > start, old[ends.old - 1] == new[ends.new - 1] {
            ends = (ends.old - 1, ends.new - 1)
        }
        try align(old, start..<ends.old, new, start..<ends.new)
    }

    private func align<Part: FormPart>(
        _ old: [Part], _ oldRange: Range<Int>, _ new: [Part], _ newRange: Range<Int>
    ) throws(XMLTreeError) {
        // For each key, the number of remaining new values that have it.
        var expected: [String?: Int] = [:]
        for part in new[newRange] { expected[part.key, default: 0] += 1 }
        var newIndices = newRange.makeIterator()
        var pending = newIndices.next()
        for oldIndex in oldRange {
            let key = old[oldIndex].key
            guard expected[key, default: 0] > 0 else {
                nodes[oldIndex].remove()
                continue
            }
            // All values before the one with that key are new.
            while let newIndex = pending {
                pending = newIndices.next()
                expected[new[newIndex].key, default: 0] -= 1
                if new[newIndex].key == key {
                    if new[newIndex] != old[oldIndex] { try new[newIndex].patch(nodes[oldIndex], from: old[oldIndex]) }
                    break
                }
                parent.insert(try new[newIndex].newElement(), before: nodes[oldIndex].index)
            }
        }
        while let newIndex = pending {
            let sibling = oldRange.upperBound < nodes.count ? nodes[oldRange.upperBound] : follower
            parent.insert(try new[newIndex].newElement(), before: sibling?.index ?? .none)
            pending = newIndices.next()
        }
    }
}
