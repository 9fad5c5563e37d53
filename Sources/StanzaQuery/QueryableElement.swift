// The queries on elements: find, findFirst and check, of compiled queries.
//
// QueryableElement+Literals.swift takes literals, Typed/CheckedQuery.swift checked queries;
// QueryableElement+Evaluation.swift does what all of them share.

public import FormModel
public import XMLTree

/// An element that queries can be evaluated on: `Element` or `MutableElement`.
///
/// ```swift
/// let isError = try stanza.check("/<type=error>")
/// let stamp = try stanza.findFirst("{urn:xmpp:delay}delay@stamp|datetime")?.date
/// let features = try stanza.find("{http://jabber.org/protocol/disco#info}query/feature@var").compactMap(\.string)
/// let id = try stanza.findFirst("items<node=%@>/item@id", node, as: String.self)
/// ```
///
/// Elements among the results belong to the tree on which the query runs, however you write the call: on a
/// `MutableElement` they are `MutableElement`s, and changing one changes the tree. Only where your code asks for an
/// `Element` there, as `let copy: Element?` does, you get a frozen copy.
///
/// Arguments follow the query, one for each of its specifiers, in order (rule 6.1). You can also interpolate them in a
/// literal, which makes them values of a ``QueryLiteral``: `check("items<node=\(node)>")` does not read the content of
/// `node` as query text.
///
/// On a frozen element, `check` allocates nothing, and `findFirst` allocates nothing if the result is an element, even
/// with short arguments. The exceptions are text in several pieces, prefixes that have to be looked up, and regular
/// expressions, which may need memory on first use.
///
/// No other type can conform, because only this module can make the conformance's value.
public protocol QueryableElement: DataFormNode {
    /// Only this module can make it.
    static var _conformance: QueryConformance<Self> { get }

    // How each kind of element evaluates a query with its bound arguments and those of the call.

    func _results(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> [QueryResult<Self>]
    /// Of a query whose results are elements.
    func _elements(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> [Self]
    func _firstResult(
        of query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> QueryResult<Self>?
    func _hasResult(
        _ query: Program, _ bound: [QueryArgumentValue], _ values: _QueryArguments
    ) throws(QueryError) -> Bool
    /// Whether a query without arguments has a result; `nil` if that needs an evaluation.
    func _fastCheck(_ query: Program) -> Bool?
    /// Whether the query's first step shows that it has no result here, for any arguments. It is false for a query that
    /// takes another number of arguments, or arguments of certain types only.
    func _rulesOut(_ query: Program, argumentCount: Int) -> Bool
}

/// The arguments of a call.
@_documentation(visibility: internal)
public typealias _QueryArguments = UnsafeBufferPointer<QueryArgumentValue>

/// Marks the types that queries can be evaluated on. It has no public initializer.
public struct QueryConformance<Node: QueryableElement>: Sendable {
    fileprivate init() {}
}

extension Element: QueryableElement {
    public static var _conformance: QueryConformance<Element> { QueryConformance() }
}

extension MutableElement: QueryableElement {
    public static var _conformance: QueryConformance<MutableElement> { QueryConformance() }
}

extension QueryableElement {
    // MARK: Results of one type

    /// All results of a query, in document order (rule 2.1).
    ///
    /// - Throws: `QueryError` for arguments that do not fit (6.3), or a regular expression that exceeds its limit
    ///   (3.8).
    /// - Complexity: at most the number of segments times the number of elements of the tree (2.6).
    @_alwaysEmitIntoClient
    public func find<Output: QueryDecodable, each Argument: QueryArgument>(
        _ query: Query<Output>, _ arguments: repeat each Argument
    ) throws(QueryError) -> [Output] {
        try results(of: query.compiled, query.arguments, repeat each arguments).decoded()
    }

    /// The first result of a query, or nothing. Stops as soon as it is found. Throws as `find(_:_:)` does.
    ///
    /// ```swift
    /// let stamp = try message.findFirst(Query("{urn:xmpp:delay}delay@stamp|datetime", as: Date.self))
    /// ```
    @_alwaysEmitIntoClient
    public func findFirst<Output: QueryDecodable, each Argument: QueryArgument>(
        _ query: Query<Output>, _ arguments: repeat each Argument
    ) throws(QueryError) -> Output? {
        try firstDecoded(of: query.compiled, query.arguments, repeat each arguments)
    }

    /// Whether a query has a result, whether or not `Output` decodes it. Stops as soon as one is found. Throws as
    /// `find(_:_:)` does.
    @_alwaysEmitIntoClient
    public func check<Output: QueryDecodable, each Argument: QueryArgument>(
        _ query: Query<Output>, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool where Output._Existence == Void {
        try hasResult(query.compiled, query.arguments, repeat each arguments)
    }

    /// Does not compile, because it would be true for a result that is `false`. Write `findFirst(query) == true`.
    @available(*, unavailable, message: "'false' is a result, too: write 'findFirst(query) == true'")
    public func check<each Argument: QueryArgument>(
        _ query: Query<Bool>, _ arguments: repeat each Argument
    ) throws(QueryError) -> Bool {
        try findFirst(query, repeat each arguments) == true
    }

    // MARK: Results in the tree of this element

    /// All results of any kind, in document order. See `find(_:_:)`.
    @_alwaysEmitIntoClient
    public func find<each Argument: QueryArgument>(
        _ query: Query<QueryValue>, _ arguments: repeat each Argument
    ) throws(QueryError) -> [QueryResult<Self>] {
        try results(of: query.compiled, query.arguments, repeat each arguments)
    }

    /// The first result of any kind. See `findFirst(_:_:)`.
    @_alwaysEmitIntoClient
    public func findFirst<each Argument: QueryArgument>(
        _ query: Query<QueryValue>, _ arguments: repeat each Argument
    ) throws(QueryError) -> QueryResult<Self>? {
        try firstResult(of: query.compiled, query.arguments, repeat each arguments)
    }

    /// The elements that a query finds, in the tree of this element. See `find(_:_:)`.
    @_alwaysEmitIntoClient
    public func find<each Argument: QueryArgument>(
        _ query: Query<Element>, _ arguments: repeat each Argument
    ) throws(QueryError) -> [Self] {
        let count = query.arguments.count &+ argumentCount(repeat (each Argument).self)
        if _rulesOut(query.compiled, argumentCount: count) { return [] }
        return try withValues(of: repeat each arguments) { values throws(QueryError) in
            try _elements(of: query.compiled, query.arguments, values)
        }
    }

    /// The first element that a query finds, in the tree of this element. See `findFirst(_:_:)`.
    @_alwaysEmitIntoClient
    public func findFirst<each Argument: QueryArgument>(
        _ query: Query<Element>, _ arguments: repeat each Argument
    ) throws(QueryError) -> Self? {
        try firstResult(of: query.compiled, query.arguments, repeat each arguments)?.element
    }
}
