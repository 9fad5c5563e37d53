// The files that this process has open, by path.

import Foundation

/// Returns the paths of all open files. A file that was removed while it is open counts.
public func openFiles() throws -> [String] {
    #if canImport(Darwin)
    return (0..<getdtablesize()).compactMap { descriptor in
        var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
        guard fcntl(descriptor, F_GETPATH, &path) == 0 else { return nil }
        return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    #else
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        // The descriptor of this listing is closed by now.
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    #endif
}
