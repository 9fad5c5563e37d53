// Handles that keep objects alive for C, and the conversion of text to and from C.
//
// The other files have the functions that C calls, one file for each part of stanza_query.h, which documents them. They
// use `@_cdecl`, because `@c` needs Swift 6.3. Nothing here may trap: all input from C is outside data, except for
// pointers, which cannot be checked.

import CStanzaQuery
import SafeText

/// The handles of one type: opaque pointers that own an object.
enum Handle<Object: AnyObject> {
    /// A handle that C has to free.
    static func owning(_ object: Object) -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// A handle that is valid while another owner keeps the object alive.
    static func borrowing(_ object: Object) -> OpaquePointer {
        OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }

    static func object(_ handle: OpaquePointer?) -> Object? {
        handle.map { Unmanaged<Object>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    static func free(_ handle: OpaquePointer?) {
        if let handle { Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release() }
    }
}

/// Text for C, terminated by zero.
final class OwnedText {
    private let bytes: UnsafeMutableBufferPointer<CChar>

    init(_ text: some Collection<UInt8>) {
        bytes = Self.terminated(text)
    }

    deinit { bytes.deallocate() }

    var text: stanza_text { stanza_text(bytes: UnsafePointer(bytes.baseAddress), length: bytes.count - 1) }

    /// A copy that ends in a zero.
    static func terminated(_ text: some Collection<UInt8>) -> UnsafeMutableBufferPointer<CChar> {
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count + 1)
        _ = bytes.initialize(from: text.lazy.map { CChar(bitPattern: $0) } + [0])
        return bytes
    }
}

/// Bytes from C; `nil` for a length without a pointer, or a negative length.
func bytes(_ start: UnsafePointer<CChar>?, _ length: Int) -> UnsafeRawBufferPointer? {
    guard length >= 0, start != nil || length == 0 else { return nil }
    return UnsafeRawBufferPointer(start: start, count: length)
}

/// Text that C passes; `nil` if it is not UTF-8.
func string(_ start: UnsafePointer<CChar>?, _ length: Int) -> String? {
    bytes(start, length).flatMap { String(validUTF8: $0) }
}
