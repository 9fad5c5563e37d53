// `stanza repl` on a pseudo-terminal, with typed keys.

import Foundation
import StanzaCLI
import TestSupport
import Testing

@Suite("Repl on a terminal", .serialized, .timeLimit(.minutes(60)))
struct ReplTerminalTests {
    @Test("edits, completes, points at mistakes, and remembers")
    func conversation() throws {
        let repl = try Repl()
        try repl.wait(for: "3 stanzas")
        try repl.wait(for: "stanza> ")
        // Completed names, and results.
        try repl.type("/me\t/bo\t#\r")
        try repl.wait(for: "ssage")
        try repl.wait(for: "thou\\u009b31m art")
        try repl.wait(for: "1 result in 1 of 3 stanzas")
        // A mistake is shown in color during typing, and disappears when it is corrected.
        try repl.type("/@id|integer")
        try repl.wait(for: "^~~~~~~\u{1B}[0m")
        try repl.wait(for: "unknown conversion 'integer'")
        try repl.type("\u{7F}\u{7F}\u{7F}\u{7F}\r")
        try repl.wait(for: "3 results in 3 of 3 stanzas")
        // Several candidates are listed.
        try repl.type("/@t\t\t")
        try repl.wait(for: "to    type")
        // Ctrl-C discards the line, and the session continues.
        try repl.type("\u{3}")
        // The last line but one returns, is edited, and runs again.
        try repl.type("\u{1B}[A\u{1B}[A\u{1}\u{5}\r")
        try repl.wait(for: "thou\\u009b31m art")
        try repl.type(":explain\r")
        try repl.wait(for: "yield  text")
        // Ctrl-D ends the session.
        try repl.waitForPrompt()
        try repl.type("\u{4}")
        #expect(try repl.end() == 0)
        #expect(try repl.history() == ["/message/body#", "/@id|int", "/message/body#", ":explain"])
        #expect(try repl.terminal.localModes() == repl.modesBefore)
    }

    @Test("offers the lines of earlier sessions, edits characters of several bytes, and has the keys of vi, too")
    func earlierLines() throws {
        let repl = try Repl(history: "/{urn:é日}ä@id\n")
        try repl.wait(for: "stanza> ")
        try repl.type("\u{1B}[A")
        try repl.wait(for: "日}ä@id")
        try repl.type("|int\u{1}\u{1B}[3~\u{5}\u{7F}\u{7F}\u{7F}\u{7F}\r")
        try repl.wait(for: "0 results in 0 of 3 stanzas")
        try repl.type(":quit\r")
        #expect(try repl.end() == 0)
        #expect(try repl.history() == ["/{urn:é日}ä@id", "{urn:é日}ä@id", ":quit"])
        let vi = try Repl(keys: "bind -v\n")
        try vi.waitForPrompt()
        // Escape begins the command mode: cut the last letter, continue after the end.
        try vi.type("/me\t/bo\t#x\u{1B}xA\r")
        try vi.wait(for: "1 result in 1 of 3 stanzas")
        try vi.waitForPrompt()
        try vi.type(":quit\r")
        #expect(try vi.end() == 0)
        #expect(try vi.history() == ["/message/body#", ":quit"])
    }

    @Test("takes the lines of a terminal that cannot edit them like those of a pipe")
    func dumb() throws {
        let repl = try Repl(environment: ["TERM": "dumb"])
        try repl.type("/@id|integer\n:quit\n")
        try repl.wait(for: "unknown conversion 'integer'")
        #expect(try repl.end() == 2)
        #expect(!repl.shown.contains("stanza> "))
        #expect(!repl.shown.contains("\u{1B}"))
    }

    @Test("works on a narrow terminal, without colors if none are wanted, and shows no remarks during a search")
    func narrow() throws {
        let repl = try Repl(columns: 24, environment: ["NO_COLOR": "1"])
        try repl.wait(for: "stanza> ")
        // Over three rows, with a mistake at the end, and back to the beginning.
        try repl.type("/message<id=m1><type=chat>/body##")
        try repl.wait(for: "unexpected")
        #expect(!repl.shown.contains("\u{1B}[31m"))
        try repl.type("\u{7F}\u{1}\u{5}\r")
        try repl.wait(for: "1 result in 1 of 3 stanzas")
        try repl.terminal.resize(columns: 60)
        let before = repl.shown.count
        try repl.waitForPrompt()
        try repl.type("body#\u{12}")
        try repl.wait(for: "bck:")
        // No part of the line that is edited: the search would find it there.
        try repl.type("chat")
        try repl.wait(for: "/message<id=m1>")
        try repl.type("\r")
        try repl.wait(for: "1 result in 1 of 3 stanzas")
        #expect(!repl.shown.dropFirst(before).contains("^"))
        try repl.waitForPrompt()
        try repl.type("\u{4}")
        #expect(try repl.end() == 0)
    }

