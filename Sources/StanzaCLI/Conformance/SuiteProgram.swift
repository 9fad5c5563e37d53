// The process of `stanza conformance --program`: one line in for each case, one line out. The program may do anything:
// each wait has an end, and each line a maximum length.
//
// ProgramAnswer.swift reads and compares the lines.

import Foundation

/// The reason why a program cannot answer any more cases.
enum ProgramFailure: Error, CustomStringConvertible {
    case cannotStart(SystemError)
    case ended(ProgramEnd)
    /// It runs without an output.
    case closed
    case silent(_ patience: Duration)
    case endless
    case extraLine
    case noJSON(JSONError)
    case lingering(_ patience: Duration)
    case interrupted

    var description: String {
        switch self {
        case .cannotStart(let error): "the program cannot be started: \(error)"
        case .ended(let end): "the program ended with \(end)"
        case .closed: "the program closed its output"
        case .silent(let patience):
            "the program gave no answer within \(patience.components.seconds) s; it must flush each line"
                + (patience < .seconds(SuiteProgram.timeouts.upperBound) ? ", and --timeout allows more time" : "")
        case .endless: "the program's answer has more than \(SuiteProgram.maximumLength) bytes"
        case .extraLine:
            "the program printed a line that answers no case; expected one line after each line that it reads"
        case .noJSON(let error): "the program's answer is wrong at byte \(error.offset): \(error.message)"
        case .lingering(let patience):
            "the program did not end within \(patience.components.seconds) s after the end of its input"
        case .interrupted: "interrupted"
        }
    }
}

/// The end of a process.
enum ProgramEnd: Equatable, CustomStringConvertible {
    case exit(code: Int32)
    case signal(Int32)

    /// - Parameter status: The result of `waitpid`.
    fileprivate init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exit(code: status >> 8 & 0xFF) : .signal(signal)
    }

    var description: String {
        switch self {
        case .exit(let code): "exit code \(code)"
        case .signal(let number): "signal \(number)"
        }
    }
}

/// A running program. This object ends the program and all processes of its group. A process that it started and that
/// left the group continues.
final class SuiteProgram {
    /// The maximum number of bytes of an answer. It may quote a document of a mebibyte in `results` and in `first`,
    /// with as many escapes as letters.
    static let maximumLength = 4 << 20
    /// The seconds that '--timeout' can be.
    static let timeouts = 1...3_600

    private let patience: Duration
    private let isInterrupted: @Sendable () -> Bool
    private let process: pid_t
    private var input: Int32
    private let output: Int32
    /// The output that was read, and where to search it for the end of a line.
    private var pending: [UInt8] = []
    private var searched = 0
    /// The end of the process, once it is reaped.
    private var end: ProgramEnd?

    /// Starts a command of the shell.
    ///
    /// - Parameter patience: The longest wait for an answer, and for the end of the process.
    init(_ command: String, patience: Duration, on console: Console) throws(ProgramFailure) {
        self.patience = patience
        isInterrupted = console.isInterrupted
        do throws(SystemError) {
            let (forInput, forOutput) = (try PipeEnds(), try PipeEnds())
            defer {
                close(forInput.reading)
                close(forOutput.writing)
            }
            process = try startProgram(
                ["/bin/sh", "-c", command], input: forInput.reading, output: forOutput.writing, inGroup: true)
            (input, output) = (forInput.writing, forOutput.reading)
        } catch {
            throw .cannotStart(error)
        }
        for end in [input, output] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        closeInput()
        close(output)
        if end != nil { return }
        // It may have left its group.
        for target in [-process, process] { kill(target, SIGKILL) }
        // A process that does not end now stays as a zombie.
        let deadline = ContinuousClock.now + .seconds(1)
        while !reap(), ContinuousClock.now < deadline { poll(nil, 0, 1) }
        Interruption.endsProgram(nil)
    }

    // MARK: Answers

