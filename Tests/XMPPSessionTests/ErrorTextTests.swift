// The texts of errors, as the system shows them to users.

import Foundation
import Testing
import XMPPSession

@Suite struct ErrorTextTests {
    @Test func theSystemShowsTheDescriptionOfEachError() {
        let errors: [any Error] = [
            RequestError.timedOut, RequestError.deadLettered(.losses(2)), StanzaError("forbidden", type: "auth"),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }

    /// Any stranger can write the text of a stanza error.
    @Test func aStrangersTextIsABoundedExcerptInOneLine() {
        let error = StanzaError("forbidden", type: "auth", text: "\u{1B}[2J\n" + String(repeating: "x", count: 5000))
        #expect(error.description.unicodeScalars.count < 300)
        #expect(!error.description.contains("\n") && !error.description.contains("\u{1B}"))
        #expect(error.description.hasSuffix("…)"))
    }
}
