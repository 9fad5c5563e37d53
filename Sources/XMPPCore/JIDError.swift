// The reasons why a text is not an address.

public import Foundation
import SafeText

/// The first fault of an address.
public struct JIDError: Error, Hashable, Sendable {
    /// A part of an address (RFC 7622 §3.1).
    public enum Part: String, Hashable, Sendable {
        case localpart, domain, resource
    }

    /// The kind of a fault.
    public enum Reason: Hashable, Sendable {
        /// The part has no characters.
        case empty
        /// The prepared part is longer than ``JID/maximumPartLength``. The text may be well formed.
        case tooLong
        /// The part must not contain this character.
        case forbidden(Unicode.Scalar)
        /// The part may contain this character only beside certain others (RFC 5892, appendix A).
        case misplaced(Unicode.Scalar)
        /// Letters that are written from right to left, among others (RFC 5893).
        case mixedDirections
        /// A label of the domain is empty, begins or ends with a hyphen or a mark, or is not valid Punycode.
        case invalidLabel
        /// The brackets contain no IPv6 address.
        case invalidIPAddress
    }

    public let part: Part
    /// The position of the fault: an offset in the UTF-8 of the initializer's text.
    ///
    /// It is the start of the part or label if the fault has no single position.
    public let position: Int
    public let reason: Reason

    init(part: Part, position: Int, reason: Reason) {
        (self.part, self.position, self.reason) = (part, position, reason)
    }

    /// Whether a limit was exceeded: the text may be well formed, and longer than an address may be.
    public var isLimit: Bool { reason == .tooLong }

    /// The text that would have been valid at the position.
    public var expected: String {
        switch (reason, part) {
        case (.empty, _): "at least one character"
        case (.tooLong, _): "at most \(JID.maximumPartLength) bytes"
        case (.misplaced, _): "the character only beside letters that need it"
        case (.mixedDirections, _): "one direction of writing"
        case (.invalidLabel, _): "labels of letters, digits and inner hyphens"
        case (.invalidIPAddress, _): "an IPv6 address in brackets"
        case (.forbidden, .localpart): "letters, digits, and ASCII characters except spaces and \"&'/:<>@"
        case (.forbidden, .domain): "letters, digits, hyphens and dots"
        case (.forbidden, .resource): "visible characters and spaces"
        }
    }
}

extension JIDError: CustomStringConvertible, LocalizedError {
    /// One line. It shows at most one character of the text, by its number.
    public var description: String {
        let found =
            switch reason {
            case .forbidden(let scalar), .misplaced(let scalar): ", found \(scalar.codePoint)"
            case .empty, .tooLong, .mixedDirections, .invalidLabel, .invalidIPAddress: ""
            }
        return "byte \(position), in the address's \(part): expected \(expected)\(found)"
    }

    public var errorDescription: String? { description }
}

/// A fault of a part, with its offset in the part.
struct PartFault: Error {
    let reason: JIDError.Reason
    let position: Int

    init(_ reason: JIDError.Reason, at position: Int = 0) {
        (self.reason, self.position) = (reason, position)
    }
}
