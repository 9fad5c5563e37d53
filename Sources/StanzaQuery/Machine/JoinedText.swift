// The text of an element as one piece of bytes: borrowed from the tree, or joined in memory of its own.

import XMLTree

/// Reads own texts (1.4); keeps the one that it joined last.
struct JoinedText: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>?

    init() {}

    deinit { bytes?.deallocate() }

    /// The own text of an element, empty if it has none; valid until the next call.
    @inline(never)
    mutating func text(of element: NodeIndex?, _ view: TreeView) -> UnsafeBufferPointer<UInt8> {
        guard let element else { return UnsafeBufferPointer(start: nil, count: 0) }
        switch view.ownText(of: element) {
        case .none: return UnsafeBufferPointer(start: nil, count: 0)
        case .single(let text): return text
        case .several: return view.withText(of: element) { keep($0) }
        }
    }

    private mutating func keep(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        bytes?.deallocate()
        let start = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count)
        bytes = start
        _ = UnsafeMutableBufferPointer(start: start, count: text.count).initialize(fromContentsOf: text)
        return UnsafeBufferPointer(start: start, count: text.count)
    }
}
