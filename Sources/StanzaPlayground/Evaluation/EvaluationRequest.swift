// The page's request: a query, a stanza, and the options of the query. It does not use HTTP.

import Foundation

/// A query to evaluate on a stanza. `query` and `stanza` are required and may be empty. Other members default to empty
/// or `false`. Unknown ones are ignored.
struct EvaluationRequest: Decodable, Sendable, Equatable {
    var query: String
    /// One stanza, with the namespaces of a client's stream, or any text that `stanza find` reads.
    var stanza: String
    /// The values of the query's specifiers, as texts.
    var arguments: [String] = []
    /// Whether filters ignore case.
    var ignoreCase = false
    /// Whether a conversion has no result if the text is not entirely such a value.
    var strict = false

    private enum CodingKeys: CodingKey {
        case query, stanza, arguments, ignoreCase, strict
    }

    /// For tests: the page sends JSON.
    init(query: String = "", stanza: String = "", arguments: [String] = []) {
        self.query = query
        self.stanza = stanza
        self.arguments = arguments
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        query = try members.decode(String.self, forKey: .query)
        stanza = try members.decode(String.self, forKey: .stanza)
        arguments = try members.decodeIfPresent([String].self, forKey: .arguments) ?? []
        ignoreCase = try members.decodeIfPresent(Bool.self, forKey: .ignoreCase) ?? false
        strict = try members.decodeIfPresent(Bool.self, forKey: .strict) ?? false
    }

    /// Reads a request from JSON.
    ///
    /// - Throws: `InvalidRequest` with the mistake.
    init(json: [UInt8]) throws(InvalidRequest) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json))
        } catch DecodingError.keyNotFound(let member, _) {
            throw InvalidRequest(description: "the member '\(member.stringValue)' is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let member = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            throw InvalidRequest(
                description: member.isEmpty
                    ? "expected a JSON object" : "the member '\(member.joined(separator: "."))' has the wrong type")
        } catch {
            throw InvalidRequest(description: "the body is not JSON; expected an object with 'query' and 'stanza'")
        }
    }
}

/// The reason why a body is not a request.
struct InvalidRequest: Error, Equatable, CustomStringConvertible {
    let description: String
}
