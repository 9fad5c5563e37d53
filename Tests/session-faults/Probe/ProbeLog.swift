// The reports to the application, in a file that survives the process. Tests/SessionFaults/RunLog.swift reads it.

import Foundation
import Locking

/// A file to which several processes append, one line for each write.
final class ProbeLog: Sendable {
    private let descriptor: CInt
    /// The process that writes, and its life.
    private let life: String

    init(path: String, life: String) throws {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        self.life = life
        if descriptor < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    func note(_ words: String...) {
        let line = Array(([life] + words).joined(separator: " ").utf8) + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
