// The declarations of the macros. StanzaMacros/Queries expands them.
//
// The optionals order the forms of `#query`: where several fit, the compiler takes the one with the fewest.

@_exported public import StanzaQuery

/// A query that the compiler checks, with results of a known type. Its evaluation takes no `try`.
///
/// ```swift
/// let isComplete = iq.findFirst(#query("{urn:xmpp:mam:2}fin@complete|bool")) == true
/// let count: Int? = iq.findFirst(#query("{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/count#|int"))
/// for item in iq.find(#query("{http://jabber.org/protocol/pubsub}pubsub/items<node=\(node)>/item")) {
///     ids.append(item["id"])
/// }
/// ```
///
/// A mistake in the text is an error of the compiler, which draws the query with its caret, and offers the repair. The
/// query only compares interpolated values and never reads them as a part of itself. A value may be a filter's value or
/// a part of it, a namespace, the name of an element or an attribute, or the name of a form field. `#query` takes no
/// format specifiers. A text with a regular expression is one of `#query(regex:)`.
///
/// The program compiles the query on first use. A table of the process keeps it, and finds it by the address of its
/// literal, without a lock.
///
/// The type of the results follows from the context, as in the second line, or you write it between angle brackets:
/// `#query<Int>("…|int")`. Without either, the results are elements; `check` takes a query of any type without one.
/// (The compiler decides a macro's type before it reads the text.) A type that differs from the type of the text is an
/// error. `#queries` makes properties whose types follow from the text alone. `QueryDecodable` lists the types for each
/// text.
///
/// Write a type of your own between the angle brackets: `#query<Role>("…/item@role")`. The compiler cannot compare it
/// with the text. If it does not take the results, the first evaluation stops the program.
///
/// - Parameters:
///   - text: The query, as a literal.
///   - options: Constants. Conversions are strict, unless `lenient` is among them.
@freestanding(expression)
public macro query<Output: QueryDecodable>(_ text: QueryLiteral??, options: QueryOptions = []) -> CheckedQuery<Output> =
    #externalMacro(module: "StanzaMacros", type: "QueryMacro")

/// A query for elements that the compiler checks: the form of `#query` without a known type of the results.
@freestanding(expression)
public macro query(_ text: QueryLiteral, options: QueryOptions = []) -> CheckedQuery<Element> =
    #externalMacro(module: "StanzaMacros", type: "ElementQueryMacro")

/// A query that the compiler checks, for `check(#query("…"))`: its results may be of any kind.
@freestanding(expression)
public macro query(_ text: QueryLiteral?, options: QueryOptions = []) -> CheckedQuery<QueryValue> =
    #externalMacro(module: "StanzaMacros", type: "ExistenceQueryMacro")

/// A query with a regular expression that the compiler checks. Its evaluation throws if the expression exceeds its
/// limit. See `query(_:options:)`.
///
/// ```swift
/// let isMetadata = try items.check(#query(regex: "/<node~^urn:xmpp:.*metadata$>"))
/// ```
@freestanding(expression)
public macro query<Output: QueryDecodable>(regex text: QueryLiteral?, options: QueryOptions = []) -> Query<Output> =
    #externalMacro(module: "StanzaMacros", type: "QueryMacro")

/// A query for elements with a regular expression, the form without a known type of the results.
@freestanding(expression)
public macro query(regex text: QueryLiteral, options: QueryOptions = []) -> Query<Element> =
    #externalMacro(module: "StanzaMacros", type: "ElementQueryMacro")

/// Static properties for queries that the compiler checks. Their types follow from the texts.
///
/// ```swift
/// enum ArchiveQueries {
///     #queries([
///         "isComplete": "{urn:xmpp:mam:2}fin@complete|bool",
///         "last": "{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/last#",
///         "results": "{urn:xmpp:mam:2}result",
///     ])
/// }
/// ```
///
/// Here `isComplete` is a `CheckedQuery<Bool>`, and `last` a `CheckedQuery<String>`. A text with a regular expression
/// makes a `Query`, whose evaluation throws. Nothing can be interpolated in them.
@freestanding(declaration, names: arbitrary)
public macro queries(_ queries: KeyValuePairs<StaticString, QueryLiteral>, options: QueryOptions = []) =
    #externalMacro(module: "StanzaMacros", type: "QueriesMacro")
