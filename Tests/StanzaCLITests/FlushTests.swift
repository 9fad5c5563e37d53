// The times at which output leaves the process, and the behavior without a reader. ExecutableTests.swift runs the
// process.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Flushing")
struct FlushTests {
    /// The output that had left the process at each read of input, and the error output.
    private func outputAtReads(
        isLive: Bool, _ input: [String], _ arguments: String..., query: String = "/$",
        failure: (code: Int32, after: Int)? = nil
    ) -> (outputs: [String], errors: String, status: CommandStatus) {
        let sink = MemorySink()
        sink.failure = failure
        let errors = MemorySink()
        var outputs: [String] = []
        let source = MemorySource(input.map { Array($0.utf8) }, isLive: isLive) { outputs.append(sink.text) }
        let console = Console(
            input: source, output: Output(sink), errors: Output(errors),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        let status = StanzaCommand.run(["find", query] + arguments, on: console)
        outputs.append(sink.text)
        return (outputs, errors.text, status)
    }

    @Test("happens before more is read from a pipe")
    func pipe() {
        let result = outputAtReads(isLive: true, ["<a/><b", "/><c>", "</c>", ""])
        #expect(result.outputs == ["", "a\n", "a\nb\n", "a\nb\nc\n", "a\nb\nc\n"])
        let withThreads = outputAtReads(isLive: true, ["<a/><b", "/><c>", "</c>"], "--jobs", "3")
        #expect(withThreads.outputs == ["", "a\n", "a\nb\n", "a\nb\nc\n", "a\nb\nc\n"])
        let filtered = outputAtReads(
            isLive: true, ["<x/><a><c/></a><y/><a><c", "/></a>", "<z/><a><c></c></a>"], query: "c$")
        #expect(filtered.outputs == ["", "c\n", "c\nc\n", "c\nc\nc\n", "c\nc\nc\n"])
    }

    @Test("waits when a file is read")
    func file() {
        let result = outputAtReads(isLive: false, ["<a/>", "<b/>"])
        #expect(result.outputs == ["", "", "", "a\nb\n"])
    }

    @Test("happens before an error is reported")
    func error() {
        let sink = MemorySink()
        let console = Console(
            input: MemorySource([Array("<a/>\n<b>".utf8)], isLive: false), output: Output(sink), errors: Output(sink),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        #expect(StanzaCommand.run(["find", "/$"], on: console) == .badInput)
        #expect(sink.text.hasPrefix("a\nstanza: -:2:"))
    }

    @Test("ends the search quietly when the reader is gone")
    func closedPipe() {
        let result = outputAtReads(isLive: true, ["<a/>", "<b/>", "<c/>", "<d/>"], failure: (EPIPE, 2))
        #expect(result.outputs.last == "a\n")
        #expect(result.outputs.count == 3)
        #expect(result.errors.isEmpty)
        #expect(result.status == .success)
    }

    @Test("that fails is reported")
    func fullDisk() {
        let result = outputAtReads(isLive: false, ["<a/>"], failure: (ENOSPC, 0))
        #expect(result.status == .badInput)
        #expect(result.errors == "stanza: cannot write: No space left on device\n")
        let help = MemorySink()
        help.failure = (ENOSPC, 0)
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(help), errors: Output(MemorySink()),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        #expect(StanzaCommand.run(["--help"], on: console) == .badInput)
    }
}

@Suite("Long output")
struct LongOutputTests {
    /// Remembers the length of each write.
    private final class MeasuringSink: ByteSink {
        private(set) var (all, largest) = (0, 0)

        func write(_ new: UnsafeRawBufferPointer) {
            all += new.count
            largest = max(largest, new.count)
        }
    }

    /// A namespace in scope makes the results a thousand times as long as the stanzas.
    @Test(
        "is written before it fills the memory", arguments: ["1", "2"],
        [
            "<a xmlns='NAMESPACE'>CHILDREN</a>", "<a xmlns='NAMESPACE'>CHILDREN</a><a/>",
            "<stream:stream xmlns='NAMESPACE' xmlns:stream='http://etherx.jabber.org/streams'><c>CHILDREN</c></stream:stream>",
        ])
    func pieces(jobs: String, input: String) {
        let text = input.replacing("NAMESPACE", with: String(repeating: "n", count: 1_000))
            .replacing("CHILDREN", with: String(repeating: "<b/>", count: 10_000))
        let sink = MeasuringSink()
        let console = Console(
            input: MemorySource([Array(text.utf8)], isLive: false), output: Output(sink), errors: Output(MemorySink()),
            open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
        #expect(StanzaCommand.run(["find", "--jobs", jobs, "{*}b"], on: console) == .success)
        #expect(sink.all > 10_000_000 && sink.largest < 1 << 20, "\(sink.all) \(sink.largest)")
    }
}
