// The inputs and outputs of a command. `Console` does not depend on commands; tests replace its ends.
//
// FileEnds.swift implements the ends of a real process.

/// The environment of a command.
public struct Console {
    /// The bytes of one read: larger reads are not faster.
    static let chunkLength = 1 << 18

    /// Standard input.
    public private(set) var input: any ByteSource
    /// Standard output.
    public let output: Output
    /// Standard error.
    public let errors: Output
    /// Opens a file for reading.
    public private(set) var open: (_ path: String) throws(SystemError) -> any ByteSource
    /// The bytes of a regular file; `-` is standard input.
    public let byteCount: (_ path: String) -> Int?
    /// The terminal of standard error; `nil` if it is not a terminal, or cannot erase.
    public let terminal: Terminal?
    /// Forgets earlier interruptions, and makes the command handle the next Ctrl-C: the signal is only noted, and the
    /// command stops its work and reports its progress. A second Ctrl-C ends the process. While a line is being edited,
    /// Ctrl-C cancels the line.
    public let noteInterruption: () -> Void
    /// Whether Ctrl-C was pressed. A source or a sink that waits then fails.
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

    /// The source with a name: `-` is standard input.
    func source(of file: String) throws(SystemError) -> any ByteSource { try file == "-" ? input : open(file) }

    /// A console with another standard input.
    func reading(_ input: any ByteSource) -> Console {
        var console = self
        console.input = input
        return console
    }

    /// A console that opens files in another way.
    func opening(_ open: @escaping (_ path: String) throws(SystemError) -> any ByteSource) -> Console {
        var console = self
        console.open = open
        return console
    }

    /// Reports a mistake after all earlier output: `stanza: MESSAGE`.
    func report(_ message: String) {
        output.flush()
        errors.write("stanza: \(message)\n")
        errors.flush()
    }

    /// Reports a text without a prefix: a drawing under a query, or a remark during typing.
    func report(verbatim text: String) {
        output.flush()
        errors.write(text + "\n")
        errors.flush()
    }
}

/// A source of bytes.
public protocol ByteSource: AnyObject {
    /// Whether the next read may wait: for the other end of a pipe, or for the user at a terminal.
    var mayWait: Bool { get }
    /// Reads some bytes, as soon as any are available. Returns their number; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// Whether more input follows the end, as after the beginning of a file.
    var beginsAgain: Bool { get }
}

extension ByteSource {
    public var beginsAgain: Bool { false }

    /// All bytes, for files that have to be in memory; `nil` if there are more than `maximum`. Then a part was read.
    func readAll(upTo maximum: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Console.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let length = try read(into: buffer)
            if length == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<length])
            if bytes.count > maximum { return nil }
        }
    }
}

/// A destination of bytes.
public protocol ByteSink: AnyObject {
    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError)
}

/// A buffer before a sink.
///
/// The first failure ends the writing, and later output is dropped. So the writer needs to check `failure` only now and
/// then.
public final class Output {
    private let sink: any ByteSink
    private var buffer: [UInt8] = []
    /// The failure that ended the writing.
    public private(set) var failure: SystemError?
    /// Whether it goes to a terminal that shows colors, wherever the other outputs go.
    let showsColors: Bool
    /// Called before anything is written.
    var beforeWriting: (() -> Void)?

    /// The bytes of one write: larger writes are not faster.
    private static let capacity = 1 << 16

    public init(_ sink: any ByteSink, showsColors: Bool = false) {
        self.sink = sink
        self.showsColors = showsColors
    }

    /// Writes bytes to the buffer.
    public func write(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.capacity { flush() }
    }

    /// Writes a text to the buffer.
    public func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.capacity { flush() }
    }

    /// Writes the buffered bytes.
    public func flush() {
        if buffer.isEmpty { return }
        beforeWriting?()
        send(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a text at once, before the buffered bytes.
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
