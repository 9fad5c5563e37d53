// A server for `Tests/EchoClients/foreign-client`, which is a program in another language.

import ArgumentParser
import Foundation
import ServerSupport

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Starts a server with the accounts alice and bob, and ends it at the end of the input.",
        discussion: """
            Prints a line when the server accepts connections: its port, and the file with the certificate of the \
            authority to trust. Both accounts have the password "secret".
            """)

    @Option(help: "The server: \(ServerKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var server: ServerKind = .prosody

    @Option(help: "How long the server keeps sessions without a connection, in seconds.")
    var resumptionTime = 3600

    func run() async throws {
        let running = try await RunningServer(server, resumptionTime: resumptionTime)
        try report("\(running.port) \(try Certificates.shared.get().authorityFile.path)")
        while readLine() != nil {}
        withExtendedLifetime(running) {}
    }
}

extension ServerKind: ExpressibleByArgument {}
