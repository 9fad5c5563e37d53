// A process that is being started has copies of all descriptors for a moment.

#if os(Linux)
import Foundation

/// Copies of the descriptors of all open files whose paths begin alike. They are closed with this object.
final class DescriptorCopies {
    /// How the paths go on.
    let endings: Set<String>
    private let copies: [CInt]

    init(ofFilesAt path: String) throws {
        var (endings, copies): (Set<String>, [CInt]) = ([], [])
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            guard let file, file.hasPrefix(path), let descriptor = CInt(name) else { continue }
            endings.insert(String(file.dropFirst(path.count)))
            copies.append(dup(descriptor))
        }
        (self.endings, self.copies) = (endings, copies)
    }

    deinit { for copy in copies { close(copy) } }
}
#endif
