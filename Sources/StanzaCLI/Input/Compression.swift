// Compressed input, which somebody gave by mistake: nothing is decompressed here, but it is told what to do.

/// A way of compressing that its first bytes give away. None of them begins a text with stanzas.
enum Compression: CaseIterable {
    case gzip, zstd, xz, bzip2

    /// What a file of that kind begins with.
    private var signature: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
        case .xz: [0xFD] + Array("7zXZ\0".utf8)
        case .bzip2: Array("BZh".utf8)
        }
    }

    /// The command that prints what was compressed.
    private var command: String {
        switch self {
        case .gzip: "zcat"
        case .zstd: "zstdcat"
        case .xz: "xzcat"
        case .bzip2: "bzcat"
        }
    }

    /// No signature has more bytes.
    static let longestSignature = 6

    /// That of an input, if these are its first bytes.
    init?(of beginning: some Collection<UInt8>) {
        guard let found = Self.allCases.first(where: { beginning.starts(with: $0.signature) }) else { return nil }
        self = found
    }

    /// Whether more bytes may show that an input is compressed.
    static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        allCases.contains { bytes.count < $0.signature.count && $0.signature.starts(with: bytes) }
    }

    /// What is wrong, and what helps.
    ///
    /// - Parameter reader: The command that was to read it, as it reads a pipe, if it does.
    func advice(for reader: String?) -> String {
        let pipe = reader.map { "write '\(command) FILE | \($0)', or " } ?? ""
        return "this is compressed (\(self)); \(pipe)decompress the file first"
    }
}

/// Reads nothing, and tells why.
final class CompressedInput: StanzaInput {
    private let advice: String
    private var isTold = false

    init(_ compression: Compression, _ settings: ReadingSettings) {
        advice = compression.advice(for: settings.commandAtPipe)
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {}
    func finish() {}
    func restart(at place: InputPlace) { isTold = false }
    var hasEnded: Bool { true }
    func endsBetweenStanzas() -> Bool { false }

    func next() -> InputItem? {
        if isTold { return nil }
        isTold = true
        return .problem(InputProblem(line: 1, column: 1, message: advice))
    }
}
