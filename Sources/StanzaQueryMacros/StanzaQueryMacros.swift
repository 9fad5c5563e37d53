// The declarations of the macros. What they expand to is StanzaMacroExpansions/Queries.

@_exported public import StanzaQuery

/// A query that the compiler checks, with results of a known type.
///
/// ```swift
/// let isComplete = try iq.holds(#query("{urn:xmpp:mam:2}fin@complete|bool"))
/// let count: Int? = try iq.first(#query("{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/count#|int"))
/// for item in try iq.all(#query("{http://jabber.org/protocol/pubsub}pubsub/items<node=\(node)>/item")) {
///     ids.append(item["id"])
/// }
/// ```
///
/// What is wrong with the text is an error of the compiler, which draws the query with its caret, and offers the
/// repair. What is interpolated is compared and never read as a part of the query; it may be a filter's value or a part
/// of it, a namespace, the name of an element or an attribute, or the name of a form field. Format specifiers are not
/// used here.
///
/// The query is compiled when it is first used, once for its place in the program. Generic and inlinable code cannot
/// have storage of its own, nor can extensions, properties and closures that are default values of parameters, of which
/// a macro does not see whether they are such code: there the query is kept in a table of the process, where it is
/// found by the address of its literal, without a lock.
///
/// The type of the results follows from the context, as in the second line, or stands between angle brackets:
/// `#query<Int>("…|int")`. Where nothing tells the type, the results are elements. (The compiler decides a macro's type
/// before it reads the text.) A type that is not the one that the text gives is an error. `#queries` makes properties
/// whose types follow from the text alone. Which text gives which type, `TypedQueryResult` tells.
@freestanding(expression)
public macro query<Value: TypedQueryResult>(_ text: InterpolatedQuery?) -> TypedQuery<Value> =
    #externalMacro(module: "StanzaMacros", type: "QueryMacro")

/// A query for elements that the compiler checks: what `#query` is where nothing tells the type of the results.
@freestanding(expression)
public macro query(_ text: InterpolatedQuery) -> TypedQuery<Element> =
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
/// Here `isComplete` is a `TypedQuery<Bool>`, `last` a `TypedQuery<String>` and `results` a `TypedQuery<Element>`.
/// Nothing can be interpolated in them.
@freestanding(declaration, names: arbitrary)
public macro queries(_ queries: KeyValuePairs<StaticString, InterpolatedQuery>) =
    #externalMacro(module: "StanzaMacros", type: "QueriesMacro")
