// An input that several threads search gives the same as with one thread, for any content and any cuts: the search,
// the cuts, and the order of the work.

import Locking
import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("Sharing an input")
struct SharingTests {
    /// Pieces of input, good and bad. Some look like the ends of stanzas.
    private static let pieces = [
        "<message id='1'><body>text</body></message>", "<iq id=\"2>\"/>", "<presence id='3' x='/>'></presence>\n",
        "<message id='4'><![CDATA[</message><iq>]]></message>", "\n", "  ", "<a id='5'><b><c/></b>\n<d/></a>\n",
        "<message id='6'>\u{E9}\u{1F600}</message>", "<iq id='7'><query xmlns='urn:x'><item/></query></iq>\n\n",
        "<x:y id='8' xmlns:x='urn:y'><x:z/></x:y>",
    ]
    private static let badPieces = [
        "text", "<open id='9'>", "</close>", "<!-- > <a> -->", "<?pi <a> ?>", "<a id='10' b='", "&unknown;",
        "<a><b></a>", "<", "\u{1}", "<!DOCTYPE a>", "</stream:stream>", "<a id='11'", "]]>", "<stream:features/>",
        "\u{FEFF}<a id='13'/>",
        "<long id='12'>\(String(repeating: "x", count: 3_000))</long>",
    ]

    /// Beginnings of other streams, with other bindings.
    private static let restarts = ["<?xml version='1.0'?>\n", "", "</stream:stream>"].flatMap { end in
        [streamHeader, "<stream:stream xmlns='urn:y' xmlns:stream='http://etherx.jabber.org/streams'>"]
            .map { end + $0 + "\n" }
    }

    private static func text(
        _ format: InputFormat, badness: Int, using random: inout SeededGenerator
    ) -> String {
        var pieces = (0..<Int.random(in: 0...80, using: &random)).map { _ in
            let isBad = Int.random(in: 0..<100, using: &random) < badness
            return (isBad ? badPieces : self.pieces).randomElement(using: &random) ?? ""
        }
        switch format {
        case .stream:
            let header = ["", "<?xml version='1.0'?>\n"].randomElement(using: &random) ?? ""
            for _ in 0..<random.pick([0, 0, 1, 3]) {
                pieces.insert(random.pick(restarts), at: random.pick(Array(0...pieces.count)))
            }
            pieces.insert(header + streamHeader + "\n", at: 0)
            if Bool.random(using: &random) { pieces.append("</stream:stream>\n") }
        case .document: pieces = ["<?xml version='1.0'?><r>"] + pieces + ["</r>"]
        case .fragments: break
        case .log: pieces.insert("log ", at: 0)
        case .jsonl, .lines:
            pieces = pieces.map { piece in
                if format == .lines, Bool.random(using: &random) { return piece }
                return "{\"xml\": \(JSONValue.string(piece).text)}" + (random.chance(2) ? "," : "")
            }
            return pieces.joined(separator: "\n")
        }
        return pieces.joined()
    }

    /// Queries without a result on most of the pieces.
    private static let rare = ["/b/c", "item", "{urn:y}z", "d", "nowhere", "/@id"]

    private struct Result: Equatable {
        let status: CommandStatus
        let output: String
        let errors: String
        /// Of a whole search.
        let stanzas: Int?
    }

    private func search(
        _ inputs: [[UInt8]], _ format: InputFormat?, jobs: Int, blockLength: Int, pieceLength: Int, waits: [Bool],
        _ settings: ReadingSettings, _ queries: SearchQueries, stopsAtFirst: Bool
    ) throws -> Result {
        let (output, errors) = (MemorySink(), MemorySink())
        var next = 0
        let console = Console(
            input: MemorySource([], isLive: false), output: Output(output), errors: Output(errors),
            open: { _ throws(SystemError) in
                defer { next += 1 }
                return SometimesWaiting(inputs[next], pieceLength: pieceLength, waits: waits)
            })
        var settings = settings
        settings.format = format
        let evaluator = Evaluator(
            queries: queries, settings: settings, formatter: ResultFormatter(format: .text, showsSource: true),
            stopsAtFirst: stopsAtFirst)
        var search = Search(evaluator, jobs: jobs, blockLength: blockLength, progress: nil, on: console)
        let status = search.run(inputs.indices.map { "file\($0)" })
        console.output.flush()
        return Result(
            status: status, output: output.text, errors: errors.text, stanzas: stopsAtFirst ? nil : search.stanzas)
    }

