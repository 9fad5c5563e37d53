// Structures that are elements: the protocol, and the calls that read and write them in the engine's words.
//
// A payload knows nothing of the tree: PayloadReader.swift reads it for the payload, PayloadWriter.swift writes it. The
// macro `@Payload`, of the module PayloadMacros, writes conformances.

public import StanzaQuery
public import XMLTree

/// A type that can be read from an element and written as one.
///
/// ```swift
/// struct Delay: Payload {
///     static let payloadName: PayloadName = "{urn:xmpp:delay}delay"
///     var from: JID?
///     var stamp: Date
///     var reason: String?
///
///     init(from reader: PayloadReader) throws(PayloadError) {
///         from = try reader.attribute("from")
///         stamp = try reader.attribute("stamp")
///         reason = try reader.text()
///     }
///
///     func encode(to writer: PayloadWriter) throws(PayloadError) {
///         try writer.attribute("from", from)
///         try writer.attribute("stamp", stamp)
///         try writer.text(reason)
///     }
/// }
/// ```
///
/// The macro `@Payload` writes the same. Content that no member reads is ignored, unless `refusesOthers` is given.
public protocol Payload {
    /// The name of the payload's element.
    static var payloadName: PayloadName { get }

    /// The other names of elements that are read: those of a choice, such as an enumeration whose cases are elements.
    static var alternativeNames: [PayloadName] { get }

    /// Reads the members of an element that has one of the names.
    init(from reader: PayloadReader) throws(PayloadError)

    /// The name of this value's element.
    var elementName: PayloadName { get }

    /// Writes the members into an element of that name, which is new.
    func encode(to writer: PayloadWriter) throws(PayloadError)
}

extension Payload {
    @inlinable public static var alternativeNames: [PayloadName] { [] }
    public var elementName: PayloadName { Self.payloadName }

    /// Whether an element has one of the names.
    package static func isNamed(_ element: some QueryableElement) -> Bool {
        PayloadReader(element)._isNamed(as: Self.self)
    }

    /// Reads an element, frozen or editable.
    ///
    /// ```swift
    /// let delay = try Delay(element)
    /// ```
    ///
    /// - Throws: `PayloadError` for an element of another name, and for content that does not fit.
    /// - Complexity: linear in the element's attributes and child elements, for each member.
    @inlinable
    public init(_ element: some QueryableElement) throws(PayloadError) {
        let reader = PayloadReader(element)
        guard reader._isNamed(as: Self.self) else { throw reader._noCase(of: Self.self) }
        try self.init(from: reader)
    }
}

extension MutableElement {
    /// Makes the element of a payload, the root of its own tree.
    ///
    /// - Throws: `PayloadError` for a value without a text, such as a date after the year 9999.
    public convenience init(_ payload: some Payload) throws(PayloadError) {
        let name = payload.elementName
        self.init(XMLName(known: name.name), namespace: .uri(name.namespace))
        try payload.encode(to: PayloadWriter(self))
    }

    /// Writes a payload as the last child, and returns the child. If that fails, the element stays as it was.
    ///
    /// ```swift
    /// try message.add(Delay(from: room, stamp: now))
    /// ```
    ///
    /// - Throws: `PayloadError` for a value without a text, such as a date after the year 9999.
    @discardableResult
    public func add(_ payload: some Payload) throws(PayloadError) -> MutableElement {
        let name = payload.elementName
        let child = addChild(XMLName(known: name.name), namespace: .uri(name.namespace))
        do throws(PayloadError) {
            try payload.encode(to: PayloadWriter(child))
        } catch {
            child.remove()
            throw error
        }
        return child
    }
}

extension Element {
    /// Makes the element of a payload.
    ///
    /// ```swift
    /// let element = try Element(delay)
    /// ```
    ///
    /// - Throws: `PayloadError` for a value without a text, such as a date after the year 9999.
    public init(_ payload: some Payload) throws(PayloadError) {
        self = try MutableElement(payload).freeze()
    }
}

extension QueryableElement {
    /// The first child element that is such a payload; `nil` if there is none.
    ///
    /// ```swift
    /// let sent = try message.first(Delay.self)?.stamp
    /// ```
    ///
    /// - Throws: `PayloadError` for a child element of that name whose content does not fit.
    /// - Complexity: linear in the child elements up to it.
    @inlinable
    public func first<P: Payload>(_ type: P.Type) throws(PayloadError) -> P? {
        let reader = PayloadReader(self)
        guard let child = reader.child(P.payloadName, or: P.alternativeNames, after: nil) else { return nil }
        return try P(from: reader.at(child))
    }

    /// All child elements that are such payloads, in order.
    ///
    /// - Throws: `PayloadError` for a child element of that name whose content does not fit.
    @inlinable
    public func all<P: Payload>(_ type: P.Type) throws(PayloadError) -> [P] { try PayloadReader(self).child() }

    /// The first element that a query finds, as a payload.
    ///
    /// ```swift
    /// let delay = try message.findFirst(
    ///     "{urn:xmpp:carbons:2}received/{urn:xmpp:forward:0}forwarded/{urn:xmpp:delay}delay", as: Delay.self)
    /// ```
    ///
    /// - Throws: `QueryError` as `findFirst(_:_:options:)` does, and `PayloadError` for an element of another name, and
    ///   for content that does not fit.
    public func findFirst<P: Payload, each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: P.Type, options: QueryOptions = []
    ) throws -> P? {
        try findFirst(query, repeat each arguments, as: Element.self, options: options).map { try P($0) }
    }

    /// The elements that a query finds, as payloads.
    ///
    /// - Throws: as `findFirst(_:_:as:options:)` of a payload does. Throws for the first element that does not fit.
    public func find<P: Payload, each Argument: QueryArgument>(
        _ query: QueryLiteral, _ arguments: repeat each Argument, as type: P.Type, options: QueryOptions = []
    ) throws -> [P] {
        try find(query, repeat each arguments, as: Element.self, options: options).map { try P($0) }
    }
}
