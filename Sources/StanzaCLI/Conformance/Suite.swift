// Conformance suites as values, checked while they are read.
//
// Suite+JSON.swift reads members, SuiteDocument.swift reads documents, SuiteRunner.swift runs cases, and
// SuiteResults.swift converts results from and to JSON. ConformanceRun.swift runs all suites of a command. With
// `--program`, SuiteProgram.swift runs the program, and ProgramAnswer.swift compares its answers.

import QuerySyntax
import StanzaQuery

/// A suite: cases, and the documents they share.
struct Suite {
    /// The namespace bindings around every top element.
    let context: NamespaceContext
    let cases: [SuiteCase]
    /// Unknown members, each once: suites of other projects may have more members than this command knows.
    let warnings: [String]
}

/// One case of a suite as its file has it.
struct SuiteCase {
    /// Its number, counted from 1, and its name.
    let place: String
    /// The test, or the reason why it is malformed: the other cases can run nevertheless.
    let test: Result<SuiteTest, SuiteError>
}

/// The content of a case.
struct SuiteTest {
    let name: String
    /// The document; a case that expects a compile error may have none.
    let document: SuiteDocument?
    /// The index path of the element to query.
    let context: [Int]
    let query: String
    let arguments: [QueryArgumentValue]
    let options: QueryOptions
    let expectation: Expectation
    /// The members of the case that define the evaluation, except for the document, as they are in the file.
    let question: [JSONMember]

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
}

extension Suite {
    /// The maximum size of a file: a hundred times the largest suite.
    static let maximumBytes = 16 << 20

    init(
        contentsOf path: String, on console: Console, _ interruption: inout WorkInterruption
    ) throws(SuiteError) {
        try self.init(Self.json(contentsOf: path, on: console, &interruption))
    }

    /// The content of a file that may be large.
    static func json(
        contentsOf path: String, on console: Console, _ interruption: inout WorkInterruption
    ) throws(SuiteError) -> JSONValue {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try console.source(of: path).readAll(upTo: maximumBytes)
        } catch {
            throw SuiteError("\(error)")
        }
        guard let bytes else { throw SuiteError("more than \(maximumBytes) bytes: is this a suite?") }
        let json = interruption.wait { Result { () throws(SuiteError) in try Self.json(bytes) } }
        guard let json else { throw SuiteError("interrupted") }
        return try json.get()
    }

    init(_ bytes: [UInt8]) throws(SuiteError) {
        try self.init(Self.json(bytes))
    }

    /// - Parameter bytes: A file, perhaps with a byte order mark, which some editors write. JSON itself has none.
    private static func json(_ bytes: [UInt8]) throws(SuiteError) -> JSONValue {
        let mark = FormatRecognizer.byteOrderMark
        let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        do throws(JSONError) {
            return try JSONReader.read(bytes)
        } catch {
            let lines = bytes[..<error.offset].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            throw SuiteError("line \(lines.count): \(error.message)")
        }
    }

    private init(_ json: JSONValue) throws(SuiteError) {
        guard let members = json.object else { throw SuiteError("a suite is a JSON object") }
        var ignored = IgnoredMembers()
        try ignored.check(members, known: Self.members, of: "a suite")
        context = NamespaceContext(
            defaultNamespace: try members.optional("defaultNamespace", "a string", \.string),
            prefixes: NamespaceContext.clientStream.prefixes)
        var documents: SuiteTest.Documents = [:]
        for member in try members.optional("documents", "an object", \.object) ?? [] {
            documents[Array(member.name.utf8)] = member.value.string.map(SharedDocument.init)
        }
        cases = try members.required("tests", "an array", \.array).enumerated().map { index, json in
            SuiteCase(json, number: index + 1, documents, &ignored)
        }
        warnings = ignored.warnings
    }

    private static let members = ["description", "defaultNamespace", "documents", "tests"]
}

extension SuiteCase {
    fileprivate init(
        _ json: JSONValue, number: Int, _ documents: SuiteTest.Documents, _ ignored: inout IgnoredMembers
    ) {
        let name = json.object?["name"]?.string
        let place = "case \(number)" + (name.map { " ('\($0)')" } ?? "")
        ignored.place = place + ": "
        self.place = place
        test = Result { () throws(SuiteError) in
            guard let members = json.object else { throw SuiteError("not an object") }
            return try SuiteTest(members, documents, &ignored)
        }
    }
}

extension SuiteTest {
    /// The documents of a suite by name, byte by byte.
    fileprivate typealias Documents = [[UInt8]: SharedDocument]

    fileprivate init(
        _ members: [JSONMember], _ documents: Documents, _ ignored: inout IgnoredMembers
    ) throws(SuiteError) {
        try ignored.check(members, known: Self.members, of: "a case")
        name = try members.required("name", "a string", \.string)
        query = try members.required("query", "a string", \.string)
        document = try Self.document(members, documents)
        context = try members.optional("context", "an array of indexes", \.indexes) ?? []
        var arguments: [QueryArgumentValue] = []
        for value in try members.optional("arguments", "an array", \.array) ?? [] {
            arguments.append(try value.argument())
        }
        self.arguments = arguments
        options = try members.optional("options", "an array of compile options", \.options) ?? []
        expectation = try Self.expectation(members, &ignored)
        question = ["query", "context", "arguments", "options"].compactMap { members.member($0) }
        if case .results = expectation, document == nil { throw SuiteError("needs a 'document' or 'xml'") }
    }

    private static let members = [
        "name", "document", "xml", "context", "query", "arguments", "options", "results", "unordered", "error", "at",
    ]

    private static func document(
        _ members: [JSONMember], _ documents: Documents
    ) throws(SuiteError) -> SuiteDocument? {
        let xml = try members.optional("xml", "a string", \.string)
        guard let name = try members.optional("document", "a string", \.string) else {
            return xml.map(SuiteDocument.own)
        }
        if xml != nil { throw SuiteError("has both 'document' and 'xml'") }
        guard let document = documents[Array(name.utf8)] else { throw SuiteError("no document '\(name)'") }
        return .shared(document)
    }

    private static func expectation(
        _ members: [JSONMember], _ ignored: inout IgnoredMembers
    ) throws(SuiteError) -> Expectation {
        switch (members["results"], members["error"]) {
        case (.some, nil):
            if members["at"] != nil { throw SuiteError("'at' is for 'error'") }
            var results: [PlainResult] = []
            for result in try members.required("results", "an array", \.array) {
                results.append(try PlainResult(json: result, &ignored))
            }
            return .results(results, isUnordered: try members.optional("unordered", "a boolean", \.bool) ?? false)
        case (nil, .some):
            if members["unordered"] != nil { throw SuiteError("'unordered' is for 'results'") }
            let kind = try members.required("error", "a kind of error") { value in
                value.string.flatMap(Diagnostic.Kind.init(rawValue:))
            }
            return .error(kind, at: try members.optional("at", "[start, end]", \.range))
        default:
            throw SuiteError("needs exactly one of 'results' and 'error'")
        }
    }
}
