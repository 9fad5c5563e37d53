// Memory for a text that lies in several pieces: one element's own text, put together when a query needs it whole.

import XMLTree

/// The joined text of the element that was loaded last.
struct JoinedText: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>?

    init() {}

    deinit {
        bytes?.deallocate()
    }

    /// The own text of an element; valid until the next call.
    mutating func join(_ view: TreeView, textOf element: NodeIndex, byteCount: Int) -> UnsafeBufferPointer<UInt8> {
        bytes?.deallocate()
        let start = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
        bytes = start
        view.withText(of: element) { text in
            _ = UnsafeMutableBufferPointer(start: start, count: byteCount).initialize(fromContentsOf: text)
        }
        return UnsafeBufferPointer(start: start, count: byteCount)
    }
}
