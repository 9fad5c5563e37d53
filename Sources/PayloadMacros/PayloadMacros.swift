// The declarations of the macros. StanzaMacros/Payloads, in the compiler plugin of this package, expands them.

@_exported public import Payloads

/// Makes a structure or an enumeration a payload: its conformance to `Payload`.
///
/// ```swift
/// @Payload("{urn:xmpp:delay}delay")
/// struct Delay {
///     @Attribute var from: JID?
///     @Attribute var stamp: Date
///     @Text var reason: String?
/// }
/// ```
///
/// ```swift
/// let delay = try Delay(element)
/// let again = try Element(delay)
/// ```
///
/// Stored properties with a mark are the members of the payload; others need a value of their own. The type of a
/// property decides whether its content may be missing or repeated: `Value` must exist, unless the property has a value
/// in the source; `Value?` may be missing; `[Value]` has any number. Members are written in the order of the source.
///
/// The cases of an enumeration are elements, or the values of an attribute:
///
/// ```swift
/// @Payload("{http://jabber.org/protocol/chatstates}")
/// enum ChatState { case active, composing, paused, inactive, gone }
///
/// @Payload("{jabber:client}presence", by: "type")
/// enum Subscription {
///     case subscribe, subscribed, unsubscribe, unsubscribed
///     @Case(nil) case available
/// }
/// ```
///
/// A case may have another payload as its value. By the element's name, it has the names of that payload; by an
/// attribute, the payload is read from the same element. An enumeration whose cases all have a payload takes no name.
///
/// - Parameters:
///   - name: The element's name, as `{namespace}name`; of an enumeration of elements, their namespace, as
///     `{namespace}`.
///   - attribute: The attribute that chooses the case.
///   - refusesOthers: Whether an attribute, a child element or a text that no member reads is an error. Otherwise it is
///     ignored.
@attached(
    extension, conformances: Payload, names: named(payloadName), named(alternativeNames), named(elementName),
    named(init(from:)), named(encode(to:)))
public macro Payload(_ name: StaticString? = nil, by attribute: StaticString? = nil, refusesOthers: Bool = false) =
    #externalMacro(module: "StanzaMacros", type: "PayloadMacro")

/// Makes a stored property the value of an attribute.
///
/// - Parameter name: The attribute's name: `name`, `xml:name` or `{namespace}name`; without it, the name of the
///   property.
@attached(peer)
public macro Attribute(_ name: StaticString? = nil) = #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")

/// Makes a stored property the element's own text. An optional is `nil` for an element without text.
@attached(peer)
public macro Text() = #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")

/// Makes a stored property a child element.
///
/// | mark and type | the child elements |
/// | --- | --- |
/// | `@Child var delay: Delay?` | the payload, by its own names |
/// | `@Child("subject") var subject: String?` | the text of `<subject/>` |
/// | `@Child("status", attribute: "code") var codes: [Int]` | an attribute of `<status/>` |
/// | `@Child("body") var bodies: LocalizedText` | `<body/>` in each language, by `xml:lang` |
/// | `@Child("x") var other: Element?` | `<x/>` itself |
///
/// - Parameters:
///   - name: The child's name, in the namespace of the element, or as `{namespace}name`.
///   - attribute: The attribute of the child that has the value, in place of its text.
///   - wrapper: A child element around these. It is written if it has content.
@attached(peer)
public macro Child(_ name: StaticString? = nil, attribute: StaticString? = nil, in wrapper: StaticString? = nil) =
    #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")

/// Makes a stored `Bool` a flag: the child element of this name exists. It is written without content.
///
/// - Parameter name: The child's name, as of ``Child(_:attribute:in:)``; without it, the name of the property.
@attached(peer)
public macro Flag(_ name: StaticString? = nil) = #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")

/// Makes a stored property a data form (XEP-0004): a `DataForm`, or a structure with `@DataForm`, which is found by its
/// FORM_TYPE.
///
/// - Parameter kind: The kind of form that a structure is written as. A `DataForm` has its own.
@attached(peer)
public macro Form(_ kind: DataForm.Kind = .submit) = #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")

/// Makes a stored property the child elements that the members before it do not read: `[Element]`, or `Element?` for
/// one at most.
@attached(peer)
public macro Rest() = #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")

/// Makes a stored property the result of a query on the element, an optional or an array. It is read only: writing the
/// payload leaves it out.
///
/// ```swift
/// @Payload("{jabber:client}message")
/// struct Carbon {
///     @Query("{urn:xmpp:carbons:2}received/{urn:xmpp:forward:0}forwarded/{jabber:client}message/body#") var body: String?
/// }
/// ```
///
/// The compiler checks the query and its type, as those of `#query`.
///
/// - Parameters:
///   - text: The query, as a literal.
///   - options: Constants.
@attached(peer)
public macro Query(_ text: QueryLiteral, options: QueryOptions = []) =
    #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")

/// Gives a case of an enumeration another name than its own.
///
/// - Parameter name: The name of the element, without its namespace, or the value of the attribute; `nil` if the
///   element has no such attribute.
@attached(peer)
public macro Case(_ name: StaticString?) = #externalMacro(module: "StanzaMacros", type: "PayloadMarkMacro")
