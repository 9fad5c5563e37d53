// Real servers, started by the tests from the configurations beside this file, and ended with them.

import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A server that implements XEP-0198.
package enum ServerKind: String, CaseIterable, Sendable {
    case prosody, ejabberd

    /// The path in Debian's packages; `nil` if it is missing.
    fileprivate var program: String? {
        switch self {
        case .prosody:
            ["/usr/bin/prosody", "/usr/local/bin/prosody"].first { FileManager.default.isExecutableFile(atPath: $0) }
        case .ejabberd: Self.ejabberdModules
        }
    }

    /// The configuration's name for passwords that are not kept as they are.
    fileprivate var hashedPasswords: String {
        switch self {
        case .prosody: "hashed"
        case .ejabberd: "scram"
        }
    }

    /// The part of the configuration for an archive and rooms.
    fileprivate var archiveAndRooms: String {
        switch self {
        case .prosody:
            """
            modules_enabled = { "mam" }
            Component "rooms.localhost" "muc"
                muc_room_locking = false
            """
        case .ejabberd: "mod_mam: {default: always}\n  mod_muc: {host: rooms.localhost}"
        }
    }

    /// The folder of ejabberd's modules, which differs from version to version.
    private static let ejabberdModules: String? = {
        let libraries = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
        for library in libraries {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
            where name.hasPrefix("ejabberd") {
                let folder = "\(library)/\(name)/ebin"
                if FileManager.default.fileExists(atPath: "\(folder)/ejabberd.beam") { return folder }
            }
        }
        return nil
    }()

    /// The servers to test against. Prosody must exist, unless STANZA_NO_PROSODY=1 allows it to be missing. ejabberd
    /// must exist only if STANZA_EJABBERD=1 demands it, and STANZA_EJABBERD=0 leaves it out.
    package static let tested: [ServerKind] = allCases.filter { kind in
        switch (kind, ProcessInfo.processInfo.environment["STANZA_EJABBERD"]) {
        case (.prosody, _): !skipsProsody
        case (.ejabberd, "1"): true
        case (.ejabberd, "0"): false
        case (.ejabberd, _): kind.program != nil
        }
    }

    /// Prints a loud warning about servers that are not tested.
    package static func tellWhatIsMissing() {
        for kind in allCases where !tested.contains(kind) {
            print(
                """
                !!! NOT TESTED: what needs the server \(kind): it is not installed, or the environment says to \
                leave it out. !!!
                """)
        }
    }
}

package enum ServerFailure: Error, CustomStringConvertible {
    case missing(ServerKind)
    case notStarted(ServerKind, log: String)
    case socket(String)
    case openssl(String)

    package var description: String {
        switch self {
        case .missing(let kind):
            """
            \(kind) is missing: install the package \(kind)\
            \(kind == .prosody ? ", or set STANZA_NO_PROSODY=1 to run without it" : "")
            """
        case .notStarted(let kind, let log): "\(kind) did not start; its log:\n\(log)"
        case .openssl(let said):
            "openssl could not make a certificate; is the package openssl installed? It said:\n\(said)"
        case .socket(let what): "\(what): \(String(cString: strerror(errno)))"
        }
    }
}

