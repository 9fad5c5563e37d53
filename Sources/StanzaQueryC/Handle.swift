// How C holds on to objects, and how text goes to C and comes from it.
//
// The functions that C calls are in the other files, one for each part of stanza_query.h, which documents them. They
// are made with `@_cdecl`, for `@c` needs Swift 6.3. Nothing here may trap: whatever C passes is outside data, but for
// pointers, which nobody can check.

import CStanzaQuery

/// The handles of one type: opaque pointers that own an object.
enum Handle<Object: AnyObject> {
    /// A handle that C has to free.
    static func owning(_ object: Object) -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// A handle that is good for as long as somebody else owns the object.
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

/// Text for C, with a zero behind it.
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

/// Bytes that C passes; `nil` where there is a length and no pointer, or a length that no memory has.
func bytes(_ start: UnsafePointer<CChar>?, _ length: Int) -> UnsafeRawBufferPointer? {
    guard length >= 0, start != nil || length == 0 else { return nil }
    return UnsafeRawBufferPointer(start: start, count: length)
}

/// Text that C passes; `nil` if it is not UTF-8.
func string(_ start: UnsafePointer<CChar>?, _ length: Int) -> String? {
    bytes(start, length).flatMap { String(validating: $0, as: UTF8.self) }
}
