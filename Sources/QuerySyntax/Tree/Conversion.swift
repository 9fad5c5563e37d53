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
        var best: (conversion: Conversion, distance: Int)?
        for candidate in Conversion.allCases {
            let distance = editDistance(Array(name.utf8), Array(candidate.rawValue.utf8))
            // Two mistakes in a name of three letters are another word.
            guard distance <= min(2, candidate.rawValue.utf8.count / 2) else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        guard let best else { return nil }
        self = best.conversion
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
