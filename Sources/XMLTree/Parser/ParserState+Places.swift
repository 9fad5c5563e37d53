// Where something stands: libxml2 tells how far it is, and holds the bytes before, so that lines can be counted.

extension ParserState {
    /// The position of `offset`, which lies behind `mark` and is held by libxml2.
    func position(of offset: Int) -> SourcePosition {
        guard let context, offset > mark.offset else { return mark }
        return mark.advanced(over: context.bytes(from: mark.offset, to: offset))
    }

    /// Counts lines up to `offset`.
    mutating func advanceMark(to offset: Int) {
        mark = position(of: offset)
    }

    /// Where the tree that is open begins.
    var startOfTree: SourcePosition { treeStart.line > 0 ? treeStart : position(of: treeStart.offset) }

    /// Counts lines up to the beginnings of trees that libxml2 has reported. It still holds what stands before them.
    @inline(never)
    mutating func placeTrees() {
        guard let context else { return }
        var place = mark
        pending.place { offset in
            place.advance(over: context.bytes(from: place.offset, to: offset))
            return place
        }
        if depth > level, treeStart.line == 0 {
            place.advance(over: context.bytes(from: place.offset, to: treeStart.offset))
            treeStart = place
        }
        mark = place
    }

    /// The offset where the start tag between trees begins that libxml2 has just read.
    @inline(__always)
    func tagStart(_ context: LibXML2Context) -> Int {
        // White space is all that may stand between trees, so the tag begins behind it.
        let start = max(levelEnd, mark.offset)
        let bytes = context.bytes(from: start)
        var blank = 0
        while blank < bytes.count, bytes[blank].isXMLSpace { blank &+= 1 }
        if level > 0, blank < bytes.count, bytes[blank] == .lessThan { return start &+ blank }
        // A document type may stand before a document's root. No '<' stands inside a start tag, so the last one is its
        // beginning.
        return offset(before: context.offset, of: "<")
    }

    /// The position of the first byte behind the last tree, header or comment that is not white space.
    func gapEnd(_ context: LibXML2Context) -> SourcePosition {
        let bytes = context.bytes(from: mark.offset)
        return mark.advanced(over: UnsafeBufferPointer(rebasing: bytes[..<gapEnd(bytes)]))
    }

    /// The same as the index in the bytes from `mark` on.
    private func gapEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var index = min(max(levelEnd - mark.offset, 0), bytes.count)
        while index < bytes.count, bytes[index].isXMLSpace { index += 1 }
        return index
    }

    /// The position of the last `byte` before `offset`.
    func position(before offset: Int, of byte: UInt8) -> SourcePosition {
        guard let context else { return mark }
        let bytes = context.bytes(from: mark.offset, to: offset)
        var index = bytes.count - 1
        while index >= 0, bytes[index] != byte { index -= 1 }
        return mark.advanced(over: UnsafeBufferPointer(rebasing: bytes[..<(index < 0 ? bytes.count : index)]))
    }

    /// The position of the last occurrence of `opening` before `offset`.
    func position(before offset: Int, of opening: StaticString) -> SourcePosition {
        position(of: self.offset(before: offset, of: opening))
    }

    /// The same as an offset.
    func offset(before offset: Int, of opening: StaticString) -> Int {
        guard let context else { return mark.offset }
        let bytes = context.bytes(from: mark.offset, to: offset)
        let opening = UnsafeBufferPointer(start: opening.utf8Start, count: opening.utf8CodeUnitCount)
        var start = bytes.count - opening.count
        while start > 0, !bytes[start...].starts(with: opening) { start -= 1 }
        return mark.offset + max(start, 0)
    }
}
