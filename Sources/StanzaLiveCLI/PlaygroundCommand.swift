// `stanza-live playground`: a page in the browser. StanzaPlayground implements the server and the page.

import ArgumentParser
import Foundation
import StanzaPlayground

struct PlaygroundCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "playground",
        abstract: "Serve a page that runs a query on a stanza while you type.",
        discussion: """
            The page underlines mistakes while you type, marks the elements that the query examines, and shows the \
            syntax tree and the program. Its address contains the query and the stanza after the '#', so you can share \
            it.

            The server listens on 127.0.0.1, and answers only browsers on this machine. The page is part of the \
            program: it loads nothing from the network, and the server keeps nothing that you type. The command prints \
            the address when the server listens; SIGINT and SIGTERM end it.

            EXIT CODES
              0  a signal ended the server
              2  the command is wrong
              3  the server cannot listen on the port, or the output cannot be written

            EXAMPLES
              stanza-live playground
              stanza-live playground --port 0
            """)

    // A number below 0 then has the error of its range, and not that of a missing value.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port on 127.0.0.1; 0 takes any free port.", valueName: "number"))
    var port = PlaygroundServer.defaultPort

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("--port is a number from 0 to 65535.") }
    }

    func run(_ report: @escaping @Sendable (String) throws -> Void) async throws {
        EndingSignal.watch(for: [SIGINT, SIGTERM])
        let port = port
        let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await PlaygroundServer(port: port).run { continuation.yield($0) }
            }
            group.addTask { try await EndingSignal.wait() }
            for await address in addresses.prefix(1) { try report(address) }
            // The command does not wait for open connections.
            try await group.next()
            group.cancelAll()
        }
    }
}
