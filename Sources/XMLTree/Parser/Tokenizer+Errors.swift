// What ends with a mistake: which one it is, and where fragments go on behind it.

extension Tokenizer {
    // MARK: Finding

    /// Notes a mistake, and returns its place.
    mutating func wrong(_ kind: XMLParseError.Kind, at p: Int) -> Int {
        mistake = (kind, p)
        return p
    }

    /// Something else is at `p` than what is expected. At the end, nothing is wrong yet.
    @inline(never)
    mutating func wrongTag(
        _ view: ByteView, _ p: Int, _ end: Int, _ expected: XMLParseError.Expectation, isTag: Bool = true
    ) -> Int? {
        if p == end { return nil }
        if view[p] == .lessThan, isTag {
            mistake = (.lessThanInTag, p)
        } else {
            wrongCharacter(view, p, end)
            if mistake == nil, Scan.character(view, p, end) != .incomplete {
                mistake = (.malformed(expected.message), p)
            }
        }
        return nil
    }

    /// A name does not go on like this.
    mutating func wrongName(_ view: ByteView, _ p: Int, _ end: Int) {
        _ = wrongTag(view, p, end, .name)
    }

    /// Notes what is no character at `p`, if it is none. What is incomplete is wrong at the input's end only.
    @inline(never)
    mutating func wrongCharacter(_ view: ByteView, _ p: Int, _ end: Int) {
        if p == end { return }
        switch Scan.character(view, p, end) {
        case .valid: return
        case .incomplete: if isFinal { mistake = (.invalidUTF8, p) }
        case .invalidUTF8 where offset(of: p) == 0 && view[p] >= 0xFE, .forbidden("\0") where offset(of: p) <= 1:
            mistake = (.unsupportedEncoding("UTF-16 or UTF-32"), p)
        case .invalidUTF8: mistake = (.invalidUTF8, p)
        case .forbidden(let scalar): mistake = (.forbiddenCharacter(scalar), p)
        }
    }

    // MARK: Failing

    /// Reports an error at an index of `input`. Fragments go on in the next line that begins with a tag, which may be
    /// the one that begins there.
    @inline(never)
    mutating func fail(_ kind: XMLParseError.Kind, at index: Int) {
        let position = position(of: index)
        let error = XMLParseError(
            kind, at: position, unclosed: unclosed(for: kind),
            endTag: kind == .mismatchedEndTag ? name(ofEndTag: index) : nil)
        fail(error, at: index, isAtLineStart: kind == .lessThanInTag && position.column == 1)
    }

    /// Reports that a bound has no room for what comes from `index` on.
    mutating func fail(_ bound: Bound, at index: Int) {
        let error = XMLParseError(.limit(bound.limit, maximum: bound.maximum), at: bound.start)
        fail(error, at: index, isAtLineStart: false)
    }

    private mutating func fail(_ error: XMLParseError, at index: Int, isAtLineStart: Bool) {
        finishPending()
        var isLasting = error.kind == .invalidContext
        if case .fragments = mode {} else { isLasting = true }
        queue.append(error, isLasting: isLasting)
        phase = isLasting ? .stopped : .searching(atLineStart: isAtLineStart)
        assembler.dropOpen()
        assembler.dropEnded()
        if isLasting { return }
        forgetOpen()
        pass(index)
    }

    /// Nothing is open.
    mutating func forgetOpen() {
        unbind(downTo: 0)
        open.removeLast(downTo: 0)
        depth = 0
        mistake = nil
        bound = nil
        known = 0
        finder = nil
        coarse = nil
        section = .none
        skipped = nil
        byteLimit = .max
    }

    /// The element that is open, if its end is missing and it is part of a tree.
    private func unclosed(for kind: XMLParseError.Kind) -> XMLParseError.OpenElement? {
        guard kind == .unexpectedEnd || kind == .mismatchedEndTag, depth > outer else { return nil }
        let known = min(depth, open.count)
        guard known > outer, skipped == nil || known <= skipped?.firstHash ?? 0 else {
            guard let event = skipped?.event else { return nil }
            return XMLParseError.OpenElement(name: event.name, treeStart: event.position, position: event.position)
        }
        return XMLParseError.OpenElement(
            name: names.string(of: open[known - 1].name), treeStart: placed(open[outer].start),
            position: placed(open[known - 1].start))
    }

    private func name(ofEndTag index: Int) -> String {
        let view = input.view
        let length = Scan.longNameLength(view, index + 2)
        return Self.string(view.bytes(index + 2, index + 2 + length)[...], at: limits.effectiveNameLength)
    }

    // MARK: Ends

    /// Whether something is missing at the input's end.
    var isUnfinished: Bool {
        if input.count > 0 && !(input.count == 1 && input.view[0] == 0x0D) || section != .none || skipped != nil {
            return true
        }
        if case .fragments = mode { return depth > 0 }
        return !isComplete
    }

    // MARK: Going on

    /// Looks for the next line that begins with '<' and a name. Returns whether reading goes on there.
    mutating func findFragment(_ atLineStart: Bool) -> Bool {
        let (view, end) = (input.view, input.count)
        var p = 0
        var isLineStart = atLineStart
        while true {
            if !isLineStart { p = Scan.find(view, p, end, .lineFeed, .lineFeed, .lineFeed, .lineFeed) }
            while view[p] == .lineFeed, p < end {
                isLineStart = true
                p += 1
            }
            if p == end { break }
            if view[p] == .lessThan {
                let next = p + 1 == end ? .incomplete : Scan.character(view, p + 1, end)
                if next == .incomplete { break }
                if case .valid(let length) = next, Scan.badNamePlace(view, p + 1, p + 1 + length) == nil {
                    pass(p)
                    phase = .reading
                    return true
                }
            }
            isLineStart = false
        }
        pass(p)
        phase = .searching(atLineStart: isLineStart)
        return false
    }
}
