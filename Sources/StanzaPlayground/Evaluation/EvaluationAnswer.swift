// The data that the page shows: an answer in the form of its JSON. The names are those of the members; offsets are
// UTF-16 code units of the request's texts. Evaluation.swift makes it.

/// All data about a query and a stanza. Mistakes are values.
struct EvaluationAnswer: Encodable, Sendable, Equatable {
    /// The mistakes in the query or in its arguments.
    var diagnostics: [QueryMistake] = []
    /// The parts of the query that are legal but probably not intended.
    var warnings: [QueryMistake] = []
    /// The syntax tree, also of a query that is wrong.
    var tree: [TreeLine] = []
    /// The compiled program, unless the query has mistakes.
    @OrNull var program: ProgramListing?
    /// The reasons why the stanza, or some of several, cannot be read.
    var stanzaProblems: [StanzaProblem] = []
    /// The elements that the query looked at, in document order.
    var marks: [ElementMark] = []
    /// The results, in order.
    var results: [ResultText] = []
    /// Explains an empty result.
    @OrNull var nearMiss: String?
    /// The query that finds something instead.
    @OrNull var repair: QueryFix?
    /// Whether there are more results, or more of their text.
    var isCut = false
    /// Whether there are more stanzas, more marks, or more lines of the tree or of the program.
    var isShortened = false
    /// The reason why the evaluation ended early.
    @OrNull var failure: String?
}

struct QueryMistake: Encodable, Sendable, Equatable {
    let kind: String
    let message: String
    let start: Int
    let end: Int
    @OrNull var expected: String?
    @OrNull var fix: QueryFix?
}

/// A change of the query that repairs a mistake.
struct QueryFix: Encodable, Sendable, Equatable {
    let start: Int
    let end: Int
    let replacement: String
    let label: String
}

/// A line of the syntax tree.
struct TreeLine: Encodable, Sendable, Equatable {
    let depth: Int
    let text: String
    @OrNull var start: Int?
    @OrNull var end: Int?
}

/// The program of a query.
struct ProgramListing: Encodable, Sendable, Equatable {
    let listing: [ListingLine]
    let resultKind: String
    let argumentCount: Int
}

/// An instruction, with the part of the query that it comes from.
struct ListingLine: Encodable, Sendable, Equatable {
    let text: String
    @OrNull var start: Int?
    @OrNull var end: Int?
}

/// A mistake in the stanza.
struct StanzaProblem: Encodable, Sendable, Equatable {
    let message: String
    let start: Int
    let end: Int
}

/// The query's mark on an element, with the place of its start tag.
struct ElementMark: Encodable, Sendable, Equatable {
    let start: Int
    let end: Int
    /// `matched`, `visited` or `rejected`.
    let mark: String
    let path: [Int]
}

/// A result as text, and the element that it comes from.
struct ResultText: Encodable, Sendable, Equatable {
    let kind: String
    let text: String
    @OrNull var path: [Int]?
    @OrNull var start: Int?
    @OrNull var end: Int?
}

/// A member that is `null` in JSON, and not left out, when it has no value.
@propertyWrapper
struct OrNull<Value: Encodable & Sendable & Equatable>: Encodable, Sendable, Equatable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}
