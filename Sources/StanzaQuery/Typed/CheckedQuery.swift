// The expansion of `#query`: a query that the compiler has checked, compiled once for its place in the program.

public import FormModel
public import Foundation
import QuerySyntax
public import XMLTree

/// A query in the program's text that the compiler has checked.
///
/// Only `#query` should write it, because the macro has compared the query with its type, and its values with its
/// slots. If they do not fit together, the program stops.
public struct CheckedQuery<Value: TypedQueryResult>: Sendable {
    private let template: Result<QueryTemplate, QueryError>

    private init(_ compile: () throws(QueryError) -> QueryTemplate) {
        do throws(QueryError) {
            let compiled = try compile()
            Self.demandType(compiled.resultKind)
            template = .success(compiled)
        } catch {
            template = .failure(error)
        }
    }

    /// The macro has compared type and text.
    private static func demandType(_ kind: ResultKind) {
        let accepted = Value.queryResultKinds(on: Element.self)
        precondition(accepted.contains(ResultKinds(kind)), "the query gives no \(Value.self), but \(kind.rawValue)")
    }

    /// Compiles a query. An invalid query throws when it is evaluated.
    ///
    /// - Parameter pieces: The text, cut at every slot.
    /// - Precondition: The results of the query are of the type `Value`.
    public init(_ pieces: String...) {
        self.init { () throws(QueryError) in try QueryTemplate(QueryText(pieces)) }
    }

    /// A query without slots, kept in the cache of this process: for places that have no storage of their own.
    ///
    /// - Precondition: The results of the query are of the type `Value`. It also has no specifiers, such as `%@`: every
    ///   evaluation would lack their arguments and throw.
    public static func literal(_ text: StaticString) -> TypedQuery<Value> {
        do throws(QueryError) {
            let query = try Query(literal: text)
            demandType(query.resultKind)
            return TypedQuery(.success(query), [])
        } catch {
            return TypedQuery(.failure(error), [])
        }
    }

    /// The same with slots.
    ///
    /// - Parameter text: The offsets of the slots, in bytes of the rest, then all pieces as one text:
    ///   `"4 10:a<b=>/c<d=>#"` is `a<b=•>/c<d=•>#`. So the whole query is one literal, and its address identifies it.
    public static func cached(_ text: StaticString) -> CheckedQuery {
        CheckedQuery { () throws(QueryError) in try TemplateCache.template(text) }
    }

    /// The value of a slot: an argument, or a fallback text without one.
    public static func argument(
        _ value: (any QueryArgument)?, default text: @autoclosure () -> some StringProtocol
    ) -> QueryArgumentValue {
        value?.queryArgument ?? String(text()).queryArgument
    }

    /// The query with the values of its slots, in order.
    ///
    /// - Precondition: There is one value for each slot.
    public func callAsFunction(_ values: QueryArgumentValue...) -> TypedQuery<Value> {
        switch template {
        case .failure(let error): return TypedQuery(.failure(error), [])
        case .success(let template):
            let (query, arguments) = template.binding(values)
            return TypedQuery(.success(query), arguments)
        }
    }
}

extension QueryText {
    fileprivate init(_ pieces: [String]) {
        self.init(pieces.first ?? "")
        for piece in pieces.dropFirst() {
            appendSlot()
            append(piece)
        }
    }

    /// Reads the text of `CheckedQuery.cached`. Invalid places stop the program: only `#query` writes them.
    init(encoded text: StaticString) {
        let bytes = text.withUTF8Buffer { Array($0) }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        precondition(parts.count == 2, "there are places, and a text")
        let places = parts[0].split(separator: UInt8(ascii: " ")).map { Int(String(decoding: $0, as: UTF8.self)) }
        var start = parts[1].startIndex
        var pieces: [String] = []
        for place in places + [parts[1].count] {
            guard let place, start <= parts[1].startIndex + place, place <= parts[1].count else {
                preconditionFailure("the slots are in the text, in order")
            }
            let end = parts[1].startIndex + place
            pieces.append(String(decoding: parts[1][start..<end], as: UTF8.self))
            start = end
        }
        self.init(pieces)
    }
}

/// The types of results as `#query` calls them, wherever you use it: you need not import their modules, and a type of
/// your program may have the same name.
public enum QueryResultTypes {
    /// Of queries for elements.
    public typealias TreeElement = Element
    /// Of strings: of `#`, `@a` and other extractions without a conversion.
    public typealias Text = String
    /// Of `@@`.
    public typealias Attributes = StringMap
    /// Of `\\`.
    public typealias Form = DataForm
    /// Of `\&f\`.
    public typealias Field = FormField
    /// Of `|bool`.
    public typealias Boolean = Bool
    /// Of `|int`.
    public typealias Integer = Int
    /// Of `|uint`.
    public typealias UnsignedInteger = UInt
    /// Of `|double`.
    public typealias FloatingPoint = Double
    /// Of `|datetime`.
    public typealias Datetime = Date
    /// Of `|base64`.
    public typealias Base64 = Data
    /// Of `|uuid`.
    public typealias Identifier = UUID
}
