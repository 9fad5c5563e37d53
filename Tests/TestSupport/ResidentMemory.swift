// The memory of this process, for tests of growth that no counter of ours sees.

import Foundation

/// The bytes of memory that this process occupies; `nil` where the system does not report them.
public func residentBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
}