    @Test("restores the terminal when a signal ends it", arguments: [SIGTERM, SIGHUP])
    func signals(signal: Int32) throws {
        let repl = try Repl()
        try repl.waitForPrompt()
        repl.process.send(signal)
        #expect(repl.process.waitUntilExit() == .signal(signal))
        #expect(try repl.terminal.localModes() == repl.modesBefore)
    }

    @Test("ends a query at the first Ctrl-C, but not itself")
    func interruption() throws {
        // Some seconds of work at least: each stanza takes a pattern to its limits.
        let slow = "<a id='\(String(repeating: "a", count: 64))!'/>\n"
        let repl = try Repl(stanzas: String(repeating: slow, count: 60_000))
        try repl.waitForPrompt()
        try repl.type("/<id~^(a+)+$>\r")
        try repl.wait(for: "exceeded its limit")
        repl.process.send(SIGINT)
        try repl.wait(for: "interrupted after ")
        try repl.waitForPrompt()
        try repl.type("/b\r")
        try repl.wait(for: "0 results in 0 of 60000 stanzas")
        try repl.waitForPrompt()
        try repl.type("\u{4}")
        #expect(try repl.end() == 0)
    }
}

/// The command on a terminal, with its own stanzas and home.
private final class Repl {
    let terminal: PseudoTerminal
    let process: ChildProcess
    let modesBefore: tcflag_t
    /// All shown bytes, and the number of those already waited for.
    private var bytes: [UInt8] = []
    private var seen = 0
    private let home: TemporaryFolder
    private let watchdog: DispatchWorkItem

    private static let firstLine = "# Lines typed to 'stanza repl', the newest last.\n"
    static let stanzas = """
        <message type='chat' to='a' id='m1'><body>thou&#x9b;31m art</body></message>
        <iq type='get' id='i1'/>
        <presence id='p1'/>
        """

    init(
        stanzas: String = Repl.stanzas, columns: UInt16 = 100, history: String? = nil, keys: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        home = try TemporaryFolder()
        try home.file("f.log", stanzas)
        if let history { try home.file(".stanza_history", Self.firstLine + history) }
        if let keys { try home.file(".editrc", keys) }
        terminal = try PseudoTerminal()
        try terminal.resize(columns: columns)
        modesBefore = try terminal.localModes()
        let standard = ["HOME": home.url.path, "TERM": "xterm", "PATH": "/usr/bin:/bin"]
        let ends = ChildProcess.Stream.file(terminal.slave)
        process = try ChildProcess(
            stanzaExecutable, ["repl", "f.log"], environment: standard.merging(environment) { $1 }, folder: home.url,
            input: ends, output: ends, errors: ends)
        // A watchdog ends every wait.
        watchdog = process.send(SIGKILL, after: 600)
    }

    deinit {
        watchdog.cancel()
        process.send(SIGKILL)
    }

    func type(_ text: String) throws { try terminal.type(text) }

    /// Returns when a text is shown, after the text of the previous wait.
    func wait(for text: String) throws {
        while true {
            if let range = bytes[seen...].firstRange(of: Array(text.utf8)) {
                seen = range.upperBound
                return
            }
            guard try terminal.hasMore(or: process) else { throw Unseen(text: text, shown: shown) }
            bytes += try terminal.readBytes()
        }
    }

    /// Returns when the next line is edited. Until then, the terminal itself handles keys such as Ctrl-D and Ctrl-R.
    func waitForPrompt() throws {
        try wait(for: "stanza> ")
        while try terminal.localModes() & tcflag_t(ICANON) != 0, process.isRunning { usleep(10_000) }
    }

    var shown: String { String(decoding: bytes, as: UTF8.self) }

    /// The exit code, when the command has ended.
    func end() throws -> Int32 { try process.waitUntilExit().code }

    func history() throws -> [String] {
        let text = try String(contentsOf: home.file(".stanza_history"), encoding: .utf8)
        guard text.hasPrefix(Self.firstLine) else { return [text] }
        return text.dropFirst(Self.firstLine.count).split(separator: "\n").map(String.init)
    }

    struct Unseen: Error {
        let text: String
        let shown: String
    }
}

extension PseudoTerminal {
    /// Waits until more is shown; returns false when the process has ended instead.
    fileprivate func hasMore(or process: ChildProcess) throws -> Bool {
        while !canRead(within: 100) {
            if !process.isRunning { return false }
        }
        return true
    }
}
