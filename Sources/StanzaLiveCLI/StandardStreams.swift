// Standard output and standard error: only this file writes there. A failure to write is an error like others.

import Foundation
import StanzaCLI

enum StandardStreams {
    /// Writes to standard output, without a buffer.
    static func write(_ text: String) throws(SystemError) { try write(text, to: STDOUT_FILENO) }

    /// Writes to standard error. A failure cannot be reported anywhere.
    static func report(_ text: String) { try? write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: CInt) throws(SystemError) {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(SystemError) in
            try FileSink(descriptor: descriptor).write(UnsafeRawBufferPointer(bytes))
        }
    }
}
