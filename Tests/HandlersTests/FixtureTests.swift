// Files that earlier versions stored must always load: one of every format version, and of every version of a parameter
// list.
//
// A test writes a missing file and fails once. It never overwrites a file.

import Foundation
import TestSupport
import Testing
import XMLTree

@testable import Handlers

@Suite struct FixtureTests {
    private static let folder = packageFolder.appending(path: "Tests/HandlersTests/Fixtures")

    private let calls = Calls()

    /// A parameter list of three versions.
    private var bundles: [HandlerDefinition] {
        [
            HandlerDefinition("Omemo|handleBundle", HandlerParameter("rid", Int.self)) { _ in },
            HandlerDefinition(
                "Omemo|bundleFetched", formerly: ["Omemo|handleBundle"], version: 2,
                migrations: [1: { $0.rename("rid", to: "device") }], HandlerParameter("device", Int.self)
            ) { _ in },
            HandlerDefinition(
                "Omemo|bundleFetched", formerly: ["Omemo|handleBundle"], version: 3,
                migrations: [
                    1: { $0.rename("rid", to: "device") },
                    2: { try $0.change("device", from: Int.self) { String($0) } },
                ], HandlerParameter("device", String.self)
            ) { [calls] device in calls.add(device) },
        ]
    }

    private func dispatcher() throws -> HandlerDispatcher {
        HandlerDispatcher(
            try HandlerRegistry(handlers: definitionsOfEverything + [bundles[2]], objects: [Upload.self]))
    }

    /// Returns the content of a fixture. Records a missing one, and fails the test.
    private func fixture(_ name: String, format: Int, record: () async throws -> Data) async throws -> Data {
        let file = Self.folder.appending(path: "format-\(format)/\(name)")
        if let data = try? Data(contentsOf: file) { return data }
        try #require(
            format == StoredFormat.version, "\(file.path) is missing, and this program cannot write its format")
        let data = try await record()
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        Issue.record("recorded \(file.path)")
        return data
    }

    /// Every format version needs fixtures before its release.
    @Test func everyFormatHasFixtures() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(folders == (1...StoredFormat.version).map { "format-\($0)" })
        for folder in folders {
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder.path)/\(folder)")
            #expect(files.contains { $0.hasSuffix(".handler") }, "\(folder)")
        }
    }

    @Test(arguments: 1...Int(StoredFormat.version)) func everything(format: Int) async throws {
        let dispatcher = try dispatcher()
        let data = try await fixture("everything.handler", format: format) {
            try dispatcher.data(of: handlerOfEverything(in: dispatcher))
        }
        let loaded = try dispatcher.load(from: data)
        let expected = try handlerOfEverything(in: dispatcher).arguments.filter { $0.key != "handler" }
        #expect(loaded.arguments.filter { $0.key != "handler" } == expected)
        guard case .handler(let inner) = loaded.arguments["handler"] else {
            Issue.record("the nested handler is missing")
            return
        }
        #expect(inner.arguments == ["number": .int(7)])
    }

    @Test(arguments: 1...Int(StoredFormat.version)) func ended(format: Int) async throws {
        let dispatcher = try dispatcher()
        for (name, mark) in [
            ("called", HandlerMark.called), ("invalidated", .invalidated(InvalidationReason(rawValue: "by a test"))),
        ] {
            let data = try await fixture("\(name).handler", format: format) {
                let handler = try dispatcher.handler("Test|inner")
                _ = handler.state.settle(mark)
                return try dispatcher.data(of: handler)
            }
            #expect(try dispatcher.load(from: data).mark == mark)
        }
    }

    @Test(arguments: 1...Int(StoredFormat.version), 1...3) func parameterLists(format: Int, version: Int)
        async throws
    {
        let data = try await fixture("bundle-\(version).handler", format: format) {
            let old = try HandlerDispatcher(bundles[version - 1])
            let device: any Sendable = version < 3 ? 31 : "31"
            return try old.data(
                of: old.handler(bundles[version - 1].name, binding: [version == 1 ? "rid" : "device": device]))
        }
        let dispatcher = try dispatcher()
        try await dispatcher.call(dispatcher.load(from: data))
        #expect(calls.all == ["31"])
    }
}
