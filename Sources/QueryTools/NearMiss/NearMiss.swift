// Why a query found nothing: how far it got on the stanzas that it fits best, what stopped it there, and a query that
// finds something in them.
//
// Obstacle.swift describes what stopped the query, and Obstacle+Repairs.swift proposes other queries. This file runs
// them: no repair is offered that finds nothing.

import QuerySyntax
public import StanzaQuery
public import XMLTree

/// The reasons for which a query found nothing, and a repair.
///
/// ```swift
/// let stanza = try Element(parsing: "<iq xmlns='jabber:client'><query xmlns='jabber:iq:version'/></iq>")
/// let miss = try Query("/iq/query").nearMiss(on: stanza)
/// ```
///
/// The description of this one is
///
/// ```text
/// no `query` in jabber:client; 1 in {jabber:iq:version}: write `/iq/{jabber:iq:version}query`
/// ```
public struct NearMiss: Sendable, Hashable, CustomStringConvertible {
    /// The obstacles: that of the query, then those of the repaired query.
    public let reasons: [String]
    /// A similar query that finds something; `nil` if none is known.
    public let repair: String?

    /// The reasons and the repair as one sentence.
    public var description: String {
        reasons.joined(separator: "; ") + (repair.map { ": write `\(escapedText($0))`" } ?? "")
    }
}

/// Looks at stanzas for the reason why a query finds nothing in them.
///
/// ```swift
/// var search = NearMissSearch(for: try Query("message/body#"))
/// for stanza in stanzas { try search.add(stanza) }
/// let miss = search.nearMiss
/// ```
public struct NearMissSearch: Sendable {
    private let query: Query<QueryValue>
    private let arguments: [QueryArgumentValue]
    /// The step that no stanza passed; `nil` before the first stanza.
    private var obstacle: Obstacle?
    /// Some of the stanzas that reached the furthest step, to try repairs on: the first ones, and then those with
    /// something that the ones before them lack.
    private var sample: [Element] = []
    /// The hashes of the paths and attributes in the sample.
    private var shapes: Set<Int> = []
    /// Whether a stanza had a result. The search then needs no more stanzas.
    public private(set) var hasFound = false

    /// So many stanzas of different shapes show most ways to write a thing. A repair runs on them within milliseconds.
    static let maximumSample = 256
    /// The first stanzas are kept for their values.
    private static let firstSample = 64
    /// Of a stranger's names, only the first count.
    private static let maximumShapes = 10_000
    /// The elements of a stanza that count: those of most stanzas, and no more than is quick to look at.
    static let maximumElements = 256
    /// A query rarely has more mistakes than this.
    private static let maximumReasons = 4

    /// A search that has seen no stanza.
    ///
    /// - Parameters:
    ///   - query: The query that finds nothing.
    ///   - arguments: The values of its specifiers.
    public init<Output>(for query: Query<Output>, arguments: [any QueryArgument] = []) {
        self.query = Query(query)
        self.arguments = arguments.map(\.queryArgument)
    }

    /// Evaluates the query on a stanza, and notes the obstacle.
    ///
    /// - Returns: Whether the query got further than on any stanza before.
    /// - Throws: The errors of `QueryableElement.find(_:_:)`; the stanza then does not count.
    @discardableResult
    public mutating func add(_ stanza: Element) throws(QueryError) -> Bool {
        if hasFound { return false }
        var address = -1
        var nodes: [NodeIndex] = []
        var isFound = false
        try query.observe(
            stanza, arguments,
            { event in
                guard case .runs(let step, let node, isAdvancing: false) = event, step >= address else { return }
                if step > address {
                    address = step
                    nodes.removeAll(keepingCapacity: true)
                }
                if nodes.count < Self.maximumElements { nodes.append(node) }
            }
        ) { _ in
            isFound = true
            return false
        }
        hasFound = isFound
        if isFound { return true }
        let isFurther = address > furthest
        if address < furthest { return false }
        if isFurther {
            obstacle = Obstacle(at: address, in: query.program)
            (sample, shapes) = ([], [])
        }
        let isNew = hasNewShape(stanza)
        let isKept = sample.count < (isNew ? Self.maximumSample : Self.firstSample)
        obstacle?.add(nodes.map { stanza.element(at: $0) }, isKept: isKept)
        if isKept { sample.append(stanza) }
        return isFurther
    }

    /// Notes the paths and attributes of a stanza, for each type of stanza. Returns whether one is new.
    private mutating func hasNewShape(_ stanza: Element) -> Bool {
        var isNew = false
        var waiting = [(element: stanza, path: stanza["type"].hashValue)]
        for _ in 0..<Self.maximumElements {
            guard let (element, parent) = waiting.popLast() else { break }
            let path = [parent, QualifiedName(element).hashValue].hashValue
            for shape in [path] + element.attributes.map({ [path, $0.name.hashValue].hashValue }) {
                if shapes.count < Self.maximumShapes { isNew = shapes.insert(shape).inserted || isNew }
            }
            waiting += element.children.prefix(Self.maximumElements).map { ($0, path) }.reversed()
        }
        return isNew
    }

    private var furthest: Int { obstacle?.address ?? -1 }

    /// The reason for which no stanza so far has a result; `nil` if one has, or there was none.
    public var nearMiss: NearMiss? { nearMiss(depth: 1) }

    private func nearMiss(depth: Int) -> NearMiss? {
        guard !hasFound, let finding = obstacle?.finding else { return nil }
        var next: NearMiss?
        for (repair, reason) in finding.repairs {
            guard let query = try? Query<QueryValue>(repair, options: query.program.options) else { continue }
            var search = NearMissSearch(for: query, arguments: arguments)
            for stanza in sample { _ = try? search.add(stanza) }
            if search.hasFound { return NearMiss(reasons: [reason ?? finding.reason], repair: repair) }
            // It meets another obstacle.
            if next == nil, depth < Self.maximumReasons {
                let miss = search.nearMiss(depth: depth + 1)
                if miss?.repair != nil || search.furthest > furthest { next = miss }
            }
        }
        return NearMiss(reasons: [finding.reason] + (next?.reasons ?? []), repair: next?.repair)
    }
}

extension Query {
    /// The reason for which the query finds nothing in an element, and a query that does.
    ///
    /// - Returns: `nil` if the query finds something.
    /// - Throws: The errors of `QueryableElement.find(_:_:)`.
    public func nearMiss(on element: Element, arguments: [any QueryArgument] = []) throws(QueryError) -> NearMiss? {
        var search = NearMissSearch(for: self, arguments: arguments)
        try search.add(element)
        return search.nearMiss
    }
}
