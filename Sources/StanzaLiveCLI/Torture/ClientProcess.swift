// The client's program, and the folder with the certificate that it trusts. Both end with their object.

import Foundation
import Locking
import StanzaTorture

/// A running client.
final class ClientProcess: Sendable {
    private let number: pid_t
    private let isOver = Lock(false)

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - log: The file that gets its output; without, nothing keeps it.
    ///   - ended: Gets the reason when the program has ended.
    /// - Throws: An error of Foundation, if the command or its log cannot be opened.
    init(
        _ command: [String], environment: [String: String], log: String?,
        ended: @escaping @Sendable (String) -> Void
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        var output = FileHandle.nullDevice
        if let log {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            output = try FileHandle(forWritingTo: URL(filePath: log))
        }
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { [isOver] process in
            isOver.withLock { $0 = true }
            let code = process.terminationStatus
            ended(
                process.terminationReason == .exit
                    ? code == 127 ? "the command was not found" : "it ended with exit code \(code)"
                    : "signal \(code) ended it")
        }
        try process.run()
        number = process.processIdentifier
    }

    deinit { end() }

    /// Kills it, with the programs that it has started.
    func end() {
        isOver.withLock { isOver in
            if isOver { return }
            kill(-number, SIGKILL)
            kill(number, SIGKILL)
        }
    }
}

/// A folder with the server's certificate, which goes with this object.
final class TortureFolder: Sendable {
    private let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stanza-torture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a certificate that vouches for itself.
    ///
    /// - Throws: `DemoFailure` if openssl is missing or fails.
    func makeCertificate(for domain: String) throws -> TortureCertificate {
        let (certificate, key) = (path + "/certificate.pem", path + "/key.pem")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            key, "-out", certificate, "-days", "2", "-subj", "/CN=\(domain)", "-addext",
            "subjectAltName=DNS:\(domain),IP:127.0.0.1",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw DemoFailure("cannot make a certificate: install openssl, or use --no-tls")
        }
        return TortureCertificate(certificate: certificate, key: key)
    }
}
