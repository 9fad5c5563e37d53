// `stanza-live torture` as a program, with the echo bot of this package and with programs that are not clients.

import Foundation
import TestSupport
import Testing

@testable import StanzaLiveCLI

@Suite(.timeLimit(.minutes(60))) struct TortureCommandTests {
    @Test("Our client passes over TLS and without; the files have the outcomes", arguments: [[], ["--no-tls"]])
    func ourClient(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let (junit, json) = (folder.url.path + "/junit.xml", folder.url.path + "/outcomes.json")
        let bot = try Program.url(of: "EchoBot").path
        let program = try Program(
            ["torture", "--scenario", "count", "--scenario", "cut-with-numbers", "--junit", junit, "--json", json]
                + options + ["--", bot], temporary: folder.url)
        let text = await blocking { program.rest() }
        #expect(await blocking { program.end() }.code == 0, "\(text)")
        #expect(text.hasPrefix("passed         count ") && text.hasSuffix("2 passed"), "\(text)")
        #expect(try String(contentsOfFile: junit, encoding: .utf8).contains("tests=\"2\" failures=\"0\""))
        #expect(try String(contentsOfFile: json, encoding: .utf8).contains("\"scenario\" : \"cut-with-numbers\""))
        // The certificate is gone.
        #expect(folder.names.filter { $0.hasPrefix("stanza-torture") } == [])
    }

    @Test("A program that ends has failed, with the reason", arguments: ["false", "a program that is missing"])
    func noClient(command: String) async throws {
        let program = try Program(["torture", "--scenario", "count", "--no-tls", "--", command])
        let text = await blocking { program.rest() }
        #expect(await blocking { program.end() }.code == 1)
        #expect(text.contains("expected  the client keeps running"), "\(text)")
        #expect(text.contains(command == "false" ? "exit code 1" : "the command was not found"), "\(text)")
    }

    @Test("A signal ends the wait for a client that is started by hand") func interrupted() async throws {
        let program = try Program(["torture", "--scenario", "count", "--no-tls", "--port", "0"])
        #expect(await blocking { program.prints("waits for") })
        program.stop()
        #expect(await blocking { program.end() }.code == 143)
    }

    @Test func scenariosAreListed() async throws {
        let list = try Program(["torture", "--list"])
        #expect(await blocking { list.rest() }.contains("XEP-0198 §4: h is the number of received stanzas"))
    }
}
