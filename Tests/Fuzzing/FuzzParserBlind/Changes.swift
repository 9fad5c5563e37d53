// Random changes of known inputs.

import Foundation

/// Makes the input of an execution from its number.
struct Changes {
    private let inputs: [[UInt8]]
    private let words: [[UInt8]]

    /// The same as that of `.ci/fuzz --fast`.
    private static let maximumLength = 512
    /// The bytes that choose mode, limits, renewal and chunks.
    private static let choices = 4
    /// More changes than this rarely leave anything well-formed.
    private static let maximumChanges = 5

    /// - Parameters:
    ///   - dictionary: A dictionary of libFuzzer: a quoted word in each line.
    ///   - folders: The folders of the known inputs.
    init(dictionary: String, folders: [String]) throws {
        words = try String(contentsOfFile: dictionary, encoding: .utf8).split(separator: "\n").compactMap(Self.word)
        var inputs: [[UInt8]] = []
        for folder in folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
                inputs.append(Array(try Data(contentsOf: URL(filePath: folder).appending(path: name))))
            }
        }
        self.inputs = inputs
        precondition(!inputs.isEmpty && !words.isEmpty, "the folders have no inputs, or the dictionary no words")
    }

    var inputCount: Int { inputs.count }

    /// A word of a dictionary, which may have escapes such as `\\` and `\xEF`.
    private static func word(_ line: Substring) -> [UInt8]? {
        guard let first = line.firstIndex(of: "\""), let last = line.lastIndex(of: "\""), first < last else {
            return nil
        }
        var rest = line[line.index(after: first)..<last].utf8
        var word: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                word.append(byte)
                continue
            }
            if escape == UInt8(ascii: "x") {
                word.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? escape)
                rest = rest.dropFirst(2)
            } else {
                word.append(escape)
            }
        }
        return word
    }

    /// The input of an execution.
    func input(_ number: UInt64) -> [UInt8] {
        var random = Random(state: number)
        var bytes = random.element(of: inputs)
        while bytes.count < Self.choices { bytes.append(0) }
        for place in 0..<Self.choices where random.below(2) == 0 { bytes[place] = random.byte() }
        for _ in 0..<1 + random.below(Self.maximumChanges) { change(&bytes, &random) }
        if bytes.count > Self.maximumLength { bytes.removeLast(bytes.count - Self.maximumLength) }
        return bytes
    }

    private func change(_ bytes: inout [UInt8], _ random: inout Random) {
        let start = Self.choices + random.below(bytes.count - Self.choices + 1)
        let some = start..<start + min(random.below(17), bytes.count - start)
        switch random.below(8) {
        case 0: if start < bytes.count { bytes[start] ^= 1 << UInt8(random.below(8)) }
        case 1: bytes.insert(random.byte(), at: start)
        case 2: bytes.removeSubrange(some)
        case 3: bytes.insert(contentsOf: random.element(of: words), at: start)
        case 4: bytes.replaceSubrange(some, with: random.element(of: words))
        case 5: bytes.insert(contentsOf: Array(bytes[some]), at: start)
        case 6:
            let moved = Array(bytes[some])
            bytes.removeSubrange(some)
            bytes.insert(contentsOf: moved, at: Self.choices + random.below(bytes.count - Self.choices + 1))
        default:
            let other = random.element(of: inputs)
            let first = random.below(other.count + 1)
            bytes.insert(contentsOf: other[first..<first + random.below(other.count - first + 1)], at: start)
        }
    }
}

/// SplitMix64: the same numbers for the same state, everywhere.
private struct Random {
    var state: UInt64

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number below `bound`, which is positive and small.
    mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

    mutating func element<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
