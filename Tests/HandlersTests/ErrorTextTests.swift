// The texts that the system shows for the errors of handlers.

import Foundation
import Testing

@testable import Handlers

@Suite struct ErrorTextTests {
    @Test("The system shows the description of each error") func localized() {
        let errors: [any Error] = [
            HandlerError(.alreadyCalled, handler: "Carbons|enabled"), HandlerStoreError.closed,
            HandlerRegistryError(problems: [.duplicateName("Carbons|enabled")]),
            StorableMismatch(expected: "a number", actual: "text"),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }

    /// A path may contain the name of a user.
    @Test(arguments: [
        HandlerStoreError.inUse(path: "/home/juliet/h"), .closed, .notAFile(URL(filePath: "/home/juliet/h")),
        .failed("write", path: "/home/juliet/h", code: ENOSPC),
    ])
    func logsContainNoPaths(error: HandlerStoreError) {
        #expect(!error.logText.contains("juliet"))
        #expect(error == .closed || "\(error)".contains("juliet"))
    }
}
