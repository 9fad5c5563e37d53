// Conformance suites as values: what a suite file says, checked while it is read.
//
// How members are read is Suite+JSON.swift's; how a case is run, SuiteRunner.swift's; how results look in JSON,
// SuiteResults.swift's.

import QuerySyntax
import StanzaQuery

/// A suite: cases, and the documents they share.
struct Suite {
    /// What surrounds every top element.
    let context: NamespaceContext
    let tests: [SuiteTest]
    /// Members that mean nothing here, each once: suites of others may have more than this command knows.
    let warnings: [String]
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
    /// So many bytes of a file are read: a hundred times the largest suite.
    static let maximumBytes = 16 << 20

    init(contentsOf path: String, on console: Console) throws(SuiteError) {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try console.source(of: path).readAll(upTo: Self.maximumBytes)
        } catch {
            throw SuiteError("\(error)")
        }
        guard let bytes else { throw SuiteError("more than \(Self.maximumBytes) bytes: is this a suite?") }
        try self.init(bytes)
    }

    /// - Parameter bytes: A file, perhaps with a byte order mark, as some editors write it. JSON itself has none.
    init(_ bytes: [UInt8]) throws(SuiteError) {
        let mark = FormatRecognizer.byteOrderMark
        let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(bytes)
        } catch {
            let lines = bytes[..<error.offset].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            throw SuiteError("line \(lines.count): \(error.message)")
        }
        guard let members = json.object else { throw SuiteError("a suite is a JSON object") }
        var warnings = try members.checkNames(Self.members).map { "'\($0)' is not a member of a suite; it is ignored" }
        context = NamespaceContext(
            defaultNamespace: try members.optional("defaultNamespace", "a string", \.string),
            prefixes: NamespaceContext.clientStream.prefixes)
        let documents = try members.optional("documents", "an object", \.object) ?? []
        let tests = try members.required("tests", "an array", \.array)
        var read: [SuiteTest] = []
        var ignored: Set<String> = []
        for (index, test) in tests.enumerated() {
            guard let members = test.object else { throw SuiteError("tests[\(index)] is no object") }
            let name = try members.required("name", "a string", \.string)
            do throws(SuiteError) {
                for member in try members.checkNames(SuiteTest.members) where ignored.insert(member).inserted {
                    warnings.append("'\(name)': '\(member)' is not a member of a case; it is ignored")
                }
                read.append(try SuiteTest(name, members, documents: documents))
            } catch {
                throw error.inside("'\(name)'")
            }
        }
        self.tests = read
        self.warnings = warnings
    }

    private static let members = ["description", "defaultNamespace", "documents", "tests"]
}

extension SuiteTest {
    fileprivate init(_ name: String, _ members: [JSONMember], documents: [JSONMember]) throws(SuiteError) {
        self.name = name
        query = try members.required("query", "a string", \.string)
        xml = try Self.document(members, documents: documents)
        context = try members.optional("context", "an array of indexes", \.indexes) ?? []
        var arguments: [QueryArgumentValue] = []
        for value in try members.optional("arguments", "an array", \.array) ?? [] {
            arguments.append(try value.argument())
        }
        self.arguments = arguments
        options = try members.optional("options", "an array of compile options", \.options) ?? []
        expectation = try Self.expectation(members)
        if case .results = expectation, xml == nil { throw SuiteError("needs a 'document' or 'xml'") }
    }

    fileprivate static let members = [
        "name", "document", "xml", "context", "query", "arguments", "options", "results", "unordered", "error", "at",
    ]

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
            if members["at"] != nil { throw SuiteError("'at' is for 'error'") }
            var results: [PlainResult] = []
            for result in try members.required("results", "an array", \.array) {
                results.append(try PlainResult(json: result))
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
