// A comparison with nothing must not look like one that went well.

import Testing

@Suite struct MissingProsodyTests {
    @Test func withoutTheInterpreter() {
        let interpreter = "lua-that-is-not-there"
        #expect(throws: ProsodyFailure.missing(interpreter: interpreter, modules: Prosody.modules)) {
            try Prosody(interpreter: interpreter)
        }
    }

    @Test func withoutTheModules() {
        #expect(throws: ProsodyFailure.missing(interpreter: Prosody.interpreter, modules: "/nowhere")) {
            try Prosody(modules: "/nowhere")
        }
    }

    @Test func theMessageSaysWhatToInstall() {
        let message = ProsodyFailure.missing(interpreter: "lua5.4", modules: "/nowhere").description
        #expect(message.contains("packages lua5.4 and prosody"))
        #expect(message.contains("STANZA_NO_PROSODY=1"))
    }
}
