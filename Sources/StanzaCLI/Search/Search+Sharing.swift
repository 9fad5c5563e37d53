// Several threads search one input: blocks of it are cut off here, read and evaluated there, and what was found is
// taken here again, in their order.
//
// A block is cut where a stanza seems to end. Who reads it tells whether that was so: it held whole stanzas without a
// mistake. Then everything is as if one reader had read all of it. If not, this thread goes on alone from the beginning
// of that block, with one reader, which tells what is wrong and where it goes on; it does so until some input later a
// stanza shows where the next block can begin. It also reads alone what comes so slowly that it has to be waited for.

import XMLTree

/// An input that is shared among threads.
struct SharedInput {
    let file: String
    var cutter: BlockCutter
    /// Reads in this thread; then no blocks are out.
    var reader: StanzaReader?
}

/// A block to be searched.
struct FileBlock: Sendable {
    let file: String
    let block: Block
}

/// What became of a block, or findings that need no block.
struct Portion: Sendable {
    let work: FileBlock?
    /// `nil` if the block has to be read again, together with what follows.
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
                    // Who waits at a pipe has all results, and knows of mistakes, before more input is waited for.
                    readAlone()
                    console.output.flush()
                }
                guard input?.reader?.hasEnded != true, let count = try read(source, into: buffer) else { return }
                if count == 0 { return finishInput() }
                add(UnsafeRawBufferPointer(rebasing: buffer[..<count]), mayShare: !isWaiting)
            }
        } catch {
            // What was found up to here is told first.
            readAlone()
            throw error
        }
    }

    /// Adds something that is found already, behind everything that is still being looked for.
    mutating func add(_ findings: Findings) {
        guard let work else { return take(findings) }
        makeRoom(in: work)
        if !isDone { work.add(known: Portion(work: nil, findings: findings)) }
    }

    /// Takes everything that is being looked for. After Ctrl-C that ends with what a thread has cut off.
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
                // What is in work when the next input begins need not be read again.
                if !block.isAlone { settle() }
            }
        }
        input?.reader?.finish()
        read(UnsafeRawBufferPointer(start: nil, count: 0), mayShare: false)
    }

    private func add(_ block: Block, to work: OrderedWork<FileBlock, Portion>) {
        if let file = input?.file { work.add(FileBlock(file: file, block: block)) }
    }

    /// Takes what is ready, and waits if that does not make room for more. There is none when the search is done.
    private mutating func makeRoom(in work: OrderedWork<FileBlock, Portion>) {
        while !isDone, let portion = work.isFull ? work.next() : work.nextIfReady() { take(portion) }
    }

    private mutating func take(_ portion: Portion) {
        if let findings = portion.findings { return take(findings) }
        if let work = portion.work, work.block.isAlone { return readAlone(work) }
        // Everything behind this block belongs to the same input, and begins who knows where.
        var blocks = [portion.work?.block].compactMap(\.self)
        while let next = work?.next() { blocks += [next.work?.block].compactMap(\.self) }
        input?.cutter.takeBack(blocks)
        readAlone()
    }

    // MARK: Reading alone

    /// Reads a block that is a whole input, perhaps a former one.
    private mutating func readAlone(_ work: FileBlock) {
        let reader = StanzaReader(evaluator.settings, at: work.block.place)
        var findings = Findings()
        for isEnd in [false, true] {
            if isEnd { reader.finish() } else { work.block.bytes.withUnsafeBytes { reader.feed($0) } }
            while !findings.isEnough, !isDone, let item = reader.next() { evaluate(item, from: work.file, &findings) }
        }
        take(findings)
    }

    /// Goes on alone from where the last block was cut off.
    private mutating func readAlone() {
        settle()
        guard !isDone, let cutter = input?.cutter, input?.reader == nil else { return }
        input?.reader = StanzaReader(evaluator.settings, at: cutter.place)
        cutter.bytes.withUnsafeBytes { read($0, mayShare: false) }
    }

    /// Reads on alone.
    ///
    /// The last stanza is kept back: if there is no mistake before it, other threads can go on from it.
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
        if !findings.isEnough, !isDone, let last {
            if case .stanza(_, let position) = last, input?.cutter.go(to: position) == true, isGood, mayShare {
                input?.reader = nil
            } else {
                evaluate(last, from: file, &findings)
            }
        }
        if input?.reader != nil, input?.cutter.isStuck == true { input?.cutter.dropAll() }
        take(findings)
    }
}
