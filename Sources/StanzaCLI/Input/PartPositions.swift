// Positions in an input of which a parser gets only parts.

import XMLTree

/// Translates the positions of a parser that does not get the whole input.
struct PartPositions {
    /// A place at which a part begins: for the parser, and in the input.
    private struct Joint {
        let parser: SourcePosition
        let input: SourcePosition
    }

    /// In order; at least one. A slice, since the first is removed often.
    private var joints: ArraySlice<Joint>
    /// The end of the parts so far, for the parser.
    private var parser: InputPlace
    /// The end of the input so far.
    private var input: InputPlace

    /// - Parameters:
    ///   - parser: The parser's position at its first byte of the input.
    ///   - input: The position of that byte in the input.
    init(parser: SourcePosition, input: SourcePosition) {
        joints = [Joint(parser: parser, input: input)]
        self.parser = InputPlace(position: parser)
        self.input = InputPlace(position: input)
    }

    /// Counts bytes that the parser gets.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        parser.advance(over: bytes)
        input.advance(over: bytes)
    }

    /// Counts bytes that the parser does not get.
    mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) {
        input.advance(over: bytes)
        if joints.last?.parser.offset == parser.position.offset { joints.removeLast() }
        joints.append(Joint(parser: parser.position, input: input.position))
    }

    /// The position in the input after all counted bytes.
    var end: SourcePosition { input.position }

    /// The position in the input of one of the parser; `nil` for one that was forgotten.
    func inInput(_ position: SourcePosition) -> SourcePosition? {
        // Most often, this is the second one.
        let next = joints.firstIndex { $0.parser.offset > position.offset } ?? joints.endIndex
        if next == joints.startIndex { return nil }
        let joint = joints[next - 1]
        let isInFirstLine = position.line == joint.parser.line
        return SourcePosition(
            line: position.line - joint.parser.line + joint.input.line,
            column: isInFirstLine ? position.column - joint.parser.column + joint.input.column : position.column,
            offset: position.offset - joint.parser.offset + joint.input.offset)
    }

    /// Forgets the joints that only positions before this one of the parser need.
    mutating func forget(before position: SourcePosition) {
        while joints.count > 1, joints[joints.startIndex + 1].parser.offset <= position.offset { joints.removeFirst() }
    }
}
