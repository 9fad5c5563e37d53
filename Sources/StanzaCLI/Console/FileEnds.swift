// Files, pipes and terminals as the sources and sinks of commands.

public import Foundation

/// A system call that failed.
public struct SystemError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The value of `errno`.
    public let code: Int32

    public init(code: Int32) {
        self.code = code
    }

    static var last: SystemError { SystemError(code: errno) }

    /// Whether the reader of a pipe is gone, which is not a failure.
    public var isClosedPipe: Bool { code == EPIPE }

    /// Ctrl-C came while a call waited.
    var isInterruption: Bool { code == EINTR }

    public var description: String { String(cString: strerror(code)) }
    public var errorDescription: String? { description }
}

/// A file descriptor to read from. The source closes it at the end.
final class FileSource: ByteSource {
    private let descriptor: Int32
    private let isRegular: Bool
    /// Whether the source has ever had input, or has ended.
    private var hasBegun = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isRegular = isRegularFile(descriptor)
    }

    convenience init(path: String) throws(SystemError) {
        // O_NONBLOCK opens a FIFO without a wait for its writer: such a wait would not notice Ctrl-C.
        let path = FileName.path(path)
        var descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // Another process, such as a file server, may hold a lease on the file, and gives it back in a moment.
        if descriptor < 0, errno == EWOULDBLOCK { descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC) }
        if descriptor < 0 { throw .last }
        self.init(descriptor: descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// The first bytes of a regular file, which are not read by this.
    var beginning: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: isRegular ? 1 << 13 : 0)
        let count = bytes.isEmpty ? 0 : pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(count, 0)))
    }

    /// The status of the open file.
    var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Calls a function that gives the file to another program.
    func withDescriptor<Result>(_ body: (Int32) throws(SystemError) -> Result) throws(SystemError) -> Result {
        try body(descriptor)
    }

    /// Whether a read may wait. False if bytes arrive now or in a moment, so that a fast writer does not count as slow.
    var mayWait: Bool {
        if isRegular { return false }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, Self.patience) != 1
    }

    /// In milliseconds: a delay of results too short to notice.
    private static let patience: Int32 = 1

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        // A file is always ready; a read of anything else may have to end because of Ctrl-C.
        if !isRegular, Interruption.isNoted(beforeReading: descriptor) { throw SystemError(code: EINTR) }
        // Before a writer opens a FIFO, a read would find its end.
        if !hasBegun, !isRegular { waitUntilReady(descriptor, for: POLLIN) }
        hasBegun = true
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            try recover(descriptor, waitingFor: POLLIN)
        }
    }
}

/// A file descriptor to write to.
package final class FileSink: ByteSink {
    private let descriptor: Int32
    private let isRegular: Bool

    package init(descriptor: Int32) {
        self.descriptor = descriptor
        isRegular = isRegularFile(descriptor)
    }

    /// A descriptor with room for anything has room for this many bytes at once. POSIX's least PIPE_BUF is smaller;
    /// Linux's is this.
    private static let pieceLength = 4096

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            // The write may have to end because of Ctrl-C.
            if !isRegular, Interruption.isNoted(beforeWriting: descriptor) { throw SystemError(code: EINTR) }
            let count = Foundation.write(
                descriptor, rest.baseAddress, isRegular ? rest.count : min(rest.count, Self.pieceLength))
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else {
                try recover(descriptor, waitingFor: POLLOUT)
            }
        }
    }
}

private func isRegularFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.isRegularFile
}

/// Returns when a failed call can be repeated: it was interrupted, or another process made the descriptor non-blocking.
private func recover(_ descriptor: Int32, waitingFor event: Int32) throws(SystemError) {
    switch errno {
    case EINTR: return
    case EAGAIN: waitUntilReady(descriptor, for: event)
    default: throw .last
    }
}

/// Returns when a call would not wait, or would fail.
private func waitUntilReady(_ descriptor: Int32, for event: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    while poll(&request, 1, -1) < 0, errno == EINTR {}
}

extension Console {
    /// Makes mistakes in the standard streams errors like others. Call it before the process opens anything else.
    public static func prepareStandardStreams() {
        // Otherwise a closed pipe ends the process.
        signal(SIGPIPE, SIG_IGN)
        // The next file opened would otherwise take the place of a closed stream. Each of these fails when it is used.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = Foundation.open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The process's own input and outputs.
    ///
    /// - Parameter beginLineEditing: Begins to read lines from the terminal.
    public static func process(beginLineEditing: @escaping () -> (any LineEditing)? = { nil }) -> Console {
        prepareStandardStreams()
        Interruption.handleSignals()
        return Console(
            input: FileSource(descriptor: STDIN_FILENO),
            output: Output(
                FileSink(descriptor: STDOUT_FILENO),
                showsColors: isatty(STDOUT_FILENO) != 0
                    && Terminal.wantsColors(ProcessInfo.processInfo.environment)),
            errors: Output(FileSink(descriptor: STDERR_FILENO)),
            terminal: .process(beginLineEditing),
            byteCount: regularFileSize, noteInterruption: Interruption.beginNoting,
            isInterrupted: { Interruption.isNoted },
            open: { path throws(SystemError) in try InputFiles.open(path) })
    }
}

extension Terminal {
    /// The terminal of the process's standard error; `nil` if it cannot move the cursor.
    fileprivate static func process(_ beginLineEditing: @escaping () -> (any LineEditing)?) -> Terminal? {
        if isatty(STDERR_FILENO) == 0 || isDumb(ProcessInfo.processInfo.environment) { return nil }
        let start = ContinuousClock.now
        return Terminal(
            showsOutput: isatty(STDOUT_FILENO) != 0, givesInput: isatty(STDIN_FILENO) != 0,
            noteLine: Interruption.noteLine, columns: { RawInput.columns },
            beginRawInput: RawInput.begin, beginLineEditing: { beginLineEditing().map(GuardedLineEditing.init) },
            now: { start.duration(to: .now) })
    }
}

/// The bytes of a regular file; `-` is standard input.
private func regularFileSize(_ path: String) -> Int? {
    var input = stat()
    let status = path != "-" ? try? FileName.status(of: path) : fstat(STDIN_FILENO, &input) == 0 ? input : nil
    return status.flatMap { $0.isRegularFile ? Int($0.st_size) : nil }
}
