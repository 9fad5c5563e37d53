// The search of `stanza find`: reads the inputs in order, hands what was read to the evaluator, and prints what it
// found, in the order of the input.
//
// One thread does that. With several jobs, others evaluate; OrderedWork.swift keeps the order.

import StanzaQuery

/// One run of `stanza find`.
struct Search {
    private let evaluator: Evaluator
    private let console: Console
    /// Evaluates on other threads; without it, this one does.
    private let work: OrderedWork<Findings>?
    private let progress: Progress?
    /// How many results were printed or counted.
    private var count = 0
    /// The worst that happened, apart from finding nothing.
    private var status = CommandStatus.success
    /// Whether the answer is known, or nobody reads it.
    private var isDone = false

    /// So much is read at once. It is also what one job evaluates at once: enough to outweigh handing it over.
    static let chunkLength = 1 << 17
    /// So many pieces of input may wait for each job: one in work, the others so that no job waits. Together with the
    /// length of a piece, this bounds the memory.
    private static let piecesPerJob = 4

    /// - Parameter jobs: How many threads evaluate.
    init(_ evaluator: Evaluator, jobs: Int, progress: Progress?, on console: Console) {
        self.evaluator = evaluator
        self.progress = progress
        self.console = console
        work = jobs > 1 ? OrderedWork(threads: jobs, capacity: jobs * Self.piecesPerJob) : nil
    }

    /// Searches the inputs in order; `-` is standard input.
    mutating func run(_ files: [String]) -> CommandStatus {
        console.output.write(evaluator.formatter.beginning)
        for file in files where !isDone { search(file) }
        settle()
        evaluator.stopSign.set()
        work?.cancel()
        progress?.end()
        console.output.write(evaluator.formatter.end(behind: count))
        return max(status, count > 0 ? .success : .nothing)
    }

    private mutating func search(_ file: String) {
        do throws(SystemError) {
            try search(file == "-" ? console.input : console.open(file), named: file)
        } catch {
            add(Findings(report: "stanza: \(file): \(error)", .badInput))
        }
    }

    private mutating func search(_ source: any ByteSource, named file: String) throws(SystemError) {
        let reader = StanzaReader(evaluator.settings)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        var isAtEnd = false
        while !isAtEnd, !reader.hasEnded {
            // Who waits at a pipe has all results before more input is waited for.
            if source.mayWait {
                settle()
                console.output.flush()
            }
            if console.output.failure != nil { isDone = true }
            if isDone { return }
            let count = try source.read(into: buffer)
            progress?.add(bytes: count)
            isAtEnd = count == 0
            if isAtEnd {
                reader.finish()
            } else {
                reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            evaluate(reader, of: file)
        }
    }

    /// Evaluates on what has been read, here or on another thread.
    private mutating func evaluate(_ reader: StanzaReader, of file: String) {
        guard let work else { return take(evaluator.evaluate(from: file, next: reader.next)) }
        var items: [InputItem] = []
        while let item = reader.next() { items.append(item) }
        if items.isEmpty { return }
        makeRoom(in: work)
        work.add { [evaluator, items] in
            var rest = items.makeIterator()
            return evaluator.evaluate(from: file) { rest.next() }
        }
    }

    /// Adds something that is found already, behind everything that is still being looked for.
    private mutating func add(_ findings: Findings) {
        guard let work else { return take(findings) }
        makeRoom(in: work)
        work.add(findings)
    }

    /// Takes what is ready, and waits if that does not make room for more.
    private mutating func makeRoom(in work: OrderedWork<Findings>) {
        while !isDone, let findings = work.isFull ? work.next() : work.nextIfReady() { take(findings) }
    }

    /// Takes everything that is being looked for.
    private mutating func settle() {
        while !isDone, let findings = work?.next() { take(findings) }
    }

    private mutating func take(_ findings: Findings) {
        for part in findings.parts {
            switch part {
            case .output(let bytes):
                console.output.write(bytes)
            case .report(let text, let status):
                self.status = max(self.status, status)
                console.report(drawn: text)
            }
        }
        count += findings.count
        progress?.add(stanzas: findings.stanzas, results: findings.count)
        if findings.isEnough { isDone = true }
    }
}
