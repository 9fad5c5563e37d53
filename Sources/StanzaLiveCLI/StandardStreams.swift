// Standard output and standard error: only this file writes there. A failure to write is an error like others.

import Foundation

/// Standard output cannot be written.
struct OutputFailure: Error, CustomStringConvertible {
    /// The value of `errno`.
    let code: Int32

    /// Whether the reader is gone, which is not a failure.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String { "cannot write: \(String(cString: strerror(code)))" }
}

enum StandardStreams {
    /// Writes to standard output, without a buffer.
    static func write(_ text: String) throws(OutputFailure) { try write(text, to: STDOUT_FILENO) }

    /// Writes to standard error. A failure cannot be reported anywhere.
    static func report(_ text: String) { try? write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: CInt) throws(OutputFailure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&request, 1, -1)
            default: throw OutputFailure(code: errno)
            }
        }
    }
}
