// Finding a byte among many, as fast as the C library can.

import Foundation

extension UnsafeRawBufferPointer {
    /// The index of the next byte with a value.
    @inline(__always)
    func position(of byte: UInt8, from start: Int) -> Int? {
        guard let base = baseAddress, start < count, let found = memchr(base + start, Int32(byte), count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
