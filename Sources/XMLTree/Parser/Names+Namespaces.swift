// Namespaces by number. A namespace is a string of bytes here. Tokenizer+Namespaces.swift reads its declarations.

/// A namespace that has occurred in the input.
struct Namespace: BitwiseCopyable {
    fileprivate let start: UInt32
    fileprivate let length: UInt32
    let key: NameKey
    /// The place in the table of names; empty until the namespace is in the table.
    fileprivate var reference: ByteReference
}

extension Names {
    static let noNamespace: UInt32 = 0
    static let xmlNamespace: UInt32 = 1
    static let xmlnsNamespace: UInt32 = 2

    /// The number of the namespace whose bytes are from `start` to `end`.
    @inline(__always)
    mutating func namespace(_ view: ByteView, _ start: Int, _ end: Int) -> UInt32 {
        let length = end &- start
        if length == 0, namespaces.count > 0 { return Self.noNamespace }
        let hash = hash(view, start, Scan.masked(view.block(at: start), length), length)
        let number = namespaceNumbers.find(hash) {
            let known = namespaces[Int($0)]
            return Int(known.length) == length && Self.isSame(bytes.view, Int(known.start), view, start, length)
        }
        return number == Self.none ? insertNamespace(view.bytes(start, end), hash) : number
    }

    mutating func namespace(of uri: String) -> UInt32 {
        var uri = uri
        return uri.withUTF8 { bytes in
            let buffer = InputBuffer(bytes)
            return namespace(buffer.view, 0, buffer.count)
        }
    }

    @inline(never)
    private mutating func insertNamespace(_ uri: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> UInt32 {
        let number = UInt32(truncatingIfNeeded: namespaces.count)
        namespaces.append(
            Namespace(
                start: store(uri), length: UInt32(truncatingIfNeeded: uri.count),
                key: uri.isEmpty ? .noNamespace : NameKey(.namespace, uri), reference: .empty))
        namespaceNumbers.insert(number, hash)
        return number
    }

    func bytes(ofNamespace number: UInt32) -> UnsafeBufferPointer<UInt8> {
        let namespace = namespaces[Int(number)]
        return bytes.view.bytes(Int(namespace.start), Int(namespace.start + namespace.length))
    }

    /// The place of a namespace in the table of names.
    mutating func reference(of number: UInt32) -> ByteReference {
        let namespace = namespaces[Int(number)]
        if !namespace.reference.isEmpty || namespace.length == 0 { return namespace.reference }
        let reference = writer.storeNamespace(bytes(ofNamespace: number), key: namespace.key)
        namespaces[Int(number)].reference = reference
        return reference
    }

    /// A new table of names has none of them.
    mutating func forgetReferences() {
        for number in 0..<namespaces.count { namespaces[number].reference = .empty }
    }
}
