// The keyed hash of an attribute's value. Like a name's key, it replaces the text.
//
// A multiplication with secret factors hashes short values, such as nearly all IDs and types.

@inline(__always)
func hash(ofValue text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let (bytes, length) = (UnsafeRawBufferPointer(text), text.count)
    let (head, tail): (UInt64, UInt64)
    switch length {
    case 0..<4: (head, tail) = (bytes.reduce(0) { $0 << 8 | UInt64($1) }, 0)
    case 4..<8:
        head = UInt64(bytes.loadUnaligned(as: UInt32.self))
        tail = UInt64(bytes.loadUnaligned(fromByteOffset: length - 4, as: UInt32.self))
    case 8...16:
        head = bytes.loadUnaligned(as: UInt64.self)
        tail = bytes.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
    default: return hash(ofLongValue: text)
    }
    let keys = HashKeys.shared
    let product = (head ^ keys.head).multipliedFullWidth(by: tail ^ keys.tail)
    return (product.high ^ product.low) &+ UInt64(length) &* keys.length
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
        hasher.combine("StanzaQuery.ValueHash")
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
