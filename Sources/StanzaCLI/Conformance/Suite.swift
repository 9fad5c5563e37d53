// Conformance suites as values: what a suite file says, checked while it is read.
//
// How a case is run is SuiteRunner.swift's; how results look in JSON, SuiteResults.swift's.

import Foundation
import QuerySyntax
import StanzaQuery

/// A suite: cases, and the documents they share.
struct Suite {
    /// What surrounds every top element.
    let context: NamespaceContext
    let tests: [SuiteTest]
}

/// One case of a suite.
struct SuiteTest {
    let name: String
    /// The document; a case that expects an error of compiling may have none.
    let xml: String?
    /// The index path of the element to query.
    let context: [Int]
    let query: String
    let arguments: [QueryArgumentValue]
    let options: QueryOptions
    let expectation: Expectation

    enum Expectation {
        case results([PlainResult], isUnordered: Bool)
        /// A kind of error and where it is in the query.
        case error(Diagnostic.Kind, at: SourceRange?)
    }
}

/// A suite that cannot be read.
struct SuiteError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The same mistake, with what it is in.
    func inside(_ place: String) -> SuiteError { SuiteError("\(place): \(description)") }
}

extension Suite {
    init(contentsOf path: String) throws(SuiteError) {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw SuiteError("this file cannot be read")
        }
        try self.init(bytes)
    }

    init(_ bytes: [UInt8]) throws(SuiteError) {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(bytes)
        } catch {
            let lines = bytes[..<error.offset].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            throw SuiteError("line \(lines.count): \(error.message)")
        }
        guard let members = json.object else { throw SuiteError("a suite is a JSON object") }
        context = NamespaceContext(
            defaultNamespace: try members.optional("defaultNamespace", "a string", \.string),
            prefixes: NamespaceContext.clientStream.prefixes)
        let documents = try members.optional("documents", "an object", \.object) ?? []
        let tests = try members.required("tests", "an array", \.array)
        var read: [SuiteTest] = []
        for (index, test) in tests.enumerated() {
            guard let members = test.object else { throw SuiteError("tests[\(index)] is no object") }
            let name = try members.required("name", "a string", \.string)
            do throws(SuiteError) {
                read.append(try SuiteTest(name, members, documents: documents))
            } catch {
                throw error.inside("'\(name)'")
            }
        }
        self.tests = read
    }
}

extension SuiteTest {
    fileprivate init(_ name: String, _ members: [JSONMember], documents: [JSONMember]) throws(SuiteError) {
        self.name = name
        query = try members.required("query", "a string", \.string)
        xml = try Self.document(members, documents: documents)
        context = try members.optional("context", "an array of indexes", \.indexes) ?? []
        arguments = try members.optional("arguments", "an array of strings, numbers and booleans", \.arguments) ?? []
        options = try members.optional("options", "an array of compile options", \.options) ?? []
        expectation = try Self.expectation(members)
        if case .results = expectation, xml == nil { throw SuiteError("needs a 'document' or 'xml'") }
    }

    private static func document(
        _ members: [JSONMember], documents: [JSONMember]
    ) throws(SuiteError) -> String? {
        let xml = try members.optional("xml", "a string", \.string)
        guard let name = try members.optional("document", "a string", \.string) else { return xml }
        if xml != nil { throw SuiteError("has both 'document' and 'xml'") }
        guard let document = documents[name]?.string else { throw SuiteError("there is no document '\(name)'") }
        return document
    }

    private static func expectation(_ members: [JSONMember]) throws(SuiteError) -> Expectation {
        switch (members["results"], members["error"]) {
        case (.some, nil):
            var results: [PlainResult] = []
            for result in try members.required("results", "an array", \.array) {
                results.append(try PlainResult(json: result))
            }
            return .results(results, isUnordered: try members.optional("unordered", "a boolean", \.bool) ?? false)
        case (nil, .some):
            let kind = try members.required("error", "a kind of error") { value in
                value.string.flatMap(Diagnostic.Kind.init(rawValue:))
            }
            return .error(kind, at: try members.optional("at", "[start, end]", \.range))
        default:
            throw SuiteError("needs exactly one of 'results' and 'error'")
        }
    }
}

extension [JSONMember] {
    /// The value of a member that may be missing.
    func optional<Value>(
        _ name: String, _ expected: String, _ value: (JSONValue) -> Value?
    ) throws(SuiteError) -> Value? {
        guard let member = self[name] else { return nil }
        guard let value = value(member) else { throw SuiteError("'\(name)' must be \(expected)") }
        return value
    }

    /// The value of a member that must be there.
    func required<Value>(
        _ name: String, _ expected: String, _ value: (JSONValue) -> Value?
    ) throws(SuiteError) -> Value {
        guard let value = try optional(name, expected, value) else { throw SuiteError("needs '\(name)'") }
        return value
    }
}

extension JSONValue {
    /// The values of an array that are all of one type.
    fileprivate func all<Value>(_ value: (JSONValue) -> Value?) -> [Value]? {
        guard let values = array?.map(value) else { return nil }
        let present = values.compactMap(\.self)
        return present.count == values.count ? present : nil
    }

    /// An index path.
    var indexes: [Int]? { all { $0.number?.int.flatMap { $0 >= 0 ? $0 : nil } } }

    fileprivate var range: SourceRange? {
        guard let bounds = indexes, bounds.count == 2, bounds[0] <= bounds[1] else { return nil }
        return bounds[0]..<bounds[1]
    }

    fileprivate var options: QueryOptions? {
        all { value -> QueryOptions? in
            switch value.string {
            case "caseInsensitiveFilters": .caseInsensitiveFilters
            case "strictConversions": .strictConversions
            default: nil
            }
        }
        .map { QueryOptions($0) }
    }

    fileprivate var arguments: [QueryArgumentValue]? {
        all { value -> QueryArgumentValue? in
            switch value {
            case .string(let string): .text(string)
            case .bool(let bool): .boolean(bool)
            case .number(let number) where number.isWhole:
                number.int.map { .integer(Int64($0)) } ?? number.uint.map { .unsigned(UInt64($0)) }
            case .number(let number): number.double.map { .floating($0) }
            case .null, .array, .object: nil
            }
        }
    }
}
