// What the parser does with text, and with markup that is no tag: it goes into the tree, is passed over, or refused.
//
// As in ParserState+Elements.swift, these are called while libxml2 runs.

extension ParserState {
    @inline(__always)
    mutating func text(_ run: UnsafeBufferPointer<UInt8>) {
        guard stop == nil, let context else { return }
        if depth > level { return assembler.text(run, in: context.input) }
        checkText(run)
    }

    /// Text between trees.
    @inline(never)
    private mutating func checkText(_ run: UnsafeBufferPointer<UInt8>) {
        if !run.allSatisfy(\.isXMLSpace) { return refuseText() }
        passBlankReference()
    }

    /// White space may be written as a reference, which stands between trees as a comment does.
    private mutating func passBlankReference() {
        guard let context else { return }
        let end = context.offset
        guard context.bytes(from: end - 1, to: end).first == UInt8(ascii: ";") else { return }
        levelEnd = end
    }

    /// The content of a CDATA section, or a part of it.
    mutating func characterData(_ run: UnsafeBufferPointer<UInt8>) {
        guard stop == nil, let context else { return }
        if depth > level { return assembler.text(run, in: context.input) }
        refuseText()
    }

    /// Fails at the text between trees that libxml2 has begun to read.
    mutating func refuseText() {
        guard stop == nil, let context else { return }
        refuseText(at: gapEnd(context))
    }

    /// Fragments go on in the line behind the one where text begins.
    mutating func refuseText(at position: SourcePosition) {
        fail(.textBetweenElements, at: position, goingOnAt: position.offset)
    }

    mutating func comment() {
        // Its last bytes may look like the beginning of one.
        refuseInStream(.comment, beginningWith: "<!--", before: "-->".utf8.count)
        passBetweenTrees()
    }

    mutating func processingInstruction(dataLength: Int) {
        refuseInStream(.processingInstruction, beginningWith: "<?", before: dataLength + 2)
        countOtherNames(beginningWith: "<?", before: dataLength + 2)
        passBetweenTrees()
    }

    mutating func documentType() {
        guard stop == nil, let context else { return }
        // A literal in it may look like its beginning.
        if mode == .stream { return fail(.restricted(.documentType), at: gapEnd(context)) }
        if countOtherNames(of: context) { return fail(.limit(.names, maximum: limits.names), at: gapEnd(context)) }
        passBetweenTrees()
    }

    /// A declaration in a document type, or a reference to one.
    mutating func declaration() {
        countOtherNames(beginningWith: "<!")
    }

    /// A declaration that would change how attributes are read.
    mutating func refuseAttributeDeclaration(_ markup: XMLParseError.Markup) {
        guard stop == nil, let context else { return }
        fail(.restricted(markup), at: position(of: context.offset))
    }

    /// Fails if the mode forbids this. libxml2 is behind it; `opening` stands at least `length` bytes before.
    private mutating func refuseInStream(
        _ markup: XMLParseError.Markup, beginningWith opening: StaticString, before length: Int
    ) {
        guard stop == nil, let context else { return }
        if mode == .stream {
            fail(.restricted(markup), at: position(before: context.offset - length, of: opening))
        }
    }

    /// libxml2 is behind markup that says nothing.
    private mutating func passBetweenTrees() {
        guard stop == nil, depth <= level, let context else { return }
        let end = context.offset
        levelEnd = end
        renewIfNeeded(at: end)
    }

    /// The XML declaration is read, or there is none.
    mutating func declarationEnded() {
        isDeclarationOver = true
        guard stop == nil, let context else { return }
        // Its own names libxml2 takes up with the beginning.
        dictionarySize = context.dictionarySize
        guard syntheticRoot == nil else { return }
        levelEnd = context.offset
        let declaration = context.bytes(from: contextStart, to: context.offset)
        if let encoding = XMLDeclaration.foreignEncoding(in: declaration) {
            fail(.unsupportedEncoding(encoding.name), at: position(of: contextStart + encoding.offset))
        }
    }

    /// An XML declaration between fragments: the next fragment begins behind it, in a new context, because libxml2
    /// says nothing more in this one.
    mutating func skipDeclaration() {
        guard let context else { return }
        let end = context.offset
        let start = position(before: end, of: .lessThan)
        let rest = context.pending
        var length = 0
        while length + 1 < rest.count, rest[length] != UInt8(ascii: "?") || rest[length + 1] != .greaterThan {
            length += 1
        }
        // At the input's end libxml2 does not wait for the declaration's.
        if length + 1 >= rest.count { return failAtEnd() }
        let declaration = context.bytes(from: start.offset, to: end + length)
        if let encoding = XMLDeclaration.foreignEncoding(in: declaration) {
            return fail(.unsupportedEncoding(encoding.name), at: position(of: start.offset + encoding.offset))
        }
        levelEnd = end + length + 2
        stop(.renewal, at: levelEnd)
    }
}
