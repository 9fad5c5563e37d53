// The expansion of `#query`: a query that the cache keeps by the address of its literal.

public import FormModel
import QuerySyntax
import TextValues
public import XMLTree

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A query in the program's text that the compiler has checked, without the values of its slots.
///
/// Only `#query` should write it, because the macro has compared its values with its slots. If they do not fit
/// together, the program stops.
@_documentation(visibility: internal)
public struct _CheckedTemplate<Output: QueryDecodable>: Sendable {
    @usableFromInline let template: QueryTemplate

    /// Finds or compiles a query. It fails when it is evaluated if it is invalid, or if `Output` does not take its
    /// results: the macro cannot compare a type of the program with the text.
    ///
    /// - Parameter text: The offsets of the slots, in bytes of the rest, then all pieces as one text:
    ///   `"4 10:a<b=>/c<d=>#"` is `a<b=•>/c<d=•>#`. So the whole query is one literal, and its address identifies it.
    @inlinable
    public init(_ text: StaticString, options: QueryOptions = []) {
        let template = compiledTemplate(text, options.ofType)
        do throws(QueryError) {
            try template.query.checkResults(are: Output.self)
            self.template = template
        } catch {
            self.template = QueryTemplate(failing: error)
        }
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
    @inlinable
    public func callAsFunction(_ values: QueryArgumentValue...) -> CheckedQuery<Output> {
        let (query, arguments) = template.binding(values)
        return CheckedQuery(Query(query, arguments))
    }
}

extension QueryText {
    /// Reads the text of a `_CheckedTemplate`. Invalid places stop the program: only `#query` writes them.
    init(encoded text: StaticString) {
        let bytes = text.withUTF8Buffer { Array($0) }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        precondition(parts.count == 2, "there are places, and a text")
        let places = parts[0].split(separator: UInt8(ascii: " ")).map { digits in
            digits.withUnsafeBufferPointer { NumberText.int($0, isStrict: true) }
        }
        self.init()
        var start = parts[1].startIndex
        for (index, place) in (places + [parts[1].count]).enumerated() {
            guard let place, start <= parts[1].startIndex + place, place <= parts[1].count else {
                preconditionFailure("the slots are in the text, in order")
            }
            let end = parts[1].startIndex + place
            if index > 0 { appendSlot() }
            append(String(decoding: parts[1][start..<end], as: UTF8.self))
            start = end
        }
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
    // Of conversions; HeavyFoundation.swift has the one of `|base64`.
    public typealias Boolean = Bool
    public typealias Integer = Int
    public typealias UnsignedInteger = UInt
    public typealias FloatingPoint = Double
    public typealias Datetime = Date
    public typealias Identifier = UUID
}
