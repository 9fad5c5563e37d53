// The names of the conversions (4.4), and guesses for misspelled ones.

/// The target type of an extracted text. The raw value is the name in a query.
public enum Conversion: String, CaseIterable, Hashable, Sendable, BitwiseCopyable {
    case bool
    case int
    case uint
    case double
    case datetime
    case base64
    case uuid
    case uuidcast

    /// All names, in the order of the language's table.
    static var listing: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The conversion that an unknown name probably means: its name in other languages, or a name that is at most two
    /// typing mistakes away.
    init?(resembling name: String) {
        guard name.utf8.count <= QueryLimits.comparedConversionName else { return nil }
        let name = name.lowercased()
        if let known = Conversion(rawValue: name) ?? Conversion.foreignNames[name] {
            self = known
            return
        }
        let distances = Conversion.allCases.map { ($0, editDistance(Array(name.utf8), Array($0.rawValue.utf8))) }
        // Two mistakes in a name of three letters are another word.
        let close = distances.filter { $1 <= min(2, $0.rawValue.utf8.count / 2) }
        guard let (conversion, _) = close.min(by: { $0.1 < $1.1 }) else { return nil }
        self = conversion
    }

    private static let foreignNames: [String: Conversion] = [
        "boolean": .bool, "flag": .bool,
        "integer": .int, "number": .int, "long": .int, "int32": .int, "int64": .int, "signed": .int,
        "unsigned": .uint, "uinteger": .uint, "unsignedint": .uint, "uint32": .uint, "uint64": .uint, "nat": .uint,
        "float": .double, "real": .double, "decimal": .double, "single": .double,
        "date": .datetime, "time": .datetime, "timestamp": .datetime, "iso8601": .datetime,
        "data": .base64, "bytes": .base64, "binary": .base64, "b64": .base64,
        "guid": .uuid,
    ]
}
