// `stanza-live playground`: a page in the browser. The server and the page are StanzaPlayground's.

import ArgumentParser
import Foundation
import StanzaPlayground

struct PlaygroundCommand: TellingCommand {
    static let configuration = CommandConfiguration(
        commandName: "playground",
        abstract: "Serve a page in which one types a query and a stanza, and sees what comes of them.",
        discussion: """
            The page underlines mistakes as one types, marks the elements that the query looks at, and shows the syntax \
            tree and the program. Its address has the query and the stanza behind the '#', so that it can be passed on.

            The server listens on 127.0.0.1 only, and answers to browsers on this machine only. The page is a part of the \
            program: it loads nothing from the network, and nothing that is typed is kept. The address is printed when the \
            server listens; SIGINT and SIGTERM end it.

            EXIT CODES
              0  a signal has ended the server
              2  the command is wrong
              3  the port cannot be listened on, or the output not be written

            EXAMPLES
              stanza-live playground
              stanza-live playground --port 0
            """)

    @Option(help: ArgumentHelp("The port on 127.0.0.1; 0 is any that is free.", valueName: "number"))
    var port = PlaygroundServer.defaultPort

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("--port is a number from 0 to 65535.") }
    }

    func run(_ tell: @escaping @Sendable (String) throws -> Void) async throws {
        EndingSignal.watch(for: [SIGINT, SIGTERM])
        let port = port
        let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await PlaygroundServer(port: port).run { continuation.yield($0) }
            }
            group.addTask { try await EndingSignal.wait() }
            for await address in addresses.prefix(1) { try tell(address) }
            // Connections that are open are not waited for.
            try await group.next()
            group.cancelAll()
        }
    }
}
