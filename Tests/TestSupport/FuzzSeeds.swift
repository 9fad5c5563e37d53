// The seeds of the fuzzers, with the inputs of bugs that they found: Tests/Fuzzing/Seeds.

import Foundation

public enum FuzzSeeds {
    /// The seed that is read, for messages.
    @TaskLocal public static var current = ""

    /// The seeds of a fuzzer in the order of their names.
    public static func of(_ fuzzer: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = packageFolder.appending(path: "Tests/Fuzzing/Seeds/\(fuzzer)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name, Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }

    /// Gives each seed of a fuzzer to its check, and returns how many there are.
    ///
    /// - Parameter firstByte: The replacement of the seeds' first byte, which chooses options.
    public static func run(
        _ fuzzer: String, firstByte: UInt8? = nil, _ check: (UnsafePointer<UInt8>?, Int) -> Void
    ) throws -> Int {
        let seeds = try of(fuzzer)
        for (name, seed) in seeds {
            let bytes = firstByte.map { [$0] + seed.dropFirst() } ?? seed
            $current.withValue("\(fuzzer)/\(name)\(firstByte.map { " with options \($0)" } ?? "")") {
                bytes.withUnsafeBufferPointer { check($0.baseAddress, $0.count) }
            }
        }
        return seeds.count
    }
}
