// #named with names that arguments have as members.

import HandlerMacros
import Testing

@Suite struct NamedTests {
    @Test func membersOfArguments() {
        let (description, debugDescription, names, only, jid) = ("a", "b", ["c"], 5, "d")
        let arguments = HandlerArguments(#named(description, debugDescription, names, only, jid))
        #expect(arguments["description"] as? String == "a")
        #expect(arguments["debugDescription"] as? String == "b")
        #expect(arguments["names"] as? [String] == ["c"])
        #expect(arguments["only"] as? Int == 5)
        #expect(arguments["jid"] as? String == "d")
        #expect(arguments[dynamicMember: \.description] as? String == "a")
        #expect(arguments.names.count == 5)
    }
}
