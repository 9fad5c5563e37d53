// Distinguishes a file from a later one at the same path. OpeningLock.swift records the identities of open files.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file's number in the file system, and its birth time: a file system can give the number of a deleted file to the
/// next file.
struct FileIdentity: Equatable {
    let number: UInt64
    /// In nanoseconds; 0 if the system does not report it.
    let birth: UInt64

    init(number: UInt64, birth: UInt64) { (self.number, self.birth) = (number, birth) }

    /// Whether both may be the same file. A process that gets no birth times and another one that does agree.
    static func == (one: FileIdentity, other: FileIdentity) -> Bool {
        one.number == other.number && (one.birth == other.birth || one.birth == 0 || other.birth == 0)
    }

    init(_ status: stat, at path: String) {
        self.init(number: UInt64(status.st_ino), birth: Self.birth(status, path))
    }

    private static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> UInt64 {
        UInt64(bitPattern: seconds &* 1_000_000_000 &+ rest)
    }

    #if canImport(Darwin)
    private static func birth(_ status: stat, _ path: String) -> UInt64 {
        nanoseconds(Int64(status.st_birthtimespec.tv_sec), Int64(status.st_birthtimespec.tv_nsec))
    }
    #else
    // The system's headers have this function, but Swift does not import it. Its structure has 256 bytes.
    private typealias Statx =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer) -> CInt

    /// `nil` in C libraries without this function.
    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Statx.self) }

    /// The bit that requests the birth time, and shows that the file system has reported it.
    private static let birthMask: UInt32 = 0x800
    private static let length = 256
    /// Where the birth time is: 8 bytes of seconds, then 4 bytes of nanoseconds.
    private static let birthOffset = 80

    private static func birth(_: stat, _ path: String) -> UInt64 {
        guard let statx else { return 0 }
        return withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
            guard let start = buffer.baseAddress, statx(AT_FDCWD, path, 0, birthMask, start) == 0,
                buffer.load(as: UInt32.self) & birthMask != 0
            else { return 0 }
            let seconds = buffer.load(fromByteOffset: birthOffset, as: Int64.self)
            let rest = buffer.load(fromByteOffset: birthOffset + 8, as: UInt32.self)
            return nanoseconds(seconds, Int64(rest))
        }
    }
    #endif
}
