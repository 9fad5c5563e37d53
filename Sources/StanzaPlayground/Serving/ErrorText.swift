// The JSON of all responses of the playground.

import Foundation

/// The body of a rejection.
struct ErrorText: Encodable {
    let error: String
}

extension Encodable {
    /// JSON in UTF-8.
    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try Array(encoder.encode(self))
        } catch {
            preconditionFailure("answers hold texts, whole numbers and Booleans only, which JSON has")
        }
    }
}
