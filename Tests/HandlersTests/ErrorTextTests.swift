// The texts that the system shows for the errors of handlers.

import Foundation
import Testing

@testable import Handlers

@Suite struct ErrorTextTests {
    @Test("The system shows the description of each error") func localized() {
        let errors: [any Error] = [
            HandlerError(.alreadyCalled, handler: "Carbons|enabled"),
            HandlerRegistryError(problems: [.duplicateName("Carbons|enabled")]),
            StorableMismatch(expected: "a number", actual: "text"),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }
}
