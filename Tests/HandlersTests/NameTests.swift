// Valid and invalid names of handlers.

import Handlers
import Testing

@Suite struct NameTests {
    @Test(arguments: ["", "|", "noBar", "Type|", "|function", "A|b|c", "A|b<c>", "A\n|b", "A|b\u{0}"])
    func invalid(text: String) {
        #expect(!HandlerName(text).isValid, "\(text)")
    }
}
