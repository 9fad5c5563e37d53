// The expansion of `#query`: a query that is compiled once for its place in the program.

public import FormModel
public import Foundation
import QuerySyntax
public import XMLTree

/// A query in the program's text that the compiler has checked, without the values of its slots.
///
/// Only `#query` should write it, because the macro has compared its values with its slots. If they do not fit
/// together, the program stops.
@_documentation(visibility: internal)
public struct _CheckedTemplate<Output: QueryDecodable>: Sendable {
    private let template: QueryTemplate

    /// The queries fail when they are evaluated if `Output` does not take their results. The macro cannot compare a
    /// type of the program with the text.
    private init(_ template: QueryTemplate) {
        do throws(QueryError) {
            try template.query.checkResults(are: Output.self)
            self.template = template
        } catch {
            self.template = QueryTemplate(failing: error)
        }
    }

    /// Compiles a query. An invalid query fails when it is evaluated.
    ///
    /// - Parameter pieces: The text, cut at every slot.
    public init(_ pieces: String..., options: QueryOptions = []) {
        self.init(QueryTemplate.compiled(QueryText(pieces), options: options.ofType))
    }

    /// A query that the cache of this process keeps: for places that have no storage of their own.
    ///
    /// - Parameter text: The offsets of the slots, in bytes of the rest, then all pieces as one text:
    ///   `"4 10:a<b=>/c<d=>#"` is `a<b=•>/c<d=•>#`. So the whole query is one literal, and its address identifies it.
    public static func cached(_ text: StaticString, options: QueryOptions = []) -> _CheckedTemplate {
        _CheckedTemplate(compiledTemplate(text, options: options.ofType))
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
    public func callAsFunction(_ values: QueryArgumentValue...) -> CheckedQuery<Output> {
        let (query, arguments) = template.binding(values)
        return CheckedQuery(query: Query(query, arguments))
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

    /// Reads the text of `_CheckedTemplate.cached`. Invalid places stop the program: only `#query` writes them.
    init(encoded text: StaticString) {
        let bytes = text.withUTF8Buffer { Array($0) }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        precondition(parts.count == 2, "there are places, and a text")
        let places = parts[0].split(separator: UInt8(ascii: " ")).map { digits in
            digits.withUnsafeBufferPointer { NumberConversion.int($0, isStrict: true) }
        }
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
@_documentation(visibility: internal)
public enum _QueryResultTypes {
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