    /// The answer to a case: a line without its end.
    func answer(to question: [UInt8]) throws(ProgramFailure) -> [UInt8] {
        var rest = (question + [UInt8(ascii: "\n")])[...]
        let deadline = ContinuousClock.now + patience
        // A second line for the last case would answer this one.
        _ = try read()
        guard pending.isEmpty else { throw .extraLine }
        while true {
            if let line = takeLine() {
                // It may have answered twice, or before it was asked.
                guard rest.isEmpty, pending.isEmpty else { throw .extraLine }
                return line
            }
            guard try isReady(before: deadline, toWrite: !rest.isEmpty) else {
                throw end.map(ProgramFailure.ended) ?? .silent(patience)
            }
            write(&rest)
            if try !read() {
                closeInput()
                try waitForEnd(before: deadline)
                throw end.map(ProgramFailure.ended) ?? .closed
            }
        }
    }

    /// Ends the input, and waits for the end of the process.
    func finish() throws(ProgramFailure) {
        closeInput()
        let deadline = ContinuousClock.now + patience
        while try isReady(before: deadline, toWrite: false) {
            let isOpen = try read()
            if !pending.isEmpty { throw .extraLine }
            if isOpen { continue }
            try waitForEnd(before: deadline)
            break
        }
        guard let end else { throw .lingering(patience) }
        if end != .exit(code: 0) { throw .ended(end) }
    }

    private func takeLine() -> [UInt8]? {
        guard let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = pending.count
            return nil
        }
        defer {
            pending.removeFirst(end + 1)
            searched = 0
        }
        return Array(pending[..<end])
    }

    // MARK: Input and output

    /// Waits until there is output, or its end, or room for input. Returns whether that is before the deadline, and not
    /// after the end of the process.
    private func isReady(before deadline: ContinuousClock.Instant, toWrite: Bool) throws(ProgramFailure) -> Bool {
        var requests = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            // A negative number is not waited for.
            pollfd(fd: toWrite ? input : -1, events: Int16(POLLOUT), revents: 0),
        ]
        while ContinuousClock.now < deadline {
            if isInterrupted() { throw .interrupted }
            // Another process may hold the output of an ended one open.
            let hasEnded = hasEnded
            if poll(&requests, 2, hasEnded ? 0 : Self.pause) > 0 { return true }
            if hasEnded { return !reap() }
        }
        return false
    }

    /// Writes as much as there is room for. A program that does not read its input may nevertheless answer.
    private func write(_ bytes: inout ArraySlice<UInt8>) {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes.removeFirst(count)
            } else if errno == EPIPE {
                bytes = []
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Reads the output, at most one buffer of it. Returns whether there may be more.
    private func read() throws(ProgramFailure) -> Bool {
        let count = withUnsafeTemporaryAllocation(byteCount: Self.readLength, alignment: 1) { buffer in
            let count = Foundation.read(output, buffer.baseAddress, buffer.count)
            if count > 0 { pending.append(contentsOf: buffer[..<count]) }
            return count
        }
        if pending.count > Self.maximumLength { throw .endless }
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
    }

    private func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// In milliseconds: a delay after Ctrl-C that users do not notice.
    private static let pause: Int32 = 20
    private static let readLength = 1 << 16

    // MARK: The end

    /// Waits for the end of the process.
    private func waitForEnd(before deadline: ContinuousClock.Instant) throws(ProgramFailure) {
        while !reap(), ContinuousClock.now < deadline {
            if isInterrupted() { throw .interrupted }
            poll(nil, 0, 1)
        }
    }

    /// Whether the process has ended. Until it is reaped, no other process gets its number.
    private var hasEnded: Bool {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | WNOHANG) < 0, errno == EINTR {}
        return information.si_signo == SIGCHLD
    }

    /// Reaps the process if it has ended, and kills the processes that it leaves. Returns whether it has ended.
    private func reap() -> Bool {
        guard hasEnded else { return false }
        kill(-process, SIGKILL)
        Interruption.endsProgram(nil)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        end = ProgramEnd(status: status)
        return true
    }
}
