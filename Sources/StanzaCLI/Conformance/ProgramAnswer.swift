// The lines between `stanza conformance --program` and its program: the question of a case, and the answer, which is
// read and compared with the case. Grammar/conformance/own-engine.md describes both.

import QuerySyntax

extension Suite {
    /// The line that asks a case, without its end.
    ///
    /// - Parameter name: The name of this suite.
    func question(for test: SuiteTest, of name: String) -> [UInt8] {
        var members = [
            JSONMember(name: "suite", value: .string(name)), JSONMember(name: "name", value: .string(test.name)),
        ]
        if let namespace = context.defaultNamespace {
            members.append(JSONMember(name: "defaultNamespace", value: .string(namespace)))
        }
        members += test.question
        if let document = test.document { members.append(JSONMember(name: "xml", value: .string(document.xml))) }
        return Array(JSONValue.object(members).text.utf8)
    }
}

/// The answer to a case.
enum ProgramAnswer {
    /// All results, or the first of them, or both, and whether there is one. The first is an array of at most one.
    case found(all: [PlainResult]?, first: [PlainResult]?, check: Bool?)
    case error(Diagnostic.Kind, at: SourceRange?)
    /// - Parameter reason: The feature that the program lacks.
    case unsupported(_ reason: String)

    /// Reads a line. Malformed JSON ends the run, and a malformed answer fails its case.
    static func read(_ line: [UInt8]) throws(JSONError) -> Result<ProgramAnswer, SuiteError> {
        let json = try JSONReader.read(line)
        return Result { () throws(SuiteError) in try ProgramAnswer(json: json) }
    }

    private static let members = ["results", "first", "check", "error", "at", "unsupported"]

    init(json: JSONValue) throws(SuiteError) {
        guard let members = json.object else { throw SuiteError("an answer is a JSON object") }
        for (index, name) in members.map(\.name).enumerated() {
            guard Self.members.contains(name) else { throw SuiteError("'\(name)' is not a member of an answer") }
            if members[..<index].contains(where: { $0.name == name }) { throw SuiteError("has '\(name)' twice") }
        }
        if members["at"] != nil, members["error"] == nil { throw SuiteError("'at' is for 'error'") }
        let isFound = ["results", "first"].contains { members[$0] != nil }
        switch (isFound, members["error"] != nil, members["unsupported"] != nil) {
        case (true, false, false):
            let all = try members.optional("results", "an array", \.array)
            let first = members["first"].map { if case .null = $0 { [] as [JSONValue] } else { [$0] } }
            self = .found(
                all: try Self.results(all), first: try Self.results(first),
                check: try members.optional("check", "a boolean", \.bool))
        case (false, true, false):
            let kind = try members.required("error", "a kind of error") { value in
                value.string.flatMap(Diagnostic.Kind.init(rawValue:))
            }
            self = .error(kind, at: try members.optional("at", "[start, end]", \.range))
        case (false, false, true): self = .unsupported(try members.required("unsupported", "a string", \.string))
        default: throw SuiteError("needs 'results' or 'first', or 'error', or 'unsupported'")
        }
    }

    private static func results(_ values: [JSONValue]?) throws(SuiteError) -> [PlainResult]? {
        guard let values else { return nil }
        // Their unknown members do not matter.
        var ignored = IgnoredMembers()
        var results: [PlainResult] = []
        for value in values { results.append(try PlainResult(json: value, &ignored)) }
        return results
    }
}

extension SuiteTest {
    func outcome(of answer: ProgramAnswer) -> CaseOutcome {
        let mismatch: SuiteFailure?
        switch answer {
        case .unsupported(let reason): return .unsupported(reason)
        case .error(let kind, let range):
            let text = kind.rawValue + (range.map { " at \($0.text)" } ?? "")
            mismatch = compare(kind, at: range, described: text)
        // Its first result may come before the failure, or not exist.
        case .found(nil, .some(let first), _) where !first.isEmpty && failsInEvaluation:
            return .unsupported("finding all results")
        case .found(let all, let first, let check): mismatch = compare(all, first, check)
        }
        return mismatch.map(CaseOutcome.failed) ?? .passed
    }

    /// Whether the query compiles, and finding all results fails.
    private var failsInEvaluation: Bool {
        guard case .error(let kind, _) = expectation else { return false }
        return kind == .arguments || kind == .regexLimit
    }

    private func compare(_ all: [PlainResult]?, _ first: [PlainResult]?, _ check: Bool?) -> SuiteFailure? {
        guard case .results(let expected, let isUnordered) = expectation else {
            return failure(all?.text ?? "first \(first?.text ?? "[]")")
        }
        if let all, isUnordered ? !all.isPermutation(of: expected) : !all.matches(expected) { return failure(all.text) }
        if let first {
            // Of results in any order, each may be the first one, unless there are all.
            let candidates = isUnordered && all == nil ? expected : Array((all ?? expected).prefix(1))
            let isRight = candidates.isEmpty ? first.isEmpty : candidates.contains { [$0].matches(first) }
            if !isRight { return failure("first \(first.text)") }
        }
        if let check, check == expected.isEmpty { return failure("check \(check)") }
        return nil
    }
}
