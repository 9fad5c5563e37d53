// The limits of the front end, each with its reason. Tests check every one of them.

/// The limits of lexer, parser and diagnostics.
public enum QueryLimits {
    /// The maximum number of diagnostics of one query. Parsing stops there: readers need no more, and a query of a
    /// million mistakes must not cost a million messages.
    public static let diagnostics = 20

    /// The largest width and precision of a format specifier (6.1): padding beyond it is a mistake, or an attack.
    public static let specifierNumber = 1_000

    /// The maximum number of scalars of the query's text that a message or a "did you mean" repeats. The message cuts
    /// or omits longer text: the drawing shows its place.
    public static let quotedScalars = 200

    /// The maximum number of mistakes that one "did you mean" repairs. Each costs another reading of the query.
    static let repairs = 4

    /// How many scalars of the query a drawing shows around the mistake: with its indentation a line of a terminal.
    public static let drawnScalars = 100

    /// The longest name, in UTF-8 bytes, for which a similar conversion is sought. The longest conversion has eight
    /// letters; the comparison costs the product of the lengths.
    public static let comparedConversionName = 24
}
