// Valid and invalid names of handlers.

import Handlers
import Testing

@Suite struct NameTests {
    @Test func text() {
        let name: HandlerName = "Carbons|enabled"
        #expect(name.type == "Carbons")
        #expect(name.function == "enabled")
        #expect(name.description == "Carbons|enabled")
        #expect(name == HandlerName(type: "Carbons", function: "enabled"))
        #expect(name.isValid)
        #expect(HandlerName(type: "Outer.Inner", function: "größer").isValid)
    }

    @Test(arguments: ["", "|", "noBar", "Type|", "|function", "A|b|c", "A|b<c>", "A\n|b", "A|b\u{0}"])
    func invalid(text: String) {
        #expect(!HandlerName(text).isValid, "\(text)")
    }

    @Test func length() {
        let longest = String(repeating: "x", count: HandlerLimits.nameBytes)
        #expect(HandlerName(type: longest, function: longest).isValid)
        #expect(!HandlerName(type: longest + "x", function: "f").isValid)
    }
}
