// The limits of the playground, each with its reason. Tests check every one.

/// The maximum input, work and output of the playground.
enum PlaygroundLimits {
    /// Bytes of a request's body. The longest stanza that the parser reads does not quite fit with its query, but users
    /// do not type such a stanza.
    static let bodyBytes = 1 << 20

    /// UTF-8 bytes of a query. An evaluation costs the product of segments and elements, and so the length of a query
    /// is a bound of its time.
    static let queryBytes = 16_384

    /// Arguments of a query: the page has no more fields.
    static let arguments = 256

    /// Stanzas of a pasted log or session: most recorded sessions have fewer.
    static let stanzas = 10_000

    /// Elements with marks: a user can examine no more.
    static let marks = 2_000

    /// Results in an answer.
    static let results = 1_000

    /// UTF-8 bytes of the texts of all results together.
    static let resultBytes = 256 << 10

    /// Lines of the syntax tree and of the program, each.
    static let lines = 1_000

    /// Characters of such a line: the lines of a program are as wide as its longest name.
    static let lineCharacters = 1_000

    /// Evaluations at the same time. Each runs on its own thread and cannot be stopped.
    static let evaluations = 4

    /// The maximum wait for an evaluation. A longer one continues, and counts until it ends.
    static let evaluationTime = Duration.seconds(10)

    /// Connections at the same time: a browser has six.
    static let connections = 64

    /// Seconds in which a request must arrive, from the beginning of the connection or the end of the request before.
    /// An evaluation takes less.
    static let requestSeconds: Int64 = 60

    /// Seconds in which a client can read the answer to a request whose body the server does not read.
    static let refusalSeconds: Int64 = 2

    /// Bytes of a request's headers; a browser's have one thousand.
    static let headerBytes = 16_384
}
