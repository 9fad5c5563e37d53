// `stanza-live torture`: a server that plays scenarios with any client. StanzaTorture has the scenarios and their
// rules; TortureRunner.swift runs them.

import ArgumentParser
import Foundation
import StanzaTorture

struct TortureCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Test a client with a server that cuts, refuses and misbehaves.",
        discussion: """
            The command starts a server on 127.0.0.1, and your client for each scenario. The client logs in, stays \
            connected, and connects again. It answers a message whose body begins with 'ping' with the same body, and \
            'send 3 5' with three messages: 3, 4, 5.

            Arguments of your command can contain {port}, {jid}, {password} and {ca}, the file with the certificate of \
            the server. The environment has them as XMPP_PORT, XMPP_JID, XMPP_PASSWORD and XMPP_CA, with XMPP_HOST, \
            XMPP_SCENARIO and, for a client that can begin to count at another number, XMPP_FIRST_COUNTER.

            A client that you start by hand needs --port and one scenario: the command waits ten minutes for it.

            EXIT CODES
              0  no scenario failed
              1  a scenario failed
              2  the command is wrong
              3  the server cannot listen, openssl is missing, or a file cannot be written
              129, 130, 143  interrupted by SIGHUP, SIGINT or SIGTERM

            EXAMPLES
              stanza-live torture --list
              stanza-live torture -- python3 echo.py {port} {jid} {password} {ca}
              stanza-live torture --scenario cut-in-message --no-tls -- ./echo
              stanza-live torture --scenario cut --port 5222
            """)

    @Option(
        help: ArgumentHelp(
            "Only this scenario, or those that begin with this name. Repeat it for more.", valueName: "name"))
    var scenario: [String] = []

    @Flag(help: "List the scenarios with their rules.")
    var list = false

    @Flag(help: "Leave out the scenarios that take minutes.")
    var quick = false

    @Flag(name: .customLong("no-tls"), help: "Offer no encryption.")
    var noTLS = false

    @Flag(help: "Play a failed scenario again; if it passes then, it is unstable, and no failure.")
    var confirm = false

    @Option(help: ArgumentHelp("How many scenarios run at the same time.", valueName: "number"))
    var jobs = 4

    @Option(help: ArgumentHelp("The seconds that a step waits for the client.", valueName: "seconds"))
    var patience = 20

    @Option(help: ArgumentHelp("The port on 127.0.0.1, for one scenario after the other.", valueName: "number"))
    var port: Int?

    @Option(help: ArgumentHelp("The client's name in the files.", valueName: "name"))
    var client = "client"

    @Option(help: ArgumentHelp("Write the outcomes as JUnit's XML.", valueName: "file"))
    var junit: String?

    @Option(help: ArgumentHelp("Write the outcomes as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Keep the output of the client in this folder.", valueName: "folder"))
    var logs: String?

    @Argument(parsing: .postTerminator, help: "The command that starts the client, after '--'.")
    var command: [String] = []

    func validate() throws {
        if list { return }
        if command.isEmpty, port == nil {
            throw ValidationError("Name the command of the client after '--', or a port with --port.")
        }
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port is a number from 0 to 65535.") }
        if !(1...64).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 64.") }
        if !(1...3600).contains(patience) { throw ValidationError("--patience is a number from 1 to 3600.") }
        for name in scenario where !Scenario.all.contains(where: { $0.name.hasPrefix(name) }) {
            throw ValidationError("unknown scenario '\(name)'; --list has their names")
        }
    }

    private var scenarios: [Scenario] {
        Scenario.all.filter { candidate in
            // A name that is a scenario's means this one alone.
            scenario.isEmpty
                || scenario.contains { name in
                    Scenario.all.contains { $0.name == name } ? candidate.name == name : candidate.name.hasPrefix(name)
                }
        }.filter { !quick || !$0.isSlow }
    }

    func run(_ report: @escaping @Sendable (String) throws -> Void) async throws {
        if list { return try report(Report.list(scenarios)) }
        EndingSignal.watch(for: [SIGINT, SIGTERM, SIGHUP])
        let runner = try TortureRunner(
            command: command, encrypts: !noTLS, port: port, patience: .seconds(patience), confirms: confirm, logs: logs)
        let outcomes = try await runner.play(scenarios, jobs: port == nil ? jobs : 1, report)
        for outcome in outcomes where outcome.hasFailed { try report(Report.details(outcome)) }
        try report("\n" + Report.summary(outcomes))
        if let junit { try write(Report.junit(outcomes, client: client), junit) }
        if let json { try write(Report.json(outcomes, client: client, date: Date()), json) }
        if outcomes.contains(where: \.hasFailed) { throw ScenariosFailed() }
    }

    private func write(_ text: String, _ path: String) throws {
        try text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    }
}

/// Scenarios have failed, and the table shows them.
struct ScenariosFailed: Error {}
