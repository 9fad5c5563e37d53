// The locks that processes hold on a database.

#if os(Linux)
import Foundation

/// Returns the kinds of locks on the files of a database, such as `READ`, by the ends of the files' names.
///
/// The system lists them, so this also finds those of this process, and opens no file: closing one would release this
/// process's own locks.
func locks(on path: String) throws -> [String: Set<String>] {
    let endings = ["", "-wal", "-shm", ".lock"].map { ending in
        let number = try? FileManager.default.attributesOfItem(atPath: path + ending)[.systemFileNumber] as? UInt64
        return (ending, number.flatMap(\.self).map { ":\($0)" })
    }
    var locks: [String: Set<String>] = [:]
    // A long list is read in parts, and misses locks while other processes change theirs.
    let lists = try (0..<5).map { _ in try String(contentsOfFile: "/proc/locks", encoding: .utf8) }
    for line in lists.joined().split(separator: "\n") {
        // 1: POSIX ADVISORY READ 4711 fe:00:42 128 128
        let words = line.split(separator: " ")
        for (ending, number) in endings where words.contains(where: { number.map($0.hasSuffix) ?? false }) {
            locks[ending, default: []].insert(String(words[3]))
        }
    }
    return locks
}
#endif
