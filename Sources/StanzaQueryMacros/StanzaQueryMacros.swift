// The declarations of the macros. StanzaMacros/Queries expands them.

@_exported public import StanzaQuery

/// A query that the compiler checks, with results of a known type.
///
/// ```swift
/// let isComplete = try iq.findFirst(#query("{urn:xmpp:mam:2}fin@complete|bool")) == true
/// let count: Int? = try iq.findFirst(#query("{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/count#|int"))
/// for item in try iq.find(#query("{http://jabber.org/protocol/pubsub}pubsub/items<node=\(node)>/item")) {
///     ids.append(item["id"])
/// }
/// ```
///
/// A mistake in the text is an error of the compiler, which draws the query with its caret, and offers the repair. The
/// query only compares interpolated values and never reads them as a part of itself. A value may be a filter's value or
/// a part of it, a namespace, the name of an element or an attribute, or the name of a form field. `#query` takes no
/// format specifiers.
///
/// The program compiles the query on first use, once for its place in the program. Generic and inlinable code cannot
/// have storage of its own. Extensions, properties and closures that are default values of parameters may be such code,
/// which a macro cannot see. In all these places, a table of the process keeps the query, and finds it by the address
/// of its literal, without a lock.
///
/// The type of the results follows from the context, as in the second line, or you write it between angle brackets:
/// `#query<Int>("…|int")`. Without either, the results are elements. (The compiler decides a macro's type before it
/// reads the text.) A type that differs from the type of the text is an error. `#queries` makes properties whose types
/// follow from the text alone. `QueryDecodable` lists the type for each text.
///
/// Write a type of your own between the angle brackets: `#query<Role>("…/item@role")`. The compiler cannot compare it
/// with the text. If it does not take the results, each evaluation throws a `QueryError` of the kind `resultType`.
@freestanding(expression)
public macro query<Output: QueryDecodable>(_ text: QueryLiteral?) -> Query<Output> =
    #externalMacro(module: "StanzaMacros", type: "QueryMacro")

/// A query for elements that the compiler checks: the form of `#query` without a known type of the results.
@freestanding(expression)
public macro query(_ text: QueryLiteral) -> Query<Element> =
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
/// Here `isComplete` is a `Query<Bool>`, `last` a `Query<String>` and `results` a `Query<Element>`.
/// Nothing can be interpolated in them.
@freestanding(declaration, names: arbitrary)
public macro queries(_ queries: KeyValuePairs<StaticString, QueryLiteral>) =
    #externalMacro(module: "StanzaMacros", type: "QueriesMacro")
