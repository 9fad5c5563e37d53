// A queue whose last changes can be undone at the cost of these changes, not of a copy.

import DequeModule

/// A deque that records the inverse of each change, on request.
struct UndoableDeque<Element>: RandomAccessCollection {
    private enum Inverse {
        case removeLast
        case insert(Element, at: Int)
        case set(Element, at: Int)
        case replace(Deque<Element>)
    }

    private var elements: Deque<Element> = []
    private var inverses: [Inverse] = []
    private var isRecording = false

    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }

    subscript(position: Int) -> Element {
        get { elements[position] }
        set {
            if isRecording { inverses.append(.set(elements[position], at: position)) }
            elements[position] = newValue
        }
    }

    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Element>) throws -> Result
    ) rethrows -> Result? {
        try elements.withContiguousStorageIfAvailable(body)
    }

    mutating func append(_ element: Element) {
        elements.append(element)
        if isRecording { inverses.append(.removeLast) }
    }

    mutating func removeFirst() -> Element { remove(at: 0) }

    mutating func remove(at position: Int) -> Element {
        let element = position == 0 ? elements.removeFirst() : elements.remove(at: position)
        if isRecording { inverses.append(.insert(element, at: position)) }
        return element
    }

    mutating func replace(with new: some Sequence<Element>) {
        if isRecording { inverses.append(.replace(elements)) }
        elements = Deque(new)
    }

    // MARK: Undoing

    /// Begins to record changes.
    mutating func beginRecording() {
        precondition(!isRecording, "a checkpoint inside another one")
        isRecording = true
    }

    /// Keeps the recorded changes.
    mutating func endRecording() {
        isRecording = false
        inverses.removeAll(keepingCapacity: true)
    }

    /// Undoes the recorded changes.
    mutating func undo() {
        isRecording = false
        while let inverse = inverses.popLast() {
            switch inverse {
            case .removeLast: elements.removeLast()
            case .insert(let element, at: let position): elements.insert(element, at: position)
            case .set(let element, at: let position): elements[position] = element
            case .replace(let former): elements = former
            }
        }
    }
}
