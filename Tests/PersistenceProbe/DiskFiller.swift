// A file that takes all free room of its disk.

import Foundation

struct DiskFiller {
    private let path: String

    /// Writes until the disk is full. The disk of a test is small.
    init(_ path: String) throws {
        self.path = path
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        for size in [4096, 1] {
            while (try? file.write(contentsOf: Data(count: size))) != nil {}
        }
    }

    func remove() throws { try FileManager.default.removeItem(atPath: path) }
}
