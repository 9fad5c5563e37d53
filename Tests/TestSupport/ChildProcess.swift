// Starts programs, and reports how they end.
//
// On Linux, Foundation's Process lists the open files of this process before it starts another one. With some 1,350
// open files or more it reads past the end of the list (Swift 6.3): where no memory follows, SIGSEGV ends this process.
// All tests together have so many files open.

import CSpawn
public import Foundation
import Locking

/// A program that was started. Of this process's files it has those only that it was given.
public final class ChildProcess: Sendable {
    /// The other end of one of its standard streams.
    public enum Stream: Sendable {
        /// That of this process.
        case inherited
        /// `/dev/null`.
        case nothing
        /// The end of a pipe that is meant, which this process has no longer.
        case pipe(Pipe)
        case file(FileHandle)
    }

    /// How it has ended.
    public enum End: Error, Hashable {
        case exit(_ code: CInt)
        case signal(CInt)

        /// The exit code.
        ///
        /// - Throws: This end, if a signal has ended the process.
        public var code: CInt {
            get throws(End) { if case .exit(let code) = self { code } else { throw self } }
        }
    }

    public let processIdentifier: pid_t
    private let reaper: Reaper

    /// Starts a program, in a process group of its own, with signals as they usually are.
    ///
    /// - Parameters:
    ///   - program: Its file.
    ///   - arguments: The arguments after its name.
    ///   - environment: All its variables; without, those of this process.
    ///   - folder: Where it works; without, where this process does.
    /// - Throws: `POSIXError`.
    public init(
        _ program: URL, _ arguments: [String] = [], environment: [String: String]? = nil, folder: URL? = nil,
        input: Stream = .inherited, output: Stream = .inherited, errors: Stream = .inherited
    ) throws {
        processIdentifier = try Self.spawn(
            program.path, arguments, environment ?? ProcessInfo.processInfo.environment, folder?.path,
            [input, output, errors])
        let reaper = Reaper(of: processIdentifier)
        self.reaper = reaper
        // Code that waits for any ended process, as the testing library does, does not find this one again and again.
        Thread.detachNewThread { reaper.reap() }
        if case .pipe(let pipe) = input { try? pipe.fileHandleForReading.close() }
        // One pipe may be both.
        for case .pipe(let pipe) in [output, errors] { try? pipe.fileHandleForWriting.close() }
    }

    public var isRunning: Bool { reaper.end == nil }

    /// Waits for its end. It blocks the thread.
    @discardableResult
    public func waitUntilExit() -> End { reaper.wait() }

    /// Sends it a signal, unless it has ended.
    public func send(_ signal: CInt) { reaper.unlessReaped { kill(processIdentifier, signal) } }

    /// Sends it a signal later, unless this object is gone then.
    public func send(_ signal: CInt, after seconds: TimeInterval) -> DispatchWorkItem {
        let alarm = DispatchWorkItem { [weak self] in self?.send(signal) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: alarm)
        return alarm
    }
}

/// Waits for a process's end, and keeps its status.
private final class Reaper: Sendable {
    private let process: pid_t
    private let state = Lock<ChildProcess.End?>(nil)
    private let reaping = DispatchGroup()

    init(of process: pid_t) {
        self.process = process
        reaping.enter()
    }

    var end: ChildProcess.End? { state.withLock(\.self) }

    /// Until a process is reaped, no other process gets its number.
    func unlessReaped(_ body: () -> Void) { state.withLock { if $0 == nil { body() } } }

    func wait() -> ChildProcess.End {
        reaping.wait()
        // It is known by now.
        return end ?? .exit(-1)
    }

    /// Waits for the end, and takes the process's number from it.
    func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        state.withLock { end in
            var status: CInt = 0
            // If other code has reaped it, its status is lost.
            guard waitpid(process, &status, 0) == process else { return end = .exit(-1) }
            end = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
        }
        reaping.leave()
    }
}

extension ChildProcess {
    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ folder: String?,
        _ streams: [Stream]
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        try check(posix_spawn_file_actions_init(&actions))
        defer { posix_spawn_file_actions_destroy(&actions) }
        try check(posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }
        if let folder { try check(posix_spawn_file_actions_addchdir_np(&actions, folder)) }
        for (number, stream) in zip(CInt(0)..., streams) {
            switch stream {
            case .inherited:
                #if canImport(Darwin)
                try check(posix_spawn_file_actions_addinherit_np(&actions, number))
                #endif
            case .nothing: try check(posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0))
            case .pipe(let pipe):
                let end = number == STDIN_FILENO ? pipe.fileHandleForReading : pipe.fileHandleForWriting
                try check(posix_spawn_file_actions_adddup2(&actions, end.fileDescriptor, number))
            case .file(let file): try check(posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, number))
            }
        }
        // Threads of tests block signals, and the parent of the tests may ignore them: a program would inherit both.
        var signals = sigset_t()
        sigemptyset(&signals)
        try check(posix_spawnattr_setsigmask(&attributes, &signals))
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM] { sigaddset(&signals, signal) }
        try check(posix_spawnattr_setsigdefault(&attributes, &signals))
        var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        try check(posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1))
        #endif
        try check(posix_spawnattr_setflags(&attributes, CShort(flags)))
        let words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        let variables = environment.map { strdup("\($0)=\($1)") }
        defer { for variable in variables { free(variable) } }
        var process = pid_t()
        try check(posix_spawn(&process, program, &actions, &attributes, words + [nil], variables + [nil]))
        return process
    }

    private static func check(_ code: CInt) throws {
        if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }
}
