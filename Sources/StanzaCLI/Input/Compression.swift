// Compressed input. An installed program decompresses files (InputFiles.swift). For others, the command prints how to
// do it.

/// A kind of compression that the first bytes reveal. No text with stanzas begins with any of them.
enum Compression: CaseIterable {
    case gzip, zstd, xz, bzip2

    /// The first bytes of a file of that kind.
    private var signature: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
        case .xz: [0xFD] + Array("7zXZ\0".utf8)
        case .bzip2: Array("BZh".utf8)
        }
    }

    /// The program that decompresses its standard input, and its arguments.
    var program: [String] {
        switch self {
        case .gzip: ["gzip", "-dc"]
        case .zstd: ["zstd", "-dcq"]
        case .xz: ["xz", "-dc"]
        case .bzip2: ["bzip2", "-dc"]
        }
    }

    /// The kind of an input with these first bytes.
    init?(of beginning: some Collection<UInt8>) {
        guard let found = Self.allCases.first(where: { beginning.starts(with: $0.signature) }) else { return nil }
        self = found
    }

    /// Whether more bytes may show that an input is compressed.
    static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        allCases.contains { bytes.count < $0.signature.count && $0.signature.starts(with: bytes) }
    }

    /// The mistake, and its repair.
    func advice(_ settings: ReadingSettings) -> String {
        settings.advice(
            "this is compressed (\(self))", converting: program.joined(separator: " ") + " FILE",
            otherwise: "decompress the file first")
    }
}

extension ReadingSettings {
    /// A mistake in the choice of an input, and its repair.
    ///
    /// - Parameters:
    ///   - command: The command that prints the converted input. A command that reads files only gets `repair` alone.
    ///   - repair: The repair of a file.
    func advice(_ mistake: String, converting command: String, otherwise repair: String) -> String {
        let pipeline = commandAtPipe.map { "write '\(command) | \($0)', or " } ?? ""
        return "\(mistake); \(pipeline)\(repair)"
    }
}

/// Reads nothing, and reports the reason.
final class CompressedInput: StanzaInput {
    private let advice: String
    private var isReported = false

    init(_ compression: Compression, _ settings: ReadingSettings) {
        advice = compression.advice(settings)
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {}
    func finish() {}
    var hasEnded: Bool { true }
    func endsBetweenStanzas() -> Bool { false }

    func next() -> InputItem? {
        if isReported { return nil }
        isReported = true
        return .problem(InputProblem(line: 1, column: 1, message: advice))
    }
}
