// The texts of errors, for users and for logs.

import Persistence
import Testing

@Suite struct ErrorTextTests {
    private static let errors: [StanzaDatabaseError] = [
        .busy, .full, .corrupt(asideAt: nil), .corrupt(asideAt: "/home/juliet/a.db.damaged-1"), .newerVersion,
        .olderVersion, .foreign, .notADatabase, .missingFolder("/home/juliet"), .unreadable("/home/juliet/a.db"),
        .moved, .frozen,
        .closed, .invalidPath(reason: "it has a NUL character"), .readOnlyVolume("/home/juliet/a.db"),
        .tooManyOpenFiles, .deviceLocked,
        .invalidText(table: "stanza_promise"),
        .invalidRecord(table: "stanza_promise"), .recordTooLarge(table: "stanza_promise", maximum: 5),
        .failed(code: 778),
    ]

    /// A path may contain the name of a user.
    @Test(arguments: errors) func logsContainNoPaths(error: StanzaDatabaseError) {
        #expect(!error.logText.contains("/home") && !error.logText.contains("juliet"))
        let namesPath = error.description.contains("/home/juliet")
        #expect(namesPath ? error.logText.contains("database") : error.logText == error.description)
    }
}
