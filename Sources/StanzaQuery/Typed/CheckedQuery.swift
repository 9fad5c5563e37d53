// Queries that the compiler has checked: `#query` makes them, and their evaluations cannot fail.
//
// CheckedTemplate.swift is what the macro expands to.

public import XMLTree

/// A query that the compiler has checked. Its evaluation cannot fail, so `find`, `findFirst` and `check` of it take no
/// `try`.
///
/// ```swift
/// if let id: String = iq.findFirst(#query("/@id")) { ids.append(id) }
/// ```
///
/// `#query(regex: "…")` makes a ``Query`` instead, because a regular expression may exceed its limit.
public struct CheckedQuery<Output: QueryDecodable>: Sendable {
    /// The same query for the places that take any: sets, routes and `results(of:)`.
    public let query: Query<Output>

    @inlinable
    init(_ query: Query<Output>) { self.query = query }
}

extension QueryableElement {
    /// All results of a query, in document order (rule 2.1).
    ///
    /// - Complexity: at most the number of segments times the number of elements of the tree (2.6).
    @_alwaysEmitIntoClient @inline(__always)
    public func find<Output: QueryDecodable>(_ query: CheckedQuery<Output>) -> [Output] {
        succeeding { () throws(QueryError) in try find(query.query) }
    }

    /// The first result of a query, or nothing. Stops as soon as it is found.
    @_alwaysEmitIntoClient @inline(__always)
    public func findFirst<Output: QueryDecodable>(_ query: CheckedQuery<Output>) -> Output? {
        succeeding { () throws(QueryError) in try findFirst(query.query) }
    }

    /// The elements that a query finds, in the tree of this element.
    @_alwaysEmitIntoClient @inline(__always)
    public func find(_ query: CheckedQuery<Element>) -> [Self] {
        succeeding { () throws(QueryError) in try find(query.query) }
    }

    /// The first element that a query finds, in the tree of this element.
    @_alwaysEmitIntoClient @inline(__always)
    public func findFirst(_ query: CheckedQuery<Element>) -> Self? {
        succeeding { () throws(QueryError) in try findFirst(query.query) }
    }

    /// Whether a query has a result, whether or not `Output` decodes it. Stops as soon as one is found.
    @_disfavoredOverload @_alwaysEmitIntoClient @inline(__always)
    public func check<Output: QueryDecodable>(_ query: CheckedQuery<Output>) -> Bool where Output._Existence == Void {
        succeeding { () throws(QueryError) in try check(query.query) }
    }

    /// Whether a query has a result. The form for `check(#query("…"))`: it needs no type.
    @_alwaysEmitIntoClient @inline(__always)
    public func check(_ query: CheckedQuery<QueryValue>) -> Bool {
        succeeding { () throws(QueryError) in try check(query.query) }
    }

    /// Does not compile, because it would be true for a result that is `false`. Write `findFirst(query) == true`.
    @available(*, unavailable, message: "'false' is a result, too: write 'findFirst(query) == true'")
    public func check(_ query: CheckedQuery<Bool>) -> Bool { findFirst(query) == true }
}

/// The result of an evaluation that cannot fail.
@_alwaysEmitIntoClient @inline(__always)
func succeeding<Result>(_ evaluate: () throws(QueryError) -> Result) -> Result {
    do throws(QueryError) { return try evaluate() } catch { stop(error) }
}

/// The compiler has checked the text, its arguments fit, and it has no regular expression. It cannot compare a type of
/// the program with the text.
@usableFromInline @inline(never)
func stop(_ error: QueryError) -> Never { preconditionFailure("#query: \(error)") }
