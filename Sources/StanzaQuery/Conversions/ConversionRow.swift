// The engine's table of conversions (4.4): a row has everything that the engine knows about one. Its name is in
// QuerySyntax.

import QuerySyntax
import TextValues

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A conversion from text to results.
struct ConversionRow<Node: QueryableElement> {
    /// Which texts have a result.
    enum Domain {
        case every
        /// Those that are entirely such a value, if conversions are strict (4.5); otherwise every text.
        case everyUnlessStrict
        case some
    }

    let kind: ResultKind
    let domain: Domain
    /// Whether a text has a result, where making the result costs more than that.
    var accepts: ((UnsafeBufferPointer<UInt8>, Bool) -> Bool)?
    /// The result for a text; the second argument is whether conversions are strict.
    let convert: (UnsafeBufferPointer<UInt8>, Bool) -> QueryResult<Node>?
}

extension Conversion {
    func row<Node>(_ type: Node.Type) -> ConversionRow<Node> {
        switch self {
        case .bool:
            ConversionRow(kind: .bool, domain: .everyUnlessStrict) {
                NumberText.bool($0, isStrict: $1).map { .bool($0) }
            }
        case .int:
            ConversionRow(kind: .int, domain: .everyUnlessStrict) {
                NumberText.int($0, isStrict: $1).map { .int($0) }
            }
        case .uint:
            ConversionRow(kind: .uint, domain: .everyUnlessStrict) {
                NumberText.uint($0, isStrict: $1).map { .uint($0) }
            }
        case .double:
            ConversionRow(kind: .double, domain: .everyUnlessStrict) {
                NumberText.double($0, isStrict: $1).map { .double($0) }
            }
        case .datetime:
            ConversionRow(kind: .datetime, domain: .some) { text, _ in
                DateTimeText.secondsSince1970(text).map { .date(Date(timeIntervalSince1970: $0)) }
            }
        case .base64:
            ConversionRow(
                kind: .base64, domain: .some, accepts: { Base64Text.isValid($0, isStrict: $1) },
                convert: { Base64Text.decode($0, isStrict: $1).map { .data(.init($0)) } })
        case .uuid: ConversionRow(kind: .uuid, domain: .some) { text, _ in UUIDText.uuid(text).map { .uuid($0) } }
        case .uuidcast: ConversionRow(kind: .uuid, domain: .every) { text, _ in .uuid(UUIDText.cast(text)) }
        }
    }

    var kind: ResultKind { row(Element.self).kind }

    /// Whether every text has a result, so that the existence of a result needs no conversion.
    func isTotal(isStrict: Bool) -> Bool {
        switch row(Element.self).domain {
        case .every: true
        case .everyUnlessStrict: !isStrict
        case .some: false
        }
    }

    @inline(never)
    func converts(_ text: UnsafeBufferPointer<UInt8>, isStrict: Bool) -> Bool {
        if isTotal(isStrict: isStrict) { return true }
        let row = row(Element.self)
        return row.accepts?(text, isStrict) ?? (row.convert(text, isStrict) != nil)
    }
}