    @Test("reports a mistake in a long stanza once, and is right if the end of a block is guessed wrongly")
    func longStanzas() throws {
        // The parser gets the stanza before its end, and reports its mistake at once.
        let text = "<a id='1'/><x:q id='2'>\(String(repeating: "x", count: 5_000))</x:q>\n<b id='3'/>"
        let queries = try SearchQueries("nowhere", arguments: [], options: [])
        let settings = ReadingSettings(maximumBytes: 2_000, prefilters: queries.prefilters)
        for waits in [[false], [true], [false, true], [true, false], [true, true, false]] {
            let errors = try [1, 2].map { jobs in
                try search(
                    [Array(text.utf8)], .fragments, jobs: jobs, blockLength: 300, pieceLength: 700, waits: waits,
                    settings, queries, stopsAtFirst: true
                ).errors
            }
            #expect(errors[0] == errors[1] && !errors[0].isEmpty, "\(waits)")
        }
        // The guessed end is within the long stanza.
        let stream = Array(BlockCutterTests.longStream(BlockCutterTests.longStanza).utf8)
        for query in ["/@id", "nowhere"] {
            let queries = try SearchQueries(query, arguments: [], options: [])
            for prefilters in [[], queries.prefilters] {
                let results = try [1, 2].map { jobs in
                    try search(
                        [stream], .stream, jobs: jobs, blockLength: 1 << 17, pieceLength: 1 << 16, waits: [false],
                        ReadingSettings(prefilters: prefilters), queries, stopsAtFirst: false)
                }
                #expect(results[0].stanzas == 10_001 && results[1] == results[0])
            }
        }
    }

    @Test("gives the same", arguments: InputFormat.allCases)
    func same(format: InputFormat) throws {
        var random = SeededGenerator(salt: UInt64(format.rawValue.utf8.count))
        for round in 0..<SeededGenerator.cases(default: 60) {
            let badness = random.pick([0, 0, 1, 5, 20])
            let inputs = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Array(Self.text(format, badness: badness, using: &random).utf8)
            }
            let named = format == .lines || Bool.random(using: &random) ? format : nil
            let waits = (0..<5).map { _ in Int.random(in: 0..<4, using: &random) == 0 }
            let queries = try SearchQueries(random.pick(Self.rare), arguments: [], options: [])
            // Which mistakes are passed over depends on the number of jobs.
            let settings = ReadingSettings(
                maximumBytes: [nil, 2_000].randomElement(using: &random) ?? nil,
                prefilters: badness == 0 ? queries.prefilters : [])
            let stopsAtFirst = Int.random(in: 0..<8, using: &random) == 0
            let pieceLength = Int.random(in: 1...700, using: &random)
            func search(_ jobs: Int, _ blockLength: Int) throws -> Result {
                try self.search(
                    inputs, named, jobs: jobs, blockLength: blockLength, pieceLength: pieceLength, waits: waits,
                    settings, queries, stopsAtFirst: stopsAtFirst)
            }
            let alone = try search(1, 1)
            for jobs in 2...3 {
                let shared = try search(jobs, Int.random(in: 1...600, using: &random))
                guard shared == alone else {
                    let seed = "STANZA_SEED=\(SeededGenerator.seed), round \(round)"
                    Issue.record("\(seed): \(alone) became \(shared) with \(jobs) jobs")
                    return
                }
            }
        }
    }
}

/// Returns pieces of an input, and reports that some of them have to be waited for.
private final class SometimesWaiting: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let pieceLength: Int
    private let waits: [Bool]
    private var asked = 0

    init(_ bytes: [UInt8], pieceLength: Int, waits: [Bool]) {
        rest = bytes[...]
        self.pieceLength = pieceLength
        self.waits = waits
    }

    var mayWait: Bool {
        asked += 1
        return waits[asked % waits.count]
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let piece = rest.prefix(pieceLength)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(pieceLength)
        return piece.count
    }
}

@Suite("Blocks")
struct BlockCutterTests {
    private static let stanzas = [
        "<a b='>' c=\"'/>\"/>", "<a><b>\n</b><c/></a>\n", "<d><![CDATA[</d>]]]]></d>", " <e f='g'\n></e\n>",
        "<h>\(String(repeating: "i", count: 200))</h>",
    ]

