// Files as users name them: in folders, compressed, or growing.

import Foundation

enum InputFiles {
    /// The inputs, with the files of a folder that are not binary instead of the folder. Reports folders that cannot be
    /// read. After Ctrl-C, the status is `interrupted`.
    static func inFolders(_ inputs: [String], on console: Console) -> ([String], CommandStatus) {
        var interruption = WorkInterruption(on: console)
        var files: [String] = []
        var status = CommandStatus.success
        for input in inputs {
            guard input != "-", let found = try? FileName.status(of: input), found.isFolder else {
                files.append(input)
                continue
            }
            let contents = FolderContents(of: input, &interruption) { _ in true }
            files += contents.files.filter { !isBinary($0) }
            for (path, error) in contents.unreadable {
                console.report("\(path.asFileName): \(error)")
                status = .badInput
            }
        }
        return (files, interruption.leftWork ? .interrupted : status)
    }

    private static func isBinary(_ path: String) -> Bool {
        guard let beginning = try? FileSource(path: path).beginning else { return false }
        return beginning.contains(0) && Compression(of: beginning) == nil
    }

    /// Opens a file. An installed program decompresses it, if it is compressed.
    static func open(_ path: String) throws(SystemError) -> any ByteSource {
        let source = try FileSource(path: path)
        guard let compression = Compression(of: source.beginning),
            let decompressed = DecompressedSource(source, compression)
        else { return source }
        return decompressed
    }
}

/// The output of a program that decompresses a file.
private final class DecompressedSource: ByteSource {
    /// An archive does not arrive as others write it.
    let mayWait = false
    private let output: FileSource
    private var process: pid_t?

    /// `nil` if the program is not installed.
    init?(_ source: FileSource, _ compression: Compression) {
        do throws(SystemError) {
            let ends = try PipeEnds()
            defer { close(ends.writing) }
            output = FileSource(descriptor: ends.reading)
            process = try source.withDescriptor { descriptor throws(SystemError) in
                try startProgram(compression.program, input: descriptor, output: ends.writing, inGroup: false)
            }
        } catch {
            return nil
        }
    }

    deinit {
        // It may wait for a reader of its output.
        if let process { kill(process, SIGTERM) }
        _ = hasFailed()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = try output.read(into: buffer)
        // The program has reported the reason.
        if count == 0, hasFailed() { throw SystemError(code: EIO) }
        return count
    }

    /// Waits for the end of the program.
    private func hasFailed() -> Bool {
        guard let process else { return false }
        self.process = nil
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status != 0
    }
}

/// A file that grows, as `tail -F` reads it. It ends, and begins again, if it becomes shorter, or if another file takes
/// its name.
private final class FollowedSource: ByteSource {
    private let path: String
    private let isInterrupted: () -> Bool
    private var source: FileSource
    private var offset = 0
    private(set) var beginsAgain = false

    /// In microseconds: users do not notice the delay.
    private static let pause: UInt32 = 100_000

    init(_ path: String, isInterrupted: @escaping () -> Bool) throws(SystemError) {
        self.path = path
        self.isInterrupted = isInterrupted
        source = try FileSource(path: path)
    }

    var mayWait: Bool { source.mayWait || source.status.map { Int($0.st_size) <= offset } ?? true }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        beginsAgain = false
        while true {
            // A writer may have added to the file before it was replaced.
            let next = replacement
            let count = try source.read(into: buffer)
            offset += count
            if count > 0 { return count }
            if isInterrupted() { throw SystemError(code: EINTR) }
            if let next {
                source = next
                offset = 0
                beginsAgain = true
                return 0
            }
            usleep(Self.pause)
        }
    }

    /// The file that is to be read instead. Between two files of a rotated log, there may be none.
    private var replacement: FileSource? {
        guard let named = try? FileName.status(of: path), let own = source.status,
            named.st_ino != own.st_ino || Int(named.st_size) < offset
        else { return nil }
        return try? FileSource(path: path)
    }
}

extension Console {
    /// A console whose files do not end.
    func following() -> Console {
        opening { [isInterrupted] path throws(SystemError) in try FollowedSource(path, isInterrupted: isInterrupted) }
    }
}
