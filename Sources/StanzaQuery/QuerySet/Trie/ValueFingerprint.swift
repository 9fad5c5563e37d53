// Compares an attribute's value with the values in queries, by hash.

/// The length of a text and up to 16 of its bytes: decides on equality of short texts, and nearly always of long ones.
struct ValueFingerprint: Equatable, BitwiseCopyable {
    private let length: Int
    private let head: UInt64
    private let tail: UInt64

    @inline(__always)
    init(_ text: UnsafeBufferPointer<UInt8>) {
        let bytes = UnsafeRawBufferPointer(text)
        length = text.count
        if length >= 8 {
            head = bytes.loadUnaligned(as: UInt64.self)
            tail = bytes.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
        } else if length >= 4 {
            head = UInt64(bytes.loadUnaligned(as: UInt32.self))
            tail = UInt64(bytes.loadUnaligned(fromByteOffset: length - 4, as: UInt32.self))
        } else {
            head = bytes.reduce(0) { $0 << 8 | UInt64($1) }
            tail = 0
        }
    }

    /// Whether texts with the same fingerprint are equal.
    @inline(__always)
    var isExact: Bool { length <= 16 }

    /// A keyed hash of all that it knows.
    @inline(__always)
    fileprivate var hash: UInt64 {
        let keys = HashKeys.shared
        let product = (head ^ keys.head).multipliedFullWidth(by: tail ^ keys.tail)
        return (product.high ^ product.low) &+ UInt64(length) &* keys.length
    }
}

/// The keyed hash of a value. Like a name's key, it replaces the text.
///
/// A multiplication with secret factors hashes short values, such as nearly all IDs and types.
@inline(__always)
func hash(ofValue text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let fingerprint = ValueFingerprint(text)
    return fingerprint.isExact ? fingerprint.hash : hash(ofLongValue: text)
}

@inline(never)
private func hash(ofLongValue text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(text))
    return UInt64(bitPattern: Int64(hasher.finalize()))
}

/// The secret of this process, as the standard library's hashes have one.
private struct HashKeys {
    static let shared = HashKeys()

    let head = secret(1)
    let tail = secret(2)
    /// Odd, so that no two lengths are the same.
    let length = secret(3) | 1

    private static func secret(_ number: UInt8) -> UInt64 {
        var hasher = Hasher()
        // As in NameKey: no other code may hash the same input.
        hasher.combine("StanzaQuery.ValueFingerprint")
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
