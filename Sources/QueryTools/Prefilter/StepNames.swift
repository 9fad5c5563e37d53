// The names of steps, read from the query's text. Evaluations compare keys and need none.

import StanzaQuery

extension Program {
    /// The name that a step compares, and the namespace or the prefix before it, with its signs. `nil` if the text does
    /// not have the name: one that was bound to a slot, and the namespace of a filter.
    func name(of index: Int) -> (prefix: String, local: String)? {
        let (step, range) = (steps[index], place(of: index).head)
        // A form query without a name implies one.
        if range.isEmpty { return step.op != .yield && step.test == .name ? ("{jabber:x:data}", "x") : nil }
        if slots.contains(where: { $0.overlaps(range) }) { return nil }
        var name = Substring(text(in: range)).utf8
        if step.op == .filter || step.op == .yield {
            name = name.dropFirst()
        } else if name.first == UInt8(ascii: "<") {
            return nil
        }
        let end: Substring.UTF8View.Index? =
            if name.first == UInt8(ascii: "{") {
                name.firstIndex(of: UInt8(ascii: "}"))
            } else if step.source == .prefixed {
                name.firstIndex(of: UInt8(ascii: ":"))
            } else {
                nil
            }
        let local = name[(end.map { name.index(after: $0) } ?? name.startIndex)...]
        let bare = local.first == UInt8(ascii: "!") ? local.dropFirst() : local
        return (
            String(decoding: name[..<local.startIndex], as: UTF8.self), String(decoding: bare, as: UTF8.self)
        )
    }

    /// A part of the query's text.
    func text(in range: Range<Int>) -> String {
        String(decoding: source.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
    }
}
