// The texts that the system shows for the errors of promises.

import Foundation
import Promises
import Testing

@Suite struct ErrorTextTests {
    @Test("The system shows the message of a rejection for the user, or else its code") func localized() {
        let message = "Only owners may."
        #expect(PromiseRejection(code: "forbidden", message: message).localizedDescription == message)
        #expect(PromiseRejection(code: "forbidden").localizedDescription == "forbidden")
        #expect(PromiseError.closed.localizedDescription == "\(PromiseError.closed)")
    }
}
