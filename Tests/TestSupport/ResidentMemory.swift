// How much memory this process has, for tests of what grows in ways that no counter of ours sees.

import Foundation

/// The bytes of memory that this process occupies; nothing where the system does not tell.
public func residentBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
}
