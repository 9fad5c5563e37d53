// What a command talks to: its inputs and its outputs. Knows no command; tests put their own ends in.
//
// The ends of a real process are FileEnds.swift's.

/// The surroundings of a command.
public struct Console {
    /// So much is read at once: more makes no file faster.
    static let chunkLength = 1 << 18

    /// Standard input.
    public let input: any ByteSource
    /// Standard output.
    public let output: Output
    /// Standard error.
    public let errors: Output
    /// Opens a file for reading.
    public let open: (_ path: String) throws(SystemError) -> any ByteSource
    /// The bytes of a regular file; `-` is standard input.
    public let byteCount: (_ path: String) -> Int?
    /// The terminal that standard error goes to, if it does, and if something can be erased there.
    public let terminal: Terminal?
    /// Has the next Ctrl-C only be noted, by commands that then end by themselves and tell how far they came. A second
    /// one ends the process.
    public let noteInterruption: () -> Void
    /// Whether that was pressed. A source or a sink that waits then fails.
    public let isInterrupted: @Sendable () -> Bool

    public init(
        input: any ByteSource, output: Output, errors: Output, terminal: Terminal? = nil,
        byteCount: @escaping (_ path: String) -> Int? = { _ in nil },
        noteInterruption: @escaping () -> Void = {}, isInterrupted: @escaping @Sendable () -> Bool = { false },
        open: @escaping (_ path: String) throws(SystemError) -> any ByteSource
    ) {
        self.input = input
        self.output = output
        self.errors = errors
        self.terminal = terminal
        self.byteCount = byteCount
        self.noteInterruption = noteInterruption
        self.isInterrupted = isInterrupted
        self.open = open
    }

    /// Where a command reads what it is given the name of: `-` is standard input.
    func source(of file: String) throws(SystemError) -> any ByteSource { try file == "-" ? input : open(file) }

    /// Says what is wrong, behind everything that was printed before: `stanza: MESSAGE`.
    func report(_ message: String) {
        output.flush()
        errors.write("stanza: \(message)\n")
        errors.flush()
    }

    /// Says something that speaks for itself: what is drawn under a query, or what is told while lines are typed.
    func report(verbatim text: String) {
        output.flush()
        errors.write(text + "\n")
        errors.flush()
    }
}

/// Where bytes come from.
public protocol ByteSource: AnyObject {
    /// Whether the next read may wait for somebody: the other end of a pipe, or who sits at a terminal.
    var mayWait: Bool { get }
    /// Reads some bytes, as soon as there are any. Returns how many; none at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
}

/// Where bytes go.
public protocol ByteSink: AnyObject {
    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError)
}

/// A buffer before a sink.
///
/// The first failure ends the writing; what comes then is dropped, so that who writes need only look at `failure`
/// now and then.
public final class Output {
    private let sink: any ByteSink
    private var buffer: [UInt8] = []
    /// Why nothing is written any more.
    public private(set) var failure: SystemError?
    /// Whether it goes to a terminal that shows colours, wherever the other outputs go.
    let showsColours: Bool
    /// Called before anything is written.
    var beforeWriting: (() -> Void)?

    /// So much is written at once: more makes no file faster.
    private static let capacity = 1 << 16

    public init(_ sink: any ByteSink, showsColours: Bool = false) {
        self.sink = sink
        self.showsColours = showsColours
    }

    /// Writes bytes, sooner or later.
    public func write(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.capacity { flush() }
    }

    /// Writes a text, sooner or later.
    public func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.capacity { flush() }
    }

    /// Writes what has been kept back.
    public func flush() {
        if buffer.isEmpty { return }
        beforeWriting?()
        send(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a text at once, before what has been kept back.
    func writeAhead(_ text: String) {
        send(Array(text.utf8))
    }

    private func send(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        do throws(SystemError) {
            try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
                try sink.write(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            failure = error
        }
    }
}