    private static func blocks(
        _ text: String, _ format: InputFormat?, length: Int, pieces: Int, scansAll: Bool = false
    ) -> [Block] {
        var cutter = BlockCutter(ReadingSettings(format: format), blockLength: length, scansAll: scansAll)
        var blocks: [Block] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { cutter.add($0) }
            while cutter.hasEnough, let block = cutter.cut() { blocks.append(block) }
        }
        return blocks + [cutter.rest()]
    }

    /// Its middle reads like many stanzas.
    static let longStanza = "<m id='0'>\(String(repeating: "<a/>", count: 60_000))</m>"

    /// Ten thousand stanzas, with another one in their middle.
    static func longStream(_ middle: String) -> String {
        let stanzas = (1...5_000).map { "<m id='\($0)'><b><c/>text</b></m>\n" }.joined()
        return streamHeader + stanzas + middle + stanzas + "</stream:stream>"
    }

    @Test("end at a guess, which is right unless a stanza is long")
    func guess() throws {
        for (middle, isRight) in [("<m id='0'/>", true), (Self.longStanza, false)] {
            let blocks = Self.blocks(Self.longStream(middle), .stream, length: 1 << 17, pieces: 1 << 16)
            #expect(blocks.count > 2)
            // The last block ends with the stream.
            let counts = try blocks.dropLast().map { try Self.count($0) }
            #expect(counts.allSatisfy { $0 != nil } == isRight)
        }
    }

    @Test("end where stanzas end without guesses, and together are the input", arguments: [1, 7, 100, 1_000])
    func ends(length: Int) throws {
        let stanzas = (0..<40).map { Self.stanzas[$0 % Self.stanzas.count] }
        let header = streamHeader
        for (format, text, most) in [
            (InputFormat.fragments, stanzas.joined(), stanzas.count + 1),
            (.stream, "<?xml version='1.0'?>\n" + header + stanzas.joined() + "</stream:stream>\n", 42),
        ] {
            for pieces in [1, 3, 64, 10_000] {
                let blocks = Self.blocks(text, format, length: length, pieces: pieces, scansAll: true)
                #expect(blocks.flatMap(\.bytes) == Array(text.utf8))
                #expect(blocks.count <= most)
                if length == 1, pieces <= 3 { #expect(blocks.count > 30) }
                var position = SourcePosition.start
                for block in blocks {
                    #expect(block.place.position == position)
                    #expect(block.place.format == format)
                    if format == .stream { #expect(block.place.header == Array(header.utf8)) }
                    let count = try Self.count(block)
                    #expect(count != nil || block.isLast)
                    block.bytes.withUnsafeBufferPointer { position.advance(over: $0) }
                }
                #expect(blocks.map(\.isLast) == blocks.indices.map { $0 == blocks.count - 1 })
            }
        }
    }

    /// Returns the number of stanzas in a block.
    private static func count(_ block: Block) throws -> Int? {
        let evaluator = Evaluator(
            queries: try SearchQueries("", arguments: [], options: []), settings: ReadingSettings(),
            formatter: ResultFormatter(format: .count, showsSource: false), stopsAtFirst: false)
        return evaluator.evaluate(block, from: "-", with: StanzaReader(ReadingSettings()))?.stanzas
    }

    @Test("do not wait for an end that may never come, and documents have no other")
    func stuck() {
        var cutter = BlockCutter(ReadingSettings(format: .fragments, maximumBytes: 100), blockLength: 10)
        "<a>".utf8CString.dropLast().withUnsafeBytes { cutter.add($0) }
        #expect(!cutter.isStuck)
        String(repeating: "<a>", count: 100).utf8CString.dropLast().withUnsafeBytes { cutter.add($0) }
        #expect(cutter.isStuck && !cutter.hasEnough)
        cutter.dropAll()
        #expect(cutter.place.position == SourcePosition(line: 1, column: 304, offset: 303))
        #expect(cutter.cut() == nil)
        for format in [nil, InputFormat.fragments, .jsonl] {
            #expect(!BlockCutter(ReadingSettings(format: format, maximumBytes: .max)).isStuck)
        }
        #expect(Self.blocks("<?xml version='1.0'?><a><b/></a>", nil, length: 1, pieces: 5).map(\.isAlone) == [true])
    }
}

@Suite("Ordered work")
struct OrderedWorkTests {
    /// The example of the doc comment.
    @Test("is work and its result")
    func example() {
        let work = OrderedWork<Int, Int>(threads: 2, capacity: 8) { { $0 + 1 } }
        work.add(1)
        let result = work.next()  // 2
        #expect(result == 2)
    }

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
