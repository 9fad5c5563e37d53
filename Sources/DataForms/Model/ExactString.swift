// Strings that are told apart by their code points, for sets and dictionaries: `String` takes canonical equivalents for
// equal.

import XMLTree

/// A string that is hashed and compared by its code points.
struct ExactString: Hashable {
    let string: String

    init(_ string: String) {
        self.string = string
    }

    static func == (one: ExactString, other: ExactString) -> Bool { one.string.isIdentical(to: other.string) }
}
