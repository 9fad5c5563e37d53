// Why an element is not a payload, or a payload has no element: the element, the path, the reason, and the repair.
//
// PayloadReader.swift makes the errors of reading, and PayloadWriter.swift those of writing.

public import Foundation
import SafeText

/// The reason why a payload could not be read or written. It holds no values, which may be secret.
public struct PayloadError: Error, Hashable, Sendable {
    /// The kind of a fault.
    public enum Reason: Hashable, Sendable {
        /// The element has another name; these are the expected ones.
        case wrongElement(expected: String)
        /// The payload needs the attribute, the text or the child element at the path.
        case missing
        /// The member takes one child element of that name, and there are several.
        case several(Int)
        /// The text at the path is not a value of the member's type.
        case invalid(expected: String)
        /// No member takes it, and the payload refuses unknown content.
        case unexpected
        /// The value of the member has no text or element.
        case unwritable(String)
        /// The query of a member failed: a regular expression exceeded its limit.
        case query(String)
    }

    /// The name of the payload's element, as `{namespace}name`.
    public let element: String
    /// The place of the fault from the root of the tree, written as a query: `{urn:xmpp:delay}delay@stamp`. An element
    /// without a namespace is `{*}name` there.
    public let path: String
    /// The fault there.
    public let reason: Reason

    init(_ reason: Reason, element: String, path: String) {
        (self.reason, self.element) = (reason, element)
        self.path = path.replacing("@{}", with: "@").replacing("{}", with: "{*}")
    }
}

extension PayloadError: CustomStringConvertible, LocalizedError {
    /// One line of bounded length: the element, the path, the fault, and the repair.
    public var description: String { "\(element.excerpt()), at '\(path.excerpt())': \(fault)" }

    private var fault: String {
        switch reason {
        case .wrongElement(let expected): "another element; expected \(expected.excerpt())"
        case .missing: "missing; add it, or make the property optional"
        case .several(let count): "\(count) elements, where one is expected; send one, or read an array"
        case .invalid(let expected): "the text is of another type; expected \(expected.excerpt())"
        case .unexpected: "unexpected; leave it out, or read the element without 'refusesOthers'"
        case .unwritable(let problem): "the value cannot be written: \(problem.excerpt())"
        case .query(let problem): "the query failed: \(problem.excerpt())"
        }
    }

    public var errorDescription: String? { description }
}
