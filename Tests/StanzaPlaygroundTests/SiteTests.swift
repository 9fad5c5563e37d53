// The answers to requests: the rules without HTTP.

import Foundation
import TestSupport
import Testing

@testable import StanzaPlayground

@Suite struct SiteTests {
    private static let site = PlaygroundSite(port: 6120)
    private static let page = SiteRequest(hosts: ["127.0.0.1:6120"])
    private static let evaluation = SiteRequest(
        method: "POST", target: "/evaluate", hosts: ["localhost:6120"], contentType: "application/json")

    private func status(_ request: SiteRequest) -> Int {
        switch Self.site.decide(request) {
        case .answer(let answer): answer.status
        case .evaluate: 0
        }
    }

    @Test(
        "only names of the loopback interface with the port are answered",
        arguments: [
            ("127.0.0.1:6120", 200), ("localhost:6120", 200), ("LocalHost:6120", 200), ("[::1]:6120", 200), ("", 421),
            ("127.0.0.1", 421), ("127.0.0.1:6121", 421), ("localhost", 421), ("evil.example:6120", 421),
            ("localhost.evil.example:6120", 421), ("127.0.0.1:6120.evil.example", 421), ("127.0.0.1:06120", 421),
            ("localhost:6120@evil.example", 421), (" localhost:6120", 421), ("0.0.0.0:6120", 421),
            ("192.0.2.1:6120", 421),
        ])
    func hosts(host: String, expected: Int) {
        var page = Self.page
        page.hosts = [host]
        #expect(status(page) == expected)
        var evaluation = Self.evaluation
        evaluation.hosts = [host]
        #expect(status(evaluation) == (expected == 200 ? 0 : expected))
    }

    /// RFC 9112, section 3.2.
    @Test(
        "a request has one header Host",
        arguments: [[], ["localhost:6120", "localhost:6120"], ["localhost:6120", ""]])
    func oneHost(hosts: [String]) {
        for var request in [Self.page, Self.evaluation] {
            request.hosts = hosts
            #expect(status(request) == 400)
        }
    }

    @Test("browsers leave out the port 80", arguments: ["127.0.0.1", "localhost", "[::1]", "localhost:80"])
    func hostsWithoutAPort(host: String) {
        var request = Self.evaluation
        request.hosts = [host]
        request.origin = "http://\(host)"
        #expect(PlaygroundSite(port: 80).decide(request) == .evaluate)
    }

    @Test(
        "only pages of this server may ask it",
        arguments: [
            (nil, 0), ("http://localhost:6120", 0), ("http://127.0.0.1:6120", 0), ("http://[::1]:6120", 0),
            ("null", 403),
            ("", 403), ("https://localhost:6120", 403), ("http://localhost", 403), ("http://localhost:6121", 403),
            ("http://evil.example", 403), ("http://localhost:6120.evil.example", 403), ("http://localhost:6120/", 403),
            ("file://", 403),
        ])
    func origins(origin: String?, expected: Int) {
        var request = Self.evaluation
        request.origin = origin
        #expect(status(request) == expected)
    }

    @Test(
        "forms of other pages cannot send the type that is demanded",
        arguments: [
            ("application/json", 0), ("Application/JSON; charset=utf-8", 0), ("application/json ;charset=utf-8", 0),
            (nil, 415), ("", 415), ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
            ("multipart/form-data; boundary=application/json", 415), ("application/jsonp", 415),
        ])
    func types(type: String?, expected: Int) {
        var request = Self.evaluation
        request.contentType = type
        #expect(status(request) == expected)
    }

    @Test(arguments: [
        ("GET", "/", 200), ("HEAD", "/", 200), ("GET", "/?x=/../y", 200), ("GET", "/playground.js", 200),
        ("POST", "/", 405),
        ("PUT", "/playground.js", 405), ("OPTIONS", "/", 405), ("GET", "/evaluate", 405), ("OPTIONS", "/evaluate", 405),
        ("POST", "/evaluate?x", 0), ("GET", "", 404), ("GET", "/index.html", 404), ("GET", "//", 404),
        ("GET", "/../", 404),
        ("GET", "/Playground.js", 404), ("GET", "/playground.js/", 404), ("GET", "/%70layground.js", 404),
        ("GET", "http://127.0.0.1:6120/", 404), ("POST", "/evaluate/", 404), ("GET", "/etc/passwd", 404),
        ("GET", "*", 404),
    ])
    func methodsAndPaths(method: String, target: String, expected: Int) {
        var request = Self.evaluation
        request.method = method
        request.target = target
        #expect(status(request) == expected)
    }

    @Test func aRefusalNamesTheAllowedMethods() {
        var request = Self.page
        request.method = "DELETE"
        guard case .answer(let answer) = Self.site.decide(request) else {
            Issue.record("it is allowed")
            return
        }
        #expect(answer.allow == "GET, HEAD")
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"error":"expected the method GET"}"#)
    }

    @Test(arguments: [("1048576", 0), ("1048577", 413), ("18446744073709551615", 413), (nil, 0)])
    func announcedLengths(length: String?, expected: Int) {
        var request = Self.evaluation
        request.contentLength = length
        #expect(status(request) == expected)
        // Other mistakes come first.
        request.hosts = ["evil.example"]
        #expect(status(request) == 421)
    }

    @Test("every file of the page is served unchanged, and nothing else")
    func assets() throws {
        let folder = packageFolder.appending(path: "Sources/StanzaPlayground/Assets")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let paths = files.map { $0.lastPathComponent == "index.html" ? "/" : "/" + $0.lastPathComponent }
        #expect(Set(paths) == Set(PlaygroundAsset.all.keys))
        for (file, path) in zip(files, paths) {
            let asset = try #require(PlaygroundAsset(path: path))
            #expect(try Data(contentsOf: file) == Data(asset.bytes), "\(path)")
            let types = ["html": "text/html", "css": "text/css", "js": "text/javascript", "json": "application/json"]
            #expect(asset.contentType.hasPrefix(types[file.pathExtension] ?? "image/svg+xml"))
        }
    }

    @Test("the page loads nothing from elsewhere, and has no script or style in its text")
    func whatThePolicyForbids() throws {
        for (path, asset) in PlaygroundAsset.all {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            if path == "/" {
                #expect(!text.contains("style=") && !text.contains("<style"))
                #expect(text.ranges(of: "<script").count == text.ranges(of: "<script type=\"module\" src=\"/").count)
            }
            guard path.hasSuffix("js") || path.hasSuffix("css") || path == "/" else { continue }
            for forbidden in ["https://", "url(http", "src=\"http", "eval(", "innerHTML"] {
                #expect(!text.contains(forbidden), "\(forbidden) in \(path)")
            }
        }
    }
}
