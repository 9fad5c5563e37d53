// Several threads search one input. This thread cuts the input into blocks; other threads read and evaluate them, and
// so does this one while it waits. It takes the findings in input order.
//
// The cut is a guess: a block ends where a stanza seems to end. The thread that reads the block checks the guess: the
// block must hold whole stanzas of one stream without a mistake. Then the findings are those of a single reader.
// Otherwise this thread continues alone from the beginning of that block, with one reader that reports any mistake and
// where reading continues. Sharing resumes at a later stanza from which the next block can begin. This thread also
// reads slow input alone.

import XMLTree

/// An input that several threads share.
struct SharedInput {
    let file: String
    var cutter: BlockCutter
    /// The reader of this thread. While it reads, no blocks are out.
    var reader: StanzaReader?
}

/// A block to be searched.
struct FileBlock: Sendable {
    let file: String
    let block: Block
}

/// The outcome of a block, or findings that need no block.
struct Portion: Sendable {
    let work: FileBlock?
    /// `nil` if the block has to be read again, together with the input after it.
    let findings: Findings?
}

extension Search {
    /// Searches an input together with other threads.
    mutating func share(_ source: any ByteSource, named file: String) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Console.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        input = SharedInput(file: file, cutter: BlockCutter(evaluator.settings, blockLength: blockLength))
        defer { input = nil }
        do throws(SystemError) {
            while true {
                let isWaiting = source.mayWait
                if isWaiting {
                    // The reader of a pipe gets all results and reports before the search waits for more input.
                    readAlone()
                    flush()
                }
                guard input?.reader?.hasEnded != true, let count = try read(source, into: buffer) else { return }
                if count == 0 { return finishInput() }
                add(UnsafeRawBufferPointer(rebasing: buffer[..<count]), mayShare: !isWaiting)
            }
        } catch {
            // Earlier findings are reported first.
            readAlone()
            throw error
        }
    }

    /// Adds known findings after all pending ones.
    mutating func add(_ findings: Findings) {
        guard let work else { return take(findings) }
        makeRoom(in: work)
        if !isDone { work.add(known: Portion(work: nil, findings: findings)) }
    }

    /// Takes all pending findings. After Ctrl-C it stops at the first findings that a thread has cut short.
    mutating func settle() {
        while !isDone, let portion = work?.next() { take(portion) }
    }

    // MARK: Blocks

    /// - Parameter mayShare: Whether other threads may read this.
    private mutating func add(_ bytes: UnsafeRawBufferPointer, mayShare: Bool) {
        input?.cutter.add(bytes)
        if input?.reader != nil { read(bytes, mayShare: mayShare) }
        while let work, input?.reader == nil, input?.cutter.hasEnough == true {
            makeRoom(in: work)
            // Making room may have ended the sharing, or the search.
            guard !isDone, input?.reader == nil, let block = input?.cutter.cut() else { break }
            add(block, to: work)
        }
        if input?.reader == nil, input?.cutter.isStuck == true { readAlone() }
    }

    private mutating func finishInput() {
        if let work, input?.reader == nil {
            makeRoom(in: work)
            if !isDone, input?.reader == nil, let block = input?.cutter.rest() {
                add(block, to: work)
                // Blocks in progress when the next input begins need not be read again.
                if !block.isAlone { settle() }
            }
        }
        input?.reader?.finish()
        read(UnsafeRawBufferPointer(start: nil, count: 0), mayShare: false)
    }

    private func add(_ block: Block, to work: OrderedWork<FileBlock, Portion>) {
        if let file = input?.file { work.add(FileBlock(file: file, block: block)) }
    }

    /// Takes the ready findings, and waits if that does not make room for more. It makes no room when the search is
    /// done.
    private mutating func makeRoom(in work: OrderedWork<FileBlock, Portion>) {
        while !isDone, let portion = work.isFull ? work.next() : work.nextIfReady() { take(portion) }
    }

    private mutating func take(_ portion: Portion) {
        if let findings = portion.findings { return take(findings) }
        if let work = portion.work, work.block.isAlone { return readAlone(work) }
        // The blocks after this one belong to the same input, and their beginnings are unknown.
        var blocks = [portion.work?.block].compactMap(\.self)
        while let next = work?.next() { blocks += [next.work?.block].compactMap(\.self) }
        input?.cutter.takeBack(blocks)
        readAlone()
    }

    // MARK: Reading alone

    /// Reads a block that is a whole input, perhaps an earlier one.
    private mutating func readAlone(_ work: FileBlock) {
        let reader = StanzaReader(evaluator.settings, at: work.block.place)
        var findings = Findings()
        for isEnd in [false, true] {
            if isEnd { reader.finish() } else { work.block.bytes.withUnsafeBytes { reader.feed($0) } }
            while !findings.isEnough, !isDone, let item = reader.next() { evaluate(item, from: work.file, &findings) }
        }
        findings.addPassedOver(by: reader)
        take(findings)
    }

    /// Continues alone from the end of the last block: there is a mistake, or input is slow.
    private mutating func readAlone() {
        settle()
        guard !isDone, let cutter = input?.cutter, input?.reader == nil else { return }
        input?.reader = StanzaReader(evaluator.settings, at: cutter.place)
        cutter.bytes.withUnsafeBytes { read($0, mayShare: false) }
    }

    /// Continues to read alone.
    ///
    /// Without a mistake, other threads can continue at the end of a stanza that was passed over, or from the last
    /// stanza, which is held back.
    private mutating func read(_ bytes: UnsafeRawBufferPointer, mayShare: Bool) {
        guard let reader = input?.reader, let file = input?.file else { return }
        reader.feed(bytes)
        var findings = Findings()
        var last: InputItem?
        var isGood = true
        while !findings.isEnough, !isDone, let item = reader.next() {
            if let last { evaluate(last, from: file, &findings) }
            last = item
            if case .problem = item { isGood = false }
        }
        if !findings.isEnough, !isDone {
            var place = reader.continuation
            var isReadAgain = false
            if case .stanza(_, let position, _)? = last, position.offset >= place?.offset ?? 0 {
                place = position
                isReadAgain = true
            }
            if let place, input?.cutter.go(to: place, header: reader.header(at: place)) == true, isGood, mayShare {
                input?.reader = nil
            }
            if let last, input?.reader != nil || !isReadAgain { evaluate(last, from: file, &findings) }
        }
        findings.addPassedOver(by: reader)
        if input?.reader != nil, input?.cutter.isStuck == true { input?.cutter.dropAll() }
        take(findings)
    }
}
