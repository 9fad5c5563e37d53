// The search of `stanza find`: reads the inputs in order, passes them to the evaluator, and prints the findings in
// input order.
//
// One thread does that. With several jobs, other threads read and evaluate blocks of the input: Search+Sharing.swift.

import Foundation
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
    /// In rows, how many results each query had.
    private(set) var columnResults = ResultCounts()
    /// How many stanzas were searched, including those without results.
    private(set) var stanzas = 0
    private var bytes = 0
    private var logs = InputStatistics()
    /// Whether stanzas without results were not parsed.
    var hasPassedOver: Bool { logs.passedOver > 0 }
    private var interruption: WorkInterruption
    /// Aligns the columns of rows.
    private var aligner: ColumnAligner?
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
        if let rows = evaluator.rows, rows.format == .text { aligner = ColumnAligner(hasHeader: rows.hasHeader) }
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
        write(Array((evaluator.rows?.beginning ?? evaluator.formatter.beginning).utf8))
        for file in files where !isDone { search(file) }
        settle()
        if interruption.leftWork { takeReady() }
        dropWork()
        progress?.end()
        flush()
        console.output.write(evaluator.formatter.end(after: counts))
        console.output.flush()
        if interruption.leftWork || console.output.failure?.isInterruption == true {
            console.report("interrupted after \(counted(stanzas, "stanza")), with \(counted(counts.all, "result"))")
            return .interrupted
        }
        return max(status, counts.all > 0 ? .success : .nothing)
    }

    /// A summary of the search.
    func summary(after duration: Duration) -> String {
        let tenths = Int(duration / .milliseconds(100))
        let speed = duration > .zero ? Int(Double(bytes) / 1_048_576 * 10 / (duration / .seconds(1))) : 0
        var parts = [
            "\(counted(counts.all, evaluator.rows == nil ? "result" : "row")) in \(counted(stanzas, "stanza"))",
            "\(bytes) bytes in \(decimal(tenths: tenths)) s, \(decimal(tenths: speed)) MiB/s",
        ]
        if logs.bytes > 0 {
            if logs.skipped > 0 { parts.append("\(logs.skipped) bytes without literals of the query skipped") }
            parts.append(
                "\(logs.bytes - logs.stanzaBytes - logs.skipped) bytes of text passed over, "
                    + "\(counted(logs.unreadable, "element")) not well-formed")
        }
        return parts.joined(separator: "; ")
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
            let source = try console.source(of: file)
            repeat { try search(source, named: file) } while source.beginsAgain && !isDone
        } catch {
            if endsByInterruption() { return }
            let advice = error.code == EISDIR ? "; '-r' searches the files in it" : ""
            add(Findings(report: "\(file.asFileName): \(error)\(advice)", .badInput))
        }
    }

    private mutating func search(_ source: any ByteSource, named file: String) throws(SystemError) {
        if work != nil { return try share(source, named: file) }
        let reader = StanzaReader(evaluator.settings)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Console.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        while !reader.hasEnded {
            // The reader of a pipe gets all results before the search waits for more input.
            if source.mayWait { flush() }
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
            findings.addPassedOver(by: reader)
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
        bytes += count
        return count
    }

    /// Writes output, or keeps it until columns can be aligned.
    private mutating func write(_ bytes: [UInt8]) {
        console.output.write(aligner?.align(bytes) ?? bytes)
    }

    /// Prints all output so far.
    mutating func flush() {
        if let lines = aligner?.flush() { console.output.write(lines) }
        console.output.flush()
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
                write(bytes)
            case .report(let text, let status):
                flush()
                self.status = max(self.status, status)
                console.report(text)
            }
        }
        counts += findings.counts
        columnResults += findings.columnResults
        stanzas += findings.stanzas
        logs += findings.statistics
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
