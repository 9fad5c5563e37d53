// `stanza-live demo avatar`: a request whose answer comes while the app that sent it is not running.

import ArgumentParser
import Foundation

struct DemoCommand: ReportingCommand {
    enum Story: String, CaseIterable, ExpressibleByArgument {
        case avatar
    }

    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a session that survives the process.",
        discussion: """
            An app asks a server on this machine (/usr/bin/prosody, from the package prosody) to change the avatar of \
            a group chat. The app is suspended or killed before the answer arrives. Its extension resumes the session, \
            receives the answer, and resolves the app's promise. The app returns and shows the outcome. Everything is \
            real: three processes, the server, one database. The command prints each step when it happens.

            EXIT CODES
              0  all runs ended as expected
              2  the command is wrong
              3  a run failed, the server is missing, or the output cannot be written
              129, 130, 143  interrupted by SIGHUP, SIGINT or SIGTERM

            EXAMPLES
              stanza-live demo avatar
              stanza-live demo avatar --app killed --answer success
            """)

    @Argument(help: "The story.")
    var story: Story

    @Option(help: "Only the runs in which the app is suspended, or killed.")
    var app: AvatarDemo.Fate?

    @Option(help: "Only the runs in which the server answers with success, or with an error.")
    var answer: AvatarDemo.Outcome?

    func run(_ tell: @escaping @Sendable (String) throws -> Void) async throws {
        EndingSignal.watch(for: [SIGINT, SIGTERM, SIGHUP])
        for run in AvatarDemo.runs where (app ?? run.fate) == run.fate && (answer ?? run.outcome) == run.outcome {
            try tell(
                "\nThe app is \(run.fate.rawValue), the server answers with \(run.outcome == .error ? "an error" : "success")"
            )
            try run.play { try tell("  " + $0) }
        }
    }
}

extension AvatarDemo.Fate: ExpressibleByArgument {}
extension AvatarDemo.Outcome: ExpressibleByArgument {}
