// The address of an account, checked so far that it can stand in a stream header.

/// A bare address, `user@domain` (RFC 7622).
///
/// Who writes it is expected to have it prepared as the server has: nothing is folded or normalized here.
public struct AccountAddress: Hashable, Sendable {
    public let user: String
    public let domain: String

    /// - Throws: ``XMPPConnectionError/invalidAddress(_:)``.
    public init(_ text: String) throws(XMPPConnectionError) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isPart(parts[0]), Self.isPart(parts[1]) else { throw .invalidAddress(text) }
        user = String(parts[0])
        domain = String(parts[1])
    }

    /// RFC 7622 allows 1,023 bytes for each part.
    private static let longestPart = 1023

    /// Neither what separates parts nor what would mean something in XML (RFC 7622 §3.3.1), nor white space.
    private static func isPart(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= longestPart
            && text.unicodeScalars.allSatisfy { scalar in
                !"\"&'/<>@".unicodeScalars.contains(scalar) && !scalar.properties.isWhitespace
                    && scalar.properties.generalCategory != .control
            }
    }
}

extension AccountAddress: CustomStringConvertible {
    public var description: String { "\(user)@\(domain)" }
}
