// The command `stanza-live playground` as a program: its output and its end.

import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import StanzaLiveCLI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(60))) struct PlaygroundCommandTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func itServesUntilASignalEndsIt(signal: Int32) async throws {
        let program = try Program(["playground", "--port", "0"])
        defer { program.stop() }
        let line = await blocking { program.line() }
        let address = try #require(URL(string: line))
        #expect(line.hasPrefix("http://127.0.0.1:") && line.hasSuffix("/"))
        let (page, response) = try await URLSession.shared.data(for: Self.request(address))
        #expect((response as? HTTPURLResponse)?.statusCode == 200 && !page.isEmpty)
        program.process.send(signal)
        let (code, errors) = await blocking { program.end() }
        #expect(code == 0 && errors.isEmpty, "\(errors)")
    }

    /// Makes a request with a long timeout, because the answer may wait long for a thread of this process.
    private static func request(_ address: URL) -> URLRequest { URLRequest(url: address, timeoutInterval: 1200) }

    /// The program ends although the body of a request arrives byte by byte, for hours.
    @Test func requestsAreNotWaitedFor() async throws {
        let program = try Program(["playground", "--port", "0"])
        defer { program.stop() }
        let line = await blocking { program.line() }
        let address = try #require(URL(string: line))
        let port = try #require(address.port)
        let connection = try Socket(port: UInt16(port))
        let head = [
            "POST /evaluate HTTP/1.1", "Host: 127.0.0.1:\(port)", "Content-Type: application/json",
            "Content-Length: 500000", "", " ",
        ]
        try connection.write(Array(head.joined(separator: "\r\n").utf8))
        let slowly = Task {
            while true {
                try connection.write([UInt8(ascii: " ")])
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { slowly.cancel() }
        _ = try await URLSession.shared.data(for: Self.request(address))
        program.process.send(SIGTERM)
        #expect(await blocking { program.end() }.code == 0)
    }

    @Test func aPortThatIsTaken() async throws {
        let first = try Program(["playground", "--port", "0"])
        defer { first.stop() }
        let address = try #require(URL(string: await blocking { first.line() }))
        let port = try #require(address.port)
        let second = try Program(["playground", "--port", "\(port)"])
        defer { second.stop() }
        let (code, errors) = await blocking { second.end() }
        #expect(code == 3)
        #expect(
            errors == "stanza-live: cannot listen on 127.0.0.1:\(port): Address already in use; "
                + "name another port with --port, or 0 for any that is free\n")
        first.process.send(SIGTERM)
        #expect(await blocking { first.end() }.code == 0)
    }
}
