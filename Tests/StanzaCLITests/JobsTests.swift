// `stanza find --jobs`: the same output, errors and exit code for any number of jobs.

import Foundation
import Locking
import Testing

@testable import StanzaCLI

@Suite("Jobs")
struct JobsTests {
    /// Long enough for many pieces of work.
    private static let count = 400

    private static func stanza(_ number: Int) -> String {
        "<message id='\(number)'><body>\(String(repeating: "x", count: number % 600))</body></message>"
    }

    /// Inputs with a mistake in the middle, in every format.
    private static let files: [String: String] = {
        let stanzas = (0..<count).map(stanza)
        var bad = stanzas
        bad[count / 2] = "<message id='bad'></wrong>"
        bad[count / 2 + 7] += " text"
        let lines = bad.enumerated().map { number, stanza in
            number == count / 3 ? "[\(number)]" : "{\"n\": \(number), \"xml\": \"\(stanza)\"}"
        }
        return [
            "fragments": bad.joined(separator: "\n"), "lines": lines.joined(separator: "\n"),
            "stream": InputFormatTests.header + bad.joined(separator: "\n") + "</stream:stream>",
            "document": "<?xml version='1.0'?><all xmlns='jabber:client'>\(stanzas.joined())</all>",
            "short": "<message id='3'/>", "empty": "",
        ]
    }()

    private func expectSame(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let one = StanzaCLITests.stanza(["find", "--parse-all"] + arguments, input: [], files: Self.files)
        for jobs in [2, 4] {
            let several = StanzaCLITests.stanza(
                ["find", "--parse-all", "--jobs", "\(jobs)"] + arguments, input: [], files: Self.files)
            let context = "\(arguments), \(jobs) jobs"
            #expect(several.status == one.status, "\(context)", sourceLocation: sourceLocation)
            #expect(several.output == one.output, "\(context)", sourceLocation: sourceLocation)
            #expect(several.errors == one.errors, "\(context)", sourceLocation: sourceLocation)
        }
    }

    @Test("do not change the output", arguments: ["fragments", "lines", "stream", "document", "short"])
    func sameOutput(file: String) {
        for form in [[], ["--json"], ["--xml"], ["--count"], ["--check"], ["--first"], ["--with-source"]] {
            expectSame(form + ["/@id", file])
        }
        expectSame(["/<id=399>", file])
        expectSame(["--check", "/<id=398>", file])
        expectSame(["--first", "--with-source", "/<id~^39>@id", file])
        expectSame(["/nowhere", file])
    }

    @Test("do not change the order of files and their mistakes")
    func files() {
        let files = ["short", "fragments", "missing", "empty", "lines", "short", "stream", "document"]
        for form in [[], ["--count"], ["--with-source", "--json"]] { expectSame(form + ["/<id~3$>@id"] + files) }
        expectSame(["--first", "/@id"] + files)
    }

    /// One block with the stream's start tag, and a query that passes over some stanzas.
    @Test(
        "do not change the mistakes at the ends of streams, or in stanzas without results",
        arguments: [
            "</a><message><body>hi</body></message>", "<message><body>hi</body></message></stream:stream>\n<a/>",
            "<iq><b></iq></b><message><body>hi</body></message>", "<a b='1' b='2'/><message><body>hi</body></message>",
            "<a>&foo;</a><message><body>hi</body></message></stream:stream>", "</x>", "<a/></stream:stream>",
            "<a/>text<message><body>hi</body></message>", "<message><body>hi</body></wrong></stream:stream>",
        ])
    func mistakesInStreams(content: String) {
        let input = InputFormatTests.header + content
        for pieceLength in [input.utf8.count, 20] {
            for isLive in [false, true] {
                let results = ["1", "2"].map { jobs in
                    let (output, errors) = (MemorySink(), MemorySink())
                    let console = Console(
                        input: MemorySource(pieces(input, of: pieceLength), isLive: isLive) {}, output: Output(output),
                        errors: Output(errors), open: { _ throws(SystemError) in throw SystemError(code: ENOENT) })
                    let status = StanzaCommand.run(["find", "--jobs", jobs, "body#"], on: console)
                    return "\(status) \(output.text) \(errors.text)"
                }
                #expect(results[0] == results[1])
            }
        }
    }

    @Test("do not change the effect of a regular expression's limit")
    func regexLimit() {
        let evil = "<a k='\(String(repeating: "a", count: 64))!'/>"
        let input = (0..<200).map { $0 % 50 == 7 ? evil : "<a k='aa'/>" }.joined(separator: "\n")
        let arguments = ["find", "/a<k~^(a+)+$>$"]
        let one = StanzaCLITests.stanza(arguments, input: pieces(input, of: 500))
        #expect(one.status == .usage)
        #expect(one.lines.count == 196)
        let two = StanzaCLITests.stanza(arguments + ["--jobs", "2"], input: pieces(input, of: 500))
        #expect(two.output == one.output)
        #expect(two.errors == one.errors)
        #expect(two.status == .usage)
    }

    @Test("must be a sensible number")
    func number() {
        for jobs in ["0", "-1", "257", "x"] {
            #expect(StanzaCLITests.stanza("find", "--jobs", jobs, "", input: "<a/>").status == .usage)
        }
    }
}

@Suite("Ordered work")
struct OrderedWorkTests {
    @Test("gives results in the order of the work, and runs no more than it has threads")
    func order() {
        let work = OrderedWork<@Sendable () -> Int, Int>(threads: 3, capacity: 8) { { $0() } }
        let running = Running()
        var results: [Int] = []
        for number in 0..<400 {
            while work.isFull, let result = work.next() { results.append(result) }
            if number % 10 == 0 {
                work.add(known: number)
            } else {
                work.add {
                    running.begin()
                    defer { running.end() }
                    return (0..<(number * 37 % 101)).reduce(number) { sum, step in sum &+ step &- step }
                }
            }
        }
        while let result = work.next() { results.append(result) }
        #expect(results == Array(0..<400))
        #expect((1...3).contains(running.most))
    }

    /// The example of the doc comment.
    @Test("is work and its result")
    func example() {
        let work = OrderedWork<Int, Int>(threads: 2, capacity: 8) { { $0 + 1 } }
        work.add(1)
        let result = work.next()  // 2
        #expect(result == 2)
    }

    @Test("drops unneeded work")
    func cancel() {
        let work = OrderedWork<@Sendable () -> Int, Int>(threads: 1, capacity: 100) { { $0() } }
        let running = Running()
        for number in 0..<100 {
            work.add {
                running.begin()
                while !running.isOpen {}
                return number
            }
        }
        running.open()
        #expect(work.next() == 0)
        work.cancel()
        #expect(work.next() == nil)
        let count = running.count
        #expect(count >= 1)
        work.add { 7 }
        #expect(work.next() == 7)
        #expect(running.count == count)
    }
}

/// Counts work that runs at once.
private final class Running: Sendable {
    private let state = Lock((now: 0, most: 0, count: 0, isOpen: false))

    var most: Int { state.withLock(\.most) }
    var count: Int { state.withLock(\.count) }
    var isOpen: Bool { state.withLock(\.isOpen) }

    func begin() {
        state.withLock {
            $0.now += 1
            $0.count += 1
            $0.most = max($0.most, $0.now)
        }
    }

    func end() { state.withLock { $0.now -= 1 } }

    func open() { state.withLock { $0.isOpen = true } }
}
