// What `#query` expands to: a query that the compiler has checked, compiled once for its place in the program.

public import FormModel
public import Foundation
import QuerySyntax
public import XMLTree

/// A query in the program's text that the compiler has checked.
///
/// `#query` writes it, and nobody else should: it has compared the query with its type, and its values with its slots.
/// Where they do not fit together, the program stops.
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

    /// Compiles a query. One that is wrong throws when it is evaluated.
    ///
    /// - Parameter pieces: The text, cut at every slot.
    /// - Precondition: The results of the query are of the type `Value`.
    public init(_ pieces: String...) {
        self.init { () throws(QueryError) in try QueryTemplate(QueryText(pieces)) }
    }

    /// A query without slots, kept in the cache of this process: for places that have no storage of their own.
    ///
    /// - Precondition: The results of the query are of the type `Value`. It has no specifiers either, such as `%@`:
    ///   their arguments would be missing at every evaluation, which throws then.
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
    /// - Parameter text: All pieces behind each other, behind the places where slots stand, in bytes from there:
    ///   `"4 10:a<b=>/c<d=>#"` is `a<b=•>/c<d=•>#`. So it is one literal, which is known by its address.
    public static func cached(_ text: StaticString) -> CheckedQuery {
        CheckedQuery { () throws(QueryError) in try TemplateCache.template(text) }
    }

    /// What a slot is bound to: a value, or a text where there is none.
    public static func argument(
        _ value: (any QueryArgument)?, default text: @autoclosure () -> some StringProtocol
    ) -> QueryArgumentValue {
        value?.queryArgument ?? String(text()).queryArgument
    }

    /// The query with what its slots are bound to, in order.
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

    /// Reads what `CheckedQuery.cached` is given. Places that are none stop the program: only `#query` writes them.
    init(encoded text: StaticString) {
        let bytes = text.withUTF8Buffer { Array($0) }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        precondition(parts.count == 2, "there are places, and a text")
        let places = parts[0].split(separator: UInt8(ascii: " ")).map { Int(String(decoding: $0, as: UTF8.self)) }
        var start = parts[1].startIndex
        var pieces: [String] = []
        for place in places + [parts[1].count] {
            guard let place, start <= parts[1].startIndex + place, place <= parts[1].count else {
                preconditionFailure("slots stand in the text, in order")
            }
            let end = parts[1].startIndex + place
            pieces.append(String(decoding: parts[1][start..<end], as: UTF8.self))
            start = end
        }
        self.init(pieces)
    }
}

/// The types of results as `#query` calls them, wherever it is used: their modules need not be imported, and a type of
/// the program may have the name of one.
public enum QueryResultTypes {
    /// Of queries for elements.
    public typealias TreeElement = Element
    /// Of strings: of `#`, `@a` and what has no conversion.
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
