// The server from the view of a browser: real HTTP over the loopback interface.

import Foundation
import TestSupport
import Testing

@testable import StanzaPlayground

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(60))) struct ServerTests {
    @Test func theExample() async throws {
        let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
        let show: @Sendable (String) -> Void = { continuation.yield($0) }
        let serving = Task {
            let server = PlaygroundServer(port: 0)
            try await server.run { address in show(address) }
        }
        let address = await addresses.first { _ in true }
        #expect(address?.hasPrefix("http://127.0.0.1:") == true)
        serving.cancel()
        try await serving.value
    }

    private static let patientTimes = ConnectionTimes(requestSeconds: 86_400, refusalSeconds: 86_400)

    /// Makes a server with very long timeouts, because a client may wait long for a thread.
    private static func patientServer(
        _ desk: EvaluationDesk = EvaluationDesk(patience: .seconds(86_400)),
        connections: Int = PlaygroundLimits.connections
    ) -> PlaygroundServer {
        PlaygroundServer(port: 0, desk: desk, connections: connections, times: patientTimes)
    }

    /// Runs a server while `body` sends requests to its address.
    private func serving(
        _ server: PlaygroundServer = patientServer(), _ body: @escaping @Sendable (URL) async throws -> Void
    ) async throws {
        let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await server.run { continuation.yield($0) }
                continuation.finish()
            }
            group.addTask {
                let address = try #require(await addresses.first { _ in true })
                try await body(try #require(URL(string: address)))
            }
            // The first task to end is the body, or the server if it fails.
            try await group.next()
            group.cancelAll()
            while try await group.next() != nil {}
        }
    }

    private func ask(
        _ url: URL, method: String = "GET", headers: [String: String] = [:], body: Data? = nil
    ) async throws -> (status: Int, headers: [String: String], body: String) {
        var request = URLRequest(url: url, timeoutInterval: 1200)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        var found: [String: String] = [:]
        for (name, value) in http.allHeaderFields {
            if let name = name as? String, let value = value as? String { found[name.lowercased()] = value }
        }
        return (http.statusCode, found, String(decoding: data, as: UTF8.self))
    }

    private static let json = ["Content-Type": "application/json"]
    private static let emptyRequest = Data(#"{"query":"","stanza":""}"#.utf8)

    @Test func thePage() async throws {
        try await serving { address in
            #expect(address.absoluteString.hasPrefix("http://127.0.0.1:"))
            let page = try await ask(address)
            #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(page.body.contains("<script type=\"module\" src=\"/playground.js\">"))
            for path in PlaygroundAsset.all.keys {
                let asset = try await ask(try #require(URL(string: path, relativeTo: address)))
                #expect(asset.status == 200)
                #expect(asset.body == String(decoding: PlaygroundAsset.all[path]?.bytes ?? [], as: UTF8.self))
            }
            let head = try await ask(address, method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    #if os(Linux)
    /// On Linux, all of 127.0.0.0/8 is this machine: a server on all addresses would accept 127.0.0.2, too.
    @Test func oneAddressIsListenedOn() async throws {
        try await serving { address in
            let port = try #require(address.port)
            _ = try LoopbackClient(port: port)
            let failure = #expect(throws: LoopbackClient.Failure.self) {
                _ = try LoopbackClient(address: 0x7F00_0002, port: port)
            }
            #expect(failure?.errno == ECONNREFUSED)
        }
    }
    #endif

    @Test func headersOfEveryAnswer() async throws {
        try await serving { address in
            let evaluate = address.appending(path: "evaluate")
            let answers = [
                try await ask(address), try await ask(address.appending(path: "none")),
                try await ask(address, method: "POST", body: Data()),
                try await ask(evaluate, method: "POST", headers: Self.json, body: Self.emptyRequest),
                try await ask(evaluate, method: "POST", headers: Self.json, body: Data("{".utf8)),
            ]
            #expect(answers.map(\.status) == [200, 404, 405, 200, 400])
            for answer in answers {
                #expect(
                    answer.headers["content-security-policy"]
                        == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                        + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["access-control-allow-origin"] == nil)
            }
            #expect(answers[2].headers["allow"] == "GET, HEAD")
        }
    }

    @Test func anEvaluation() async throws {
        try await serving { address in
            let body = #"{"query":"/message/body#","stanza":"<message><body>😀</body></message>"}"#
            let answer = try await ask(
                address.appending(path: "evaluate"), method: "POST", headers: Self.json, body: Data(body.utf8))
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            let result = try #require((object["results"] as? [[String: Any]])?.first)
            #expect(result["text"] as? String == "😀" && result["start"] as? Int == 9 && result["end"] as? Int == 24)
            #expect(object["failure"] is NSNull && object["program"] is [String: Any])
        }
    }

    @Test func refusedRequests() async throws {
        try await serving { address in
            let evaluate = address.appending(path: "evaluate")
            let body = Self.emptyRequest
            func status(_ headers: [String: String], _ body: Data) async throws -> Int {
                try await ask(evaluate, method: "POST", headers: headers, body: body).status
            }
            let port = try #require(address.port)
            #expect(try await status(Self.json, body) == 200)
            #expect(try await status(["Content-Type": "text/plain"], body) == 415)
            #expect(try await status(Self.json.merging(["Origin": "http://evil.example"]) { $1 }, body) == 403)
            #expect(try await status(Self.json.merging(["Origin": "http://localhost:\(port)"]) { $1 }, body) == 200)
            #expect(try await status(Self.json.merging(["Host": "evil.example:\(port)"]) { $1 }, body) == 421)
            #expect(try await status(Self.json.merging(["Host": "localhost:\(port)"]) { $1 }, body) == 200)
            let most = body + Data(repeating: 0x20, count: PlaygroundLimits.bodyBytes - body.count)
            #expect(most.count == PlaygroundLimits.bodyBytes)
            #expect(try await status(Self.json, most) == 200)
            #expect(try await status(Self.json, most + Data(" ".utf8)) == 413)
            #expect(try await ask(evaluate).status == 405)
            let long = String(repeating: "x", count: 2 * PlaygroundLimits.headerBytes)
            #expect(try await ask(address, headers: ["X": long]).status >= 400)
        }
    }

    /// Sends a request, with the server's address for HERE, and returns all lines of the answers.
    private func lines(
        of request: String, to server: PlaygroundServer = patientServer()
    ) async throws -> [String] {
        let (answers, continuation) = AsyncStream.makeStream(of: [String].self)
        try await serving(server) { address in
            let port = try #require(address.port)
            let client = try LoopbackClient(port: port)
            try await blocking {
                try client.send(
                    request.replacing("HERE", with: "Host: 127.0.0.1:\(port)\r\nContent-Type: application/json"))
            }
            continuation.yield(try await self.lines(from: client))
        }
        return await answers.first { _ in true } ?? []
    }

    private static let post = "POST /evaluate HTTP/1.1\r\nHERE\r\n"

    /// Requests with their status, and the error in the answer. After each of them the server ends the connection.
    @Test(
        arguments: [
            // The rest of a body may arrive late, or never.
            (post + "Content-Length: 1048577\r\n\r\n", "413 Payload Too Large", "the body has more than 1048576 bytes"),
            (
                post + "Content-Length: 99999999999\r\n\r\n{", "413 Payload Too Large",
                "the body has more than 1048576 bytes"
            ),
            ("hello\r\n\r\n", "400 Bad Request", malformed),
            ("GET / HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n", "400 Bad Request", malformed),
            (post + "Transfer-Encoding: chunked\r\n\r\nx\r\n", "400 Bad Request", malformed),
            (
                "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: PlaygroundLimits.headerBytes))\r\n\r\n",
                "400 Bad Request", malformed
            ),
            ("POST /evaluate HTTP/1.1\r\nContent-Length: x\r\n\r\n", "400 Bad Request", wrongLength),
            ("POST /evaluate HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400 Bad Request", wrongLength),
            (
                "POST /evaluate HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", "400 Bad Request",
                wrongLength
            ),
            // A refused body is not awaited: it may be endless, or slow.
            ("POST /none HTTP/1.1\r\nHERE\r\nContent-Length: 1000\r\n\r\n{", "404 Not Found", nil),
            (
                "POST /evaluate HTTP/1.1\r\nHERE-not\r\nTransfer-Encoding: chunked\r\n\r\n",
                "415 Unsupported Media Type", nil
            ),
            ("GET / HTTP/1.1\r\nHERE\r\nContent-Length: 1\r\n\r\n", "200 OK", nil),
            // RFC 9112, section 3.2: a proxy may have checked the other one.
            ("GET / HTTP/1.1\r\nHERE\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "400 Bad Request", nil),
        ] as [(String, String, String?)])
    func requestsWithoutTheirBodies(request: String, status: String, error: String?) async throws {
        let lines = try await lines(of: request)
        #expect(lines.first == "HTTP/1.1 \(status)")
        #expect(lines.contains("Connection: close"))
        if let error {
            #expect(lines.contains("Content-Type: application/json") && lines.last == "{\"error\":\"\(error)\"}")
        }
    }

    private static let malformed = "the request is not valid HTTP/1.1, or its head has more than 16384 bytes"
    private static let wrongLength = "the header Content-Length is not a number, or it is too large"

    @Test func bodiesWithoutALengthAreBounded() async throws {
        let chunk = "10000\r\n" + String(repeating: " ", count: 65_536) + "\r\n"
        let lines = try await lines(
            of: Self.post + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 17) + "0\r\n\r\n")
        #expect(lines.first?.hasPrefix("HTTP/1.1 413 ") == true)
    }

    /// Several requests in one: the server answers one after another, also if the second one arrives while the first is
    /// evaluated.
    @Test(arguments: [
        ("HEAD / HTTP/1.1\r\nHERE\r\n\r\nhello\r\n\r\n", ["200", "400"]),
        (
            post + "Content-Length: 1\r\n\r\n{HEAD /none HTTP/1.1\r\nHERE\r\n\r\nHEAD / HTTP/1.0\r\nHERE\r\n\r\n",
            ["400", "404", "200"]
        ),
        (
            post + "Content-Length: 1\r\n\r\n{POST /none HTTP/1.1\r\nHERE\r\nContent-Length: 1\r\n\r\n{",
            ["400", "404"]
        ),
    ]) func pipelinedRequests(request: String, statuses: [String]) async throws {
        let found = try await lines(of: request).compactMap { $0.firstMatch(of: #/HTTP/1\.[01] (\d+) /#)?.1 }
        #expect(found.map(String.init) == statuses)
    }

    /// HTTP/1.0 has one request for each connection, and every answer has a date in HTTP's form.
    @Test func olderClientsAreAnswered() async throws {
        let lines = try await lines(of: "HEAD / HTTP/1.0\r\nHERE\r\n\r\n")
        #expect(lines.first == "HTTP/1.0 200 OK" && lines.contains("Connection: close"))
        let date = #/Date: \w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT/#
        #expect(lines.contains { $0.wholeMatch(of: date) != nil })
    }

    /// The time of a request is limited as a whole: a client can send a byte now and then. After an answer, the
    /// connection ends soon, whatever arrives.
    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHERE\r\nTransfer-Encoding: chunked\r\n\r\n", chunkOfSpace),
        ("POST / HTTP/1.1\r\nHERE\r\nTransfer-Encoding: chunked\r\n\r\n", "1;a\r\n \r\n"),
        ("POST / HTTP/1.1\r\nHERE\r\nTransfer-Encoding: chunked\r\n\r\n", "1;aaaa"), (post, "a"),
        (post + "Transfer-Encoding: chunked\r\n\r\n1;", "a"), (post + "Content-Length: 1000000\r\n\r\n", "a"),
    ]) func aRequestWithoutAnEndClosesTheConnection(beginning: String, part: String) async throws {
        var times = Self.patientTimes
        if beginning.hasPrefix("POST / ") { times.refusalSeconds = 1 } else { times.requestSeconds = 1 }
        try await serving(PlaygroundServer(port: 0, times: times)) { address in
            let port = try #require(address.port)
            let client = try LoopbackClient(port: port)
            try client.send(
                beginning.replacing("HERE", with: "Host: 127.0.0.1:\(port)\r\nContent-Type: application/json"))
            let failure = await #expect(throws: LoopbackClient.Failure.self) {
                while true {
                    try await blocking { try client.send(part) }
                    if part.utf8.count < 1_000 { try await Task.sleep(for: .milliseconds(50)) }
                }
            }
            #expect([EPIPE, ECONNRESET].contains(failure?.errno))
        }
    }

    private static let chunkOfSpace = "10000\r\n" + String(repeating: " ", count: 65_536) + "\r\n"

    private func line(from client: LoopbackClient) async throws -> String? {
        try await blocking { () throws -> String? in try client.line() }
    }

    /// All lines up to the end of the connection.
    private func lines(from client: LoopbackClient) async throws -> [String] {
        var lines: [String] = []
        while let line = try await line(from: client) { lines.append(String(line.drop { $0 == "\n" })) }
        return lines
    }

    @Test func aConnectionThatSaysNothingIsClosed() async throws {
        var times = Self.patientTimes
        times.requestSeconds = 1
        #expect(try await lines(of: "", to: PlaygroundServer(port: 0, times: times)) == [])
    }

    @Test func connectionsAtTheSameTime() async throws {
        try await serving(Self.patientServer(connections: 1)) { address in
            let port = try #require(address.port)
            let request = "HEAD / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            let first = try LoopbackClient(port: port)
            try first.send(request)
            let answer = try await line(from: first)
            #expect(answer == "HTTP/1.1 200 OK")
            let second = try LoopbackClient(port: port)
            try second.send(request)
            let (answers, continuation) = AsyncStream.makeStream(of: String?.self)
            let waiting = Task {
                continuation.yield(try await line(from: second))
                continuation.finish()
            }
            // Waits long enough for an answer that would break the limit.
            try await Task.sleep(for: .milliseconds(300))
            continuation.yield("the first ends")
            first.end()
            try await waiting.value
            var order: [String?] = []
            for await answer in answers { order.append(answer) }
            #expect(order == ["the first ends", "HTTP/1.1 200 OK"])
        }
    }

    @Test func whenAllAreBusy() async throws {
        let desk = EvaluationDesk(places: 0)
        try await serving(Self.patientServer(desk)) { address in
            let answer = try await ask(
                address.appending(path: "evaluate"), method: "POST", headers: Self.json, body: Self.emptyRequest)
            #expect(answer.status == 503 && answer.body.contains("too many evaluations"))
            #expect(try await ask(address).status == 200)
        }
    }

    @Test func aPortThatIsTaken() async throws {
        try await serving { address in
            let port = try #require(address.port)
            do throws(PlaygroundError) {
                try await PlaygroundServer(port: port).run { _ in Issue.record("it listens") }
                Issue.record("nothing was thrown")
            } catch {
                #expect(error.port == port)
                #expect(
                    error.description
                        == "cannot listen on 127.0.0.1:\(port): Address already in use; name another port with --port, "
                        + "or 0 for any that is free")
            }
        }
    }
}
