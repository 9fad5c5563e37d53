// The real Prosody: one Lua process that runs prosody.lua and answers one line at a time.
//
// It is Debian's, 0.12. Its methods are those that 8.1 of the language's page describes of the trunk of its time. The
// tests do not compare newer behavior of the trunk.
//
// KnownDifference.swift and Comparison.swift interpret the answers.

import Foundation
import TestSupport
import Testing

/// All tests that need the real Prosody. Without it they fail, unless STANZA_NO_PROSODY=1 allows that.
@Suite(.needsProsody) enum AgainstProsody {}

/// A running Lua interpreter with Prosody's modules. Ends with this object.
final class Prosody {
    /// Where Debian's package puts the modules.
    static let modules = "/usr/lib/prosody"
    static let interpreter = "lua5.4"

    private static let driver = packageFolder.appending(path: "Tests/StanzaQueryTests/Prosody/prosody.lua")

    private let process: LineProcess

    init(interpreter: String = Prosody.interpreter, modules: String = Prosody.modules) throws {
        process = try LineProcess(URL(filePath: "/usr/bin/env"), [interpreter, Self.driver.path, modules])
        guard process.readLine() == "ready" else {
            throw ProsodyFailure.missing(interpreter: interpreter, modules: modules)
        }
    }

    deinit { process.finish() }

    /// The results of `stanza:find` for some queries.
    ///
    /// - Parameter context: The element that the queries are evaluated on.
    func answers(to queries: [String], on context: ElementPlace = .root, of document: String) throws -> [ProsodyAnswer]
    {
        guard !queries.isEmpty else { return [] }
        let request = Request(xml: document, context: context.description, queries: queries)
        try process.write(String(decoding: JSONEncoder().encode(request), as: UTF8.self) + "\n")
        guard let answer = process.readLine() else { throw ProsodyFailure.ended }
        let response = try JSONDecoder().decode(Response.self, from: Data(answer.utf8))
        guard let answers = response.answers, answers.count == queries.count else {
            throw ProsodyFailure.refused(response.error ?? "the number of answers is wrong", document: document)
        }
        return answers
    }

    /// The result of `stanza:find` for one query on the root of a document.
    func answer(to query: String, of document: String) throws -> ProsodyAnswer {
        try answers(to: [query], of: document)[0]
    }

    private struct Request: Encodable {
        let xml: String
        let context: String
        let queries: [String]
    }

    private struct Response: Decodable {
        let answers: [ProsodyAnswer]?
        let error: String?
    }
}

/// Prosody's answer to a query, and the events on the way: prosody.lua documents each.
struct ProsodyAnswer: Decodable {
    private let element: String?
    private let text: String?
    private let tookChildWithoutNamespace: Bool?
    private let passedOtherChildren: Bool?
    private let askedTextBesideChildren: Bool?
    private let gaveEmptyText: Bool?

    var result: FoundResult? {
        if let element { .element(ElementPlace(element)) } else { text.map(FoundResult.text) }
    }
    var hasTakenChildWithoutNamespace: Bool { tookChildWithoutNamespace ?? false }
    var hasPassedOtherChildren: Bool { passedOtherChildren ?? false }
    var hasAskedTextBesideChildren: Bool { askedTextBesideChildren ?? false }
    var hasGivenEmptyText: Bool { gaveEmptyText ?? false }
}

enum ProsodyFailure: Error, Equatable, CustomStringConvertible {
    case missing(interpreter: String, modules: String)
    case ended
    case refused(String, document: String)

    var description: String {
        switch self {
        case .missing(let interpreter, let modules):
            """
            the real Prosody, for comparisons, is missing: '\(interpreter)' did not start with the modules in \
            \(modules); its own message is above. Install the packages lua5.4 and prosody, or set STANZA_NO_PROSODY=1 to \
            run without them.
            """
        case .ended: "the Lua process has ended, its own message is above"
        case .refused(let reason, let document): "Prosody cannot be asked about \(document): \(reason)"
        }
    }
}
