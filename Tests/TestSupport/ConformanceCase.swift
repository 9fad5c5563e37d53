// The conformance suites of Grammar/conformance, as far as tests want many queries: StanzaCLI runs them.

import Foundation

/// A case of a suite.
public struct ConformanceCase: Decodable, Sendable {
    /// Unique over all suites; begins with the rule's number.
    public let name: String
    /// A query, or a text that is not a query.
    public let query: String
    /// The values of the query's specifiers.
    public let arguments: [Argument]?
    /// The names of compile options.
    public let options: [String]?
    /// The kind of error that is expected, if one is.
    public let error: String?
    /// The place of the expected error: the UTF-8 offsets of its beginning and of its end.
    public let at: [Int]?
    /// The indexes of child elements that lead to the queried element.
    public let context: [Int]?
    /// The number of results, if results are expected.
    public var resultCount: Int? { results?.count }
    private let results: [AnyResult]?
    /// The default namespace around the document.
    public private(set) var defaultNamespace: String?
    /// The document that the query is asked of, if there is one.
    public private(set) var xml: String?
    /// The name of the document, where several cases share one.
    private let document: String?

    /// A value of a specifier.
    public enum Argument: Hashable, Sendable {
        case boolean(Bool)
        case integer(Int64)
        case unsigned(UInt64)
        case number(Double)
        case string(String)
    }

    private struct AnyResult: Decodable {
        init(from: any Decoder) {}
    }

    private struct Suite: Decodable {
        let defaultNamespace: String?
        let documents: [String: String]?
        let tests: [ConformanceCase]
    }

    /// All cases of all suites, in the order of the files.
    public static func all() throws -> [ConformanceCase] {
        try suites().flatMap { suite in
            suite.tests.map { test in
                var test = test
                test.xml = test.xml ?? test.document.flatMap { suite.documents?[$0] }
                test.defaultNamespace = suite.defaultNamespace
                return test
            }
        }
    }

    /// The documents of all cases, each once.
    public static func documents() throws -> Set<String> {
        Set(try all().compactMap(\.xml))
    }

    private static func suites() throws -> [Suite] {
        let folder = packageFolder.appending(path: "Grammar/conformance")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.map { file in
            // The decoder reads `3.0` as the whole number 3, which is another argument.
            let text = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(
                of: #"(?<=\[|, )(-?[0-9]+(?:\.[0-9]+|e[+-]?[0-9]+)[0-9e+-]*)(?=[,\]])(?<="arguments": \[[^\]]{0,600})"#,
                with: #"{"fraction": $1}"#, options: .regularExpression)
            return try JSONDecoder().decode(Suite.self, from: Data(text.utf8))
        }
    }
}

extension ConformanceCase.Argument: Decodable {
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let unsigned = try? value.decode(UInt64.self) {
            self = .unsigned(unsigned)
        } else if let number = try? value.decode([String: Double].self) {
            self = .number(number["fraction"] ?? .nan)
        } else {
            self = .string(try value.decode(String.self))
        }
    }
}
