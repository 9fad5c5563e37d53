// Functions of the C library for memory.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A block for any plain data. `UnsafeMutableRawPointer.allocate` takes twice as long.
func allocatedBlock(byteCount: Int) -> UnsafeMutableRawPointer {
    guard let block = malloc(byteCount) else { preconditionFailure("no memory for \(byteCount) bytes") }
    return block
}

func freeBlock(_ block: UnsafeMutableRawPointer) { free(block) }

/// Compares bytes faster than a loop.
func areEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ others: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress, let other = others.baseAddress else { return bytes.isEmpty && others.isEmpty }
    return bytes.count == others.count && memcmp(start, other, bytes.count) == 0
}
