// When the parser drops what only grows: the names that it has met, and the table of names that trees refer to.

/// How much a parser keeps between two trees.
struct Renewal {
    /// Names as written, and namespaces. The specifications have some thousand together.
    var names: Int
    /// Bytes of their strings.
    var bytes: Int

    static let standard = Renewal(names: 8192, bytes: 1 << 18)

    /// The names that a table of names grows to as long as trees are small. A tree keeps its table alive, and so those
    /// names; one that is replaced more often has the most frequent names in it again and again.
    static let tableNames = 1024

    /// The bytes of their strings, several times what so many names have. A table of more is replaced behind the tree
    /// that filled it, so that later ones do not keep alive what an attacker put into it.
    static let tableBytes = 1 << 16
}
