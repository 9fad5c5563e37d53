// The search of `stanza find`: reads the inputs in order, passes them to the evaluator, and prints the findings in
// input order.
//
// One thread does that. With several jobs, other threads read and evaluate blocks of the input: Search+Sharing.swift.

import XMLTree

/// One run of `stanza find`.
struct Search {
    let evaluator: Evaluator
    let console: Console
    /// The work of other threads; without it, this thread does everything.
    let work: OrderedWork<FileBlock, Portion>?
    /// The input that is shared among threads.
    var input: SharedInput?
    /// Whether the answer is known, or the output is closed.
    private(set) var isDone = false

    let blockLength: Int
    private let progress: Progress?
    /// How many results were printed or counted.
    private(set) var counts = ResultCounts()
    /// How many stanzas were searched, including those without results.
    private(set) var stanzas = 0
    private var interruption: WorkInterruption
    /// The worst status so far, apart from finding nothing.
    private var status = CommandStatus.success

    /// The maximum number of blocks that wait for each job: one in progress, the others so that no job is idle. With
    /// the length of a block, this bounds the memory.
    private static let blocksPerJob = 4

    /// - Parameters:
    ///   - jobs: How many threads read and evaluate.
    ///   - blockLength: How many bytes each of them gets at once.
    init(
        _ evaluator: Evaluator, jobs: Int, blockLength: Int = BlockCutter.blockLength, progress: Progress?,
        on console: Console
    ) {
        self.blockLength = blockLength
        self.evaluator = evaluator
        self.progress = progress
        self.console = console
        interruption = WorkInterruption(on: console)
        guard jobs > 1 else {
            work = nil
            return
        }
        work = OrderedWork(threads: jobs, capacity: jobs * Self.blocksPerJob) {
            let reader = StanzaReader(evaluator.settings)
            return { Portion(work: $0, findings: evaluator.evaluate($0.block, from: $0.file, with: reader)) }
        }
    }

    /// Searches the inputs in order; `-` is standard input.
    mutating func run(_ files: [String]) -> CommandStatus {
        console.output.write(evaluator.formatter.beginning)
        for file in files where !isDone { search(file) }
        settle()
        if interruption.leftWork { takeReady() }
        dropWork()
        progress?.end()
        console.output.write(evaluator.formatter.end(after: counts))
        console.output.flush()
        if interruption.leftWork || console.output.failure?.isInterruption == true {
            console.report("interrupted after \(counted(stanzas, "stanza")), with \(counted(counts.all, "result"))")
            return .interrupted
        }
        return max(status, counts.all > 0 ? .success : .nothing)
    }

    /// Prints the findings of other threads that are ready, up to the first that is not.
    private mutating func takeReady() {
        while let findings = work?.nextIfReady()?.findings { take(findings) }
    }

    /// Drops the unfinished work of other threads.
    private func dropWork() {
        evaluator.stopSign.set()
        work?.cancel()
    }

    /// Ends the search after Ctrl-C. Earlier findings are printed.
    private mutating func endsByInterruption() -> Bool {
        if interruption.stops() { isDone = true }
        return interruption.leftWork
    }

    private mutating func search(_ file: String) {
        do throws(SystemError) {
            try search(console.source(of: file), named: file)
        } catch {
            if endsByInterruption() { return }
            add(Findings(report: "\(file.asFileName): \(error)", .badInput))
        }
    }

    private mutating func search(_ source: any ByteSource, named file: String) throws(SystemError) {
        if work != nil { return try share(source, named: file) }
        let reader = StanzaReader(evaluator.settings)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Console.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        while !reader.hasEnded {
            // The reader of a pipe gets all results before the search waits for more input.
            if source.mayWait { console.output.flush() }
            // Reading into the room saves a copy.
            let room = reader.room(buffer.count)
            guard let count = try read(source, into: room ?? buffer) else { return }
            if count == 0 {
                reader.finish()
            } else if room == nil {
                reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } else {
                reader.feed(written: count)
            }
            var findings = Findings()
            while !findings.isEnough, !isDone, let item = reader.next() {
                if !endsByInterruption() { evaluate(item, from: file, &findings) }
            }
            findings.stanzas += reader.takePassedOver()
            take(findings)
            if count == 0 { return }
        }
    }

    /// Reads more input; `nil` if no more is wanted.
    mutating func read(
        _ source: any ByteSource, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        if isDone || endsByInterruption() { return nil }
        if console.output.failure != nil {
            isDone = true
            return nil
        }
        let count = try source.read(into: buffer)
        progress?.add(bytes: count)
        return count
    }

    /// Evaluates the queries on one item in this thread, and prints results before there are too many of them.
    mutating func evaluate(_ item: InputItem, from file: String, _ findings: inout Findings) {
        let evaluator = evaluator
        evaluator.evaluate(item, from: file, &findings) { findings in
            if endsByInterruption() { return false }
            take(findings)
            findings = Findings()
            return !isDone
        }
    }

    /// Prints findings.
    mutating func take(_ findings: Findings) {
        var findings = findings
        findings.endOutput()
        for part in findings.parts {
            switch part {
            case .output(let bytes):
                console.output.write(bytes)
            case .report(let text, let status):
                self.status = max(self.status, status)
                console.report(text)
            }
        }
        counts += findings.counts
        stanzas += findings.stanzas
        progress?.add(stanzas: findings.stanzas, results: findings.counts.all)
        if findings.isEnough || console.output.failure != nil { isDone = true }
        if findings.wasCut {
            isDone = true
            interruption.leaveWork()
            // Later findings would follow a gap.
            dropWork()
        }
    }
}
