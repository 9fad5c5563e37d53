// `stanza-live promises`: lists the content of a database. It changes nothing, and works while processes use the
// database.

import ArgumentParser
import Foundation
import Handlers
import Persistence
import XMPPCore

struct PromisesCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "promises",
        abstract: "List the promises and the deferred handlers in a database.",
        discussion: """
            Each line has the state of a promise, its age, its key or its id, and a summary: the type and size of a \
            value, or the code of an error. Values may be secret, so the command does not print them. Deferred handlers, \
            which a program could not load, follow with their reasons and the number of their waiting calls. The command \
            changes nothing, and other processes may use the database.

            EXIT CODES
              0  the database was read
              2  the command is wrong
              3  the database cannot be read, or the output cannot be written

            EXAMPLES
              stanza-live promises session.db
              stanza-live promises session.db --json
            """)

    @Argument(help: "The database.", completion: .file())
    var database: String

    @Flag(help: "Print a JSON object with the arrays 'promises' and 'deferredRequests'.")
    var json = false

    func answer() async -> Answer {
        let path = database
        do {
            try DatabaseFile.check(path)
            let database = try await StanzaDatabase.inspect(at: path)
            let (records, moment, requests, unreadable) = try await database.read {
                (
                    try $0.promises.allPromises(), try $0.promises.lastMoment(), try $0.requests.deferred(),
                    try $0.unreadablePromises()
                )
            }
            let clock = SystemClock()
            // Promises have a time of their own, which setting the time of day does not change.
            let listing = DatabaseListing(
                promises: records, promisesAt: moment?.time(by: clock) ?? clock.date, requests: requests,
                at: clock.date)
            let warning =
                "stanza-live: left out of the table stanza_promise, because they cannot be read: \(unreadable)\n"
            return Answer(
                output: json ? try listing.json() + "\n" : listing.text, errors: unreadable > 0 ? warning : "")
        } catch {
            return Answer(errors: "stanza-live: \(DatabaseFile.words(for: error, at: path))\n", status: .failure)
        }
    }
}
