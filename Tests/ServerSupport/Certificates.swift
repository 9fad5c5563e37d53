// Certificates for servers under test. The openssl command makes them for each run: no private key is kept.

import Foundation
import Locking
import TestSupport

/// An authority of the tests' own, and certificates that it vouches for, in a folder that goes with this object, and in
/// any case with the tests' process.
package final class Certificates: Sendable {
    package let folder: URL
    private let lock = Lock<Set<String>>([])
    /// A shell that removes the folder when this ends.
    private let folderEnd = Pipe()

    /// The authority of all tests, made when it is first asked for.
    package static let shared = Result { try Certificates() }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "stanza-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // As for servers: the shell's input also ends when this process crashes.
        // The shell does not keep this process's output open for its readers.
        _ = try ChildProcess(
            URL(filePath: "/bin/sh"), ["-c", "read line; rm -rf \"$0\"", folder.path], input: .pipe(folderEnd),
            output: .nothing, errors: .nothing)
        try makeAuthority("authority")
    }

    /// The authority's certificate as PEM, for clients to trust.
    package var authority: String {
        get throws { try String(contentsOf: authorityFile, encoding: .utf8) }
    }

    /// The file with that certificate.
    package var authorityFile: URL { folder.appending(path: "authority.crt") }

    /// The certificate of an authority that has signed nothing.
    package func strangerAuthority() throws -> String {
        try lock.withLock { made in
            if made.insert("stranger").inserted { try makeAuthority("stranger") }
        }
        return try text("stranger.crt")
    }

    /// Certificate and key for a domain, as files. With `days` below zero it has expired. Without `isNamed`, the domain
    /// is only its common name.
    package func files(for domain: String, days: Int = 2, isNamed: Bool = true) throws -> (certificate: URL, key: URL) {
        let name = "\(domain)\(days < 0 ? "-expired" : "")\(isNamed ? "" : "-unnamed")"
            .replacing("*", with: "wildcard")
        try lock.withLock { made in
            guard made.insert(name).inserted else { return }
            try openssl(
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key",
                "-out", "\(name).csr", "-subj", "/CN=\(domain)")
            try (isNamed ? "subjectAltName=DNS:\(domain)\n" : "basicConstraints=CA:FALSE\n")
                .write(to: folder.appending(path: "\(name).ext"), atomically: true, encoding: .utf8)
            try openssl(
                "x509", "-req", "-in", "\(name).csr", "-CA", "authority.crt", "-CAkey", "authority.key",
                "-CAcreateserial", "-days", "\(days)", "-extfile", "\(name).ext", "-out", "\(name).crt")
        }
        return (folder.appending(path: "\(name).crt"), folder.appending(path: "\(name).key"))
    }

    /// The SHA-256 hash of a domain's certificate, as hexadecimal digits.
    package func hash(for domain: String) throws -> String {
        let file = try files(for: domain).certificate
        // "sha256 Fingerprint=AB:CD…"
        let said = try openssl("x509", "-in", file.path, "-noout", "-fingerprint", "-sha256")
        return String(said.split(separator: "=").last ?? "").filter(\.isHexDigit).lowercased()
    }

    /// A certificate that vouches for itself, as DER, and its fingerprint by a hash, as hexadecimal digits.
    ///
    /// - Parameters:
    ///   - options: the kind of key and of signature, for `openssl req`.
    ///   - hash: the hash of the fingerprint, as openssl's option.
    package func selfSigned(_ options: [String], fingerprint hash: String) throws -> (der: [UInt8], hash: String) {
        let name = UUID().uuidString
        try openssl(
            ["req", "-x509", "-nodes", "-keyout", "\(name).key", "-outform", "DER", "-out", "\(name).der"]
                + ["-subj", "/CN=a"] + options)
        let said = try openssl(
            ["x509", "-inform", "DER", "-in", "\(name).der", "-noout", "-fingerprint", "-\(hash)"])
        let der = Array(try Data(contentsOf: folder.appending(path: "\(name).der")))
        return (der, String(said.split(separator: "=").last ?? "").filter(\.isHexDigit).lowercased())
    }

    private func makeAuthority(_ name: String) throws {
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            "\(name).key", "-out", "\(name).crt", "-days", "2", "-subj", "/CN=\(name) of tests")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @discardableResult
    private func openssl(_ arguments: String...) throws -> String { try openssl(arguments) }

    /// - Returns: its output.
    @discardableResult
    private func openssl(_ arguments: [String]) throws -> String {
        let (output, errors) = (Pipe(), Pipe())
        let process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), ["openssl"] + arguments, folder: folder, output: .pipe(output),
            errors: .pipe(errors))
        // It says little on either.
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        guard process.waitUntilExit() == .exit(0) else {
            throw ServerFailure.openssl(String(decoding: complaint, as: UTF8.self))
        }
        return String(decoding: said, as: UTF8.self)
    }
}
