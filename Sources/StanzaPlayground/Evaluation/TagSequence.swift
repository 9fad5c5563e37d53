// Finds one tag after another in input without reading it, for programs that show where elements are.
// `TagReader` has the rules.
//
// In input that is not well-formed, the tags are arbitrary, so parse the pieces.

import StanzaQuery

/// The tags of an input that arrives in pieces, in order. Each byte is examined once.
struct TagSequence: ~Copyable {
    /// A tag, and its place in the input.
    enum Tag: Equatable {
        case start(Range<Int>, isEmpty: Bool)
        case end(Range<Int>)
        /// The input is not well-formed here: a tag with a '<' or a misplaced quote, or other markup.
        case broken(at: Int)
    }

    private var input = InputBuffer(capacity: 1024)
    /// The offset at which `input` begins.
    private var base: Int
    private var reader = TagReader()

    /// - Parameter base: The place at which the input begins.
    init(from base: Int) {
        self.base = base
    }

    /// Adds the next piece of the input.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { input.append($0) }
    }

    /// Returns the next tag; `nil` if it needs more input.
    mutating func next() -> Tag? {
        while let markup = reader.next(input.view, input.count) {
            switch markup {
            case .tag(let tag, let isEnd, let isEmpty):
                let range = base + tag.lowerBound..<base + tag.upperBound
                return isEnd ? .end(range) : .start(range, isEmpty: isEmpty)
            case .broken(let index): return .broken(at: base + index)
            case .section: continue
            }
        }
        let read = reader.place
        input.removeFirst(read)
        base += read
        reader.moveBack(by: read)
        return nil
    }
}