/// A server on the loopback interface, with the accounts alice and bob. It ends with this object, and in any case with
/// the tests' process.
///
/// Sendable without being checked: mutable state is read and written under the lock.
package final class RunningServer: @unchecked Sendable {
    package let kind: ServerKind
    /// Without encryption, and with STARTTLS.
    package let port: UInt16
    /// With direct TLS.
    package let securePort: UInt16
    private let folder: URL
    private let lock = NSLock()
    private var process: ChildProcess?
    private var input: Pipe?

    /// - Parameters:
    ///   - resumptionTime: How long sessions can be resumed, in seconds.
    ///   - modules: more modules for Prosody.
    ///   - certificateHash: what its module server_end_point takes for the hash of its certificate, as hexadecimal
    ///     digits.
    ///   - hasArchiveAndRooms: whether it keeps an archive for each account, and has rooms at `rooms.localhost`.
    ///   - hashesPasswords: whether it keeps salted passwords, each with its salt, and not the passwords themselves.
    package init(
        _ kind: ServerKind, resumptionTime: Int = 3600, modules: [String] = [], certificateHash: String = "",
        hasArchiveAndRooms: Bool = false, hashesPasswords: Bool = false
    ) async throws {
        self.kind = kind
        (port, securePort) = try Self.freePorts()
        let certificate = try Certificates.shared.get().files(for: "localhost")
        folder = FileManager.default.temporaryDirectory.appending(path: "stanza-\(kind)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = kind == .prosody ? "prosody.cfg.lua" : "ejabberd.yml"
        let support = URL(filePath: #filePath).deletingLastPathComponent()
        let template = support.appending(path: name)
        let configuration = try String(contentsOf: template, encoding: .utf8)
            .replacing("FOLDER", with: folder.path).replacing("SECURE_PORT", with: "\(securePort)")
            .replacing("PORT", with: "\(port)").replacing("CERTIFICATE_HASH", with: certificateHash)
            .replacing("CERTIFICATE", with: certificate.certificate.path)
            .replacing("PASSWORDS", with: hashesPasswords ? kind.hashedPasswords : "plain")
            .replacing("PRIVATE_KEY", with: certificate.key.path)
            .replacing("MORE_MODULES", with: modules.map { "\"\($0)\"" }.joined(separator: ", "))
            .replacing("RESUMPTION_TIME", with: "\(resumptionTime)")
            .replacing("OWN_MODULES", with: support.appending(path: "prosody-modules").path)
            .replacing("ARCHIVE_AND_ROOMS", with: hasArchiveAndRooms ? kind.archiveAndRooms : "")
        try configuration.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        if kind == .prosody { try writeProsodyAccounts() }
        try await start()
    }

    deinit {
        end(keepingFolder: false)
    }

    private func writeProsodyAccounts() throws {
        let accounts = folder.appending(path: "data/localhost/accounts")
        try FileManager.default.createDirectory(at: accounts, withIntermediateDirectories: true)
        for user in ["alice", "bob"] {
            try "return { [\"password\"] = \"secret\"; };\n"
                .write(to: accounts.appending(path: "\(user).dat"), atomically: true, encoding: .utf8)
        }
    }

    /// Starts the server, or starts it again.
    package func start() async throws {
        guard let program = kind.program else { throw ServerFailure.missing(kind) }
        let input = Pipe()
        // The shell kills the server when its input ends: also if the tests' process ends without a word.
        // A line of input says that the folder is still needed; without one it goes with the server.
        let supervise = """
            "$@" >"$0/output.log" 2>&1 & server=$!; read line; kill -9 $server; [ -n "$line" ] || rm -rf "$0"
            """
        let environment = ProcessInfo.processInfo.environment.merging([
            "EJABBERD_CONFIG_PATH": folder.appending(path: "ejabberd.yml").path,
            "EJABBERD_LOG_PATH": folder.appending(path: "server.log").path, "HOME": folder.path,
            "ERL_CRASH_DUMP": folder.appending(path: "crash.dump").path,
        ]) { $1 }
        let process = try ChildProcess(
            URL(filePath: "/bin/sh"), ["-c", supervise, folder.path] + command(program), environment: environment,
            input: .pipe(input))
        lock.withLock {
            self.process = process
            self.input = input
        }
        try await waitForPort()
    }

    private func command(_ program: String) -> [String] {
        switch kind {
        case .prosody: [program, "-F", "--config", folder.appending(path: "prosody.cfg.lua").path]
        case .ejabberd:
            // Without a node name, ejabberd needs neither epmd nor a user of its own. One thread that does not spin is
            // enough, and leaves the processor to the others.
            [
                "erl", "+S", "1", "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "-noinput", "-pa", program,
                "-mnesia", "dir", "\"\(folder.appending(path: "mnesia").path)\"",
                "-ejabberd", "quiet", "true", "-s", "ejabberd", "-eval",
                "[ejabberd_auth:try_register(U, <<\"localhost\">>, <<\"secret\">>) || U <- [<<\"alice\">>, <<\"bob\">>]].",
            ]
        }
    }

    private func waitForPort() async throws {
        let deadline = ContinuousClock.now + .seconds(600)
        while true {
            if let socket = try? Socket(port: port) {
                socket.shutDown()
                return
            }
            let isRunning = lock.withLock { process?.isRunning ?? false }
            if !isRunning || ContinuousClock.now > deadline {
                throw ServerFailure.notStarted(kind, log: log)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The server's log.
    package var log: String {
        ["output.log", "server.log"]
            .compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    }

    /// Kills the server, without giving it time to say goodbye.
    package func kill() {
        end(keepingFolder: true)
    }

    private func end(keepingFolder: Bool) {
        let (process, input) = lock.withLock { () -> (ChildProcess?, Pipe?) in
            defer {
                self.process = nil
                self.input = nil
            }
            return (self.process, self.input)
        }
        if keepingFolder { try? input?.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8)) }
        try? input?.fileHandleForWriting.close()
        process?.waitUntilExit()
        // The system frees the port a moment after the process has ended, or another process has it.
        for _ in 0..<60_000 {
            if (try? Socket(port: port)) == nil { return }
            usleep(1000)
        }
    }

    /// Ports that are free now, and that no system gives to others while the server has not begun to listen, or is
    /// started again: those of connections are higher.
    private static func freePorts() throws -> (UInt16, UInt16) {
        for _ in 0..<1000 {
            let (first, second) = (UInt16.random(in: 10_000..<32_000), UInt16.random(in: 10_000..<32_000))
            guard let one = try? ListeningSocket(port: first), let other = try? ListeningSocket(port: second) else {
                continue
            }
            return (one.port, other.port)
        }
        throw ServerFailure.socket("no free port")
    }
}
