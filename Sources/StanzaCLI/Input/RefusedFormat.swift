// Input given by mistake: compressed input, and JSON that is not in lines. The command does not read it, but prints how
// to convert it.

/// A format that the first bytes reveal, and that the command refuses. No text with stanzas begins with any of them.
enum RefusedFormat: CaseIterable {
    case gzip, zstd, xz, bzip2
    /// An array of objects or strings. Another '[' begins the time stamp of a log.
    case jsonArray
    /// An object with line breaks.
    case indentedJSON

    /// The possible first bytes of a file of that format.
    private var signatures: [[UInt8]] {
        switch self {
        case .gzip: [[0x1F, 0x8B]]
        case .zstd: [[0x28, 0xB5, 0x2F, 0xFD]]
        case .xz: [[0xFD] + Array("7zXZ\0".utf8)]
        case .bzip2: [Array("BZh".utf8)]
        case .jsonArray: ["[{", "[\"", "[\n", "[\r\n"].map { Array($0.utf8) }
        case .indentedJSON: ["{\n", "{\r\n"].map { Array($0.utf8) }
        }
    }

    /// The end of a sentence about the input.
    private var predicate: String {
        switch self {
        case .gzip, .zstd, .xz, .bzip2: "compressed (\(self))"
        case .jsonArray: "a JSON array"
        case .indentedJSON: "JSON with line breaks"
        }
    }

    /// The command that prints the converted input.
    private var command: String {
        switch self {
        case .gzip: "zcat FILE"
        case .zstd: "zstdcat FILE"
        case .xz: "xzcat FILE"
        case .bzip2: "bzcat FILE"
        case .jsonArray: "jq -c \".[]\" FILE"
        case .indentedJSON: "jq -c . FILE"
        }
    }

    /// The repair of a file.
    private var repair: String {
        switch self {
        case .gzip, .zstd, .xz, .bzip2: "decompress the file first"
        case .jsonArray: "write each of its objects on a line first"
        case .indentedJSON: "write each object on a line first"
        }
    }

    /// No signature has more bytes.
    static let longestSignature = 6

    /// The format of an input with these first bytes.
    init?(of beginning: some Collection<UInt8>) {
        let found = Self.allCases.first { $0.signatures.contains { beginning.starts(with: $0) } }
        guard let found else { return nil }
        self = found
    }

    /// Whether more bytes may show that an input has a refused format.
    static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        allCases.contains { $0.signatures.contains { bytes.count < $0.count && $0.starts(with: bytes) } }
    }

    /// The mistake, and its repair.
    ///
    /// - Parameter reader: The command that was to read the input, in the form that reads a pipe; `nil` if it reads
    ///   none.
    func advice(for reader: String?) -> String {
        let pipe = reader.map { "write '\(command) | \($0)', or " } ?? ""
        return "this is \(predicate); \(pipe)\(repair)"
    }
}

/// Reads nothing, and reports the reason.
final class RefusedInput: StanzaInput {
    private let advice: String
    private var isReported = false

    init(_ format: RefusedFormat, _ settings: ReadingSettings) {
        advice = format.advice(for: settings.commandAtPipe)
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {}
    func finish() {}
    func restart(at place: InputPlace) { isReported = false }
    var hasEnded: Bool { true }
    func endsBetweenStanzas() -> Bool { false }

    func next() -> InputItem? {
        if isReported { return nil }
        isReported = true
        return .problem(InputProblem(line: 1, column: 1, message: advice))
    }
}
