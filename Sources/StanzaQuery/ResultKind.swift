// The kinds of a query's results: known from the query alone.

/// The kind of all results of a query.
public enum ResultKind: String, Sendable, Hashable, CaseIterable {
    case element, string, attributes, bool, int, uint, double, datetime, base64, uuid, form, field
}

/// A set of kinds of results. It allocates no memory, so that a request for results of a type is free.
public struct ResultKinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    @inlinable public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The set with that one kind.
    @inlinable public init(_ kind: ResultKind) {
        switch kind {
        case .element: self = .element
        case .string: self = .string
        case .attributes: self = .attributes
        case .bool: self = .bool
        case .int: self = .int
        case .uint: self = .uint
        case .double: self = .double
        case .datetime: self = .datetime
        case .base64: self = .base64
        case .uuid: self = .uuid
        case .form: self = .form
        case .field: self = .field
        }
    }

    @inlinable public static var element: ResultKinds { ResultKinds(rawValue: 1 << 0) }
    @inlinable public static var string: ResultKinds { ResultKinds(rawValue: 1 << 1) }
    @inlinable public static var attributes: ResultKinds { ResultKinds(rawValue: 1 << 2) }
    @inlinable public static var bool: ResultKinds { ResultKinds(rawValue: 1 << 3) }
    @inlinable public static var int: ResultKinds { ResultKinds(rawValue: 1 << 4) }
    @inlinable public static var uint: ResultKinds { ResultKinds(rawValue: 1 << 5) }
    @inlinable public static var double: ResultKinds { ResultKinds(rawValue: 1 << 6) }
    @inlinable public static var datetime: ResultKinds { ResultKinds(rawValue: 1 << 7) }
    @inlinable public static var base64: ResultKinds { ResultKinds(rawValue: 1 << 8) }
    @inlinable public static var uuid: ResultKinds { ResultKinds(rawValue: 1 << 9) }
    @inlinable public static var form: ResultKinds { ResultKinds(rawValue: 1 << 10) }
    @inlinable public static var field: ResultKinds { ResultKinds(rawValue: 1 << 11) }
}
