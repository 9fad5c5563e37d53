import Testing

@testable import StanzaCLI

@Test func commandsAreNamed() {
    #expect(StanzaCommand.configuration.commandName == "stanza")
}
