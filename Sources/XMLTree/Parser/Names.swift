// Maps the bytes of a name to its number, and the number to the table of names that trees refer to.
//
// Finding a qualified name takes one masked load, one multiplication and the comparison of two words. Its bytes are
// checked once, when they are new. A name and the namespace of its prefix together have an index in the table
// (`NameWriter`). Secrets of this process key the hashes, so that input cannot be made to collide. Between stanzas, the
// tokenizer drops the names that a long stream accumulates (Tokenizer.swift).

/// A qualified name, before the resolution of its prefix.
struct QualifiedName: BitwiseCopyable {
    /// The first sixteen bytes.
    fileprivate let first: UInt64
    fileprivate let second: UInt64
    /// The index of its bytes in `Names.bytes`.
    let start: UInt32
    let length: UInt32
    /// The number of its prefix; 0 without one.
    let prefix: UInt32
    let prefixLength: UInt32
    /// The number of the prefix that it declares, plus one; 0 for a name that is not a declaration.
    let declares: UInt32
    /// The last namespaces, and the indexes in the table with them, as an element's name and as an attribute's.
    var elementNamespace = Names.none
    var elementIndex: UInt32 = 0
    var attributeNamespace = Names.none
    var attributeIndex: UInt32 = 0
    /// The key of its local name, or of the prefix that it declares.
    let localKey: NameKey

    /// Whether it has this length and these first sixteen bytes.
    fileprivate func isSame(_ words: SIMD2<UInt64>, _ length: Int) -> Bool {
        first == words[0] && second == words[1] && self.length == UInt32(truncatingIfNeeded: length)
    }
}

/// A namespace that has occurred in the input.
struct Namespace: BitwiseCopyable {
    fileprivate let start: UInt32
    fileprivate let length: UInt32
    let key: NameKey
    /// The place in the table of names; empty until the namespace is in the table.
    fileprivate var reference: ByteReference
}

struct Names: ~Copyable {
    /// A name in the table, found by its index.
    struct Entry: BitwiseCopyable {
        /// The name, and its namespace and kind.
        let name: UInt32
        let meaning: UInt32
        /// The first index of the same expanded name.
        let first: UInt32
        /// The last tag that had an attribute with this index.
        var tag: UInt32 = 0
    }

    /// Marks a missing number.
    static let none = NumberSlots<UInt32>.none
    static let noPrefix: UInt32 = 0
    static let xmlPrefix: UInt32 = 1
    static let xmlnsPrefix: UInt32 = 2
    static let noNamespace: UInt32 = 0
    static let xmlNamespace: UInt32 = 1
    static let xmlnsNamespace: UInt32 = 2

    private(set) var records = Records<QualifiedName>(capacity: 256)
    private var numbers = NumberTable<UInt32>(capacity: 1024)
    /// The bytes of names and namespaces.
    private(set) var bytes = InputBuffer(capacity: 8192)

    private var prefixes: [[UInt8]: UInt32] = [:]
    /// The namespace that each prefix is bound to.
    private(set) var bindings = Records<UInt32>(capacity: 64)
    /// The last tag that declared each prefix.
    private var declared = Records<UInt32>(capacity: 64)

    private var namespaces = Records<Namespace>(capacity: 64)
    private var namespaceNumbers = NumberTable<UInt32>(capacity: 256)

    /// The table of names, and the most names that it may have.
    var writer = NameWriter()
    var limit = Int.max
    /// Maps a name, its namespace and its kind to an index in the table.
    private var indexes = NumberTable<UInt32>(capacity: indexCapacity)
    private static var indexCapacity: Int { 1024 }
    private var entries = Records<Entry>(capacity: 256)
    private var firstOfExpanded: [UInt64: UInt32] = [:]
    private var tag: UInt32 = 0

    /// The secrets of the process. A system call for each parser would cost more than the rest of its creation.
    private static let secrets = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    private let secret0 = secrets.0
    private let secret1 = secrets.1

    init() {
        for uri in ["", XMLNamespace.xml, XMLNamespace.xmlns] { _ = namespace(of: uri) }
        for name in ["", "xml", "xmlns"] { _ = prefix(of: Array(name.utf8)) }
        bind(Self.noPrefix, to: Self.noNamespace)
        bind(Self.xmlPrefix, to: Self.xmlNamespace)
    }

    /// The number of names and namespaces as written.
    var count: Int { records.count + namespaces.count }
    /// The names and bytes around trees. `hasGrown(beyond:)` does not count them.
    private var surroundings = (count: 0, bytes: 0)

    /// Whether trees have added more than a parser keeps.
    func hasGrown(beyond renewal: Renewal) -> Bool {
        count - surroundings.count > renewal.names || bytes.count - surroundings.bytes > renewal.bytes
    }

    // MARK: Qualified names

    @inline(__always)
    func hash(_ first: UInt64, _ second: UInt64, _ length: Int) -> UInt64 {
        Self.mix(first ^ secret0, second ^ secret1 &+ UInt64(truncatingIfNeeded: length))
    }

    @inline(__always)
    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    /// The hash of `length` bytes, whose first sixteen are hashed already. A static function: a method of a noncopyable
    /// value that is not inlined copies all of it.
    @inline(never)
    static func longHash(_ start: UInt64, _ view: ByteView, _ first: Int, _ length: Int, _ s0: UInt64, _ s1: UInt64)
        -> UInt64
    {
        var hash = start
        var index = 16
        while index < length {
            // The last sixteen overlap with those before.
            let at = min(index, length &- 16)
            let words = unsafeBitCast(view.block(at: first + at), to: SIMD2<UInt64>.self)
            hash = mix(hash ^ words[0] ^ s0, words[1] ^ s1 &+ UInt64(truncatingIfNeeded: at))
            index &+= 16
        }
        return hash
    }

    @inline(__always)
    func hash(_ view: ByteView, _ start: Int, _ words: SIMD2<UInt64>, _ length: Int) -> UInt64 {
        let short = hash(words[0], words[1], length)
        return length > 16 ? Self.longHash(short, view, start, length, secret0, secret1) : short
    }

    /// Whether `length` bytes of two views are equal.
    @inline(never)
    static func isSame(_ one: ByteView, _ a: Int, _ other: ByteView, _ b: Int, _ length: Int) -> Bool {
        var difference = Scan.masked(one.block(at: a) ^ other.block(at: b), length)
        var index = 16
        while index < length {
            // The last sixteen overlap with those before.
            let at = min(index, length &- 16)
            difference |= unsafeBitCast(one.block(at: a + at) ^ other.block(at: b + at), to: SIMD2<UInt64>.self)
            index &+= 16
        }
        return difference == SIMD2(0, 0)
    }

    /// The number of the name of `length` bytes at `start`, where `block` is; `nil` if it is not a qualified name.
    @inline(__always)
    mutating func find(_ view: ByteView, _ start: Int, _ block: SIMD16<UInt8>, _ length: Int) -> UInt32? {
        if length <= 16 {
            let words = Scan.masked(block, length)
            let number = numbers.find(hash(words[0], words[1], length)) { records[Int($0)].isSame(words, length) }
            if number != Self.none { return number }
        }
        return findSlowly(view, start, length)
    }

    /// Whether these bytes, whose first sixteen are `words`, are the name with that number.
    @inline(__always)
    func isName(_ number: Int, _ view: ByteView, _ start: Int, _ words: SIMD2<UInt64>, _ length: Int) -> Bool {
        records[number].isSame(words, length)
            && (length <= 16 || Self.isSame(bytes.view, Int(records[number].start), view, start, length))
    }

    @inline(never)
    private mutating func findSlowly(_ view: ByteView, _ start: Int, _ length: Int) -> UInt32? {
        let words = Scan.masked(view.block(at: start), length)
        let hash = hash(view, start, words, length)
        let known = numbers.find(hash) { isName(Int($0), view, start, words, length) }
        if known != Self.none { return known }
        guard Scan.badQualifiedNamePlace(view, start, start + length) == nil else { return nil }
        let name = view.bytes(start, start + length)
        let colon = name.firstIndex(of: UInt8(ascii: ":")) ?? 0
        let local = UnsafeBufferPointer(rebasing: name[(colon == 0 ? 0 : colon + 1)...])
        let prefix = colon == 0 ? Self.noPrefix : prefix(of: Array(name[..<colon]))
        var declares: UInt32 = 0
        if prefix == Self.xmlnsPrefix {
            declares = self.prefix(of: Array(local)) + 1
        } else if name.elementsEqual("xmlns".utf8) {
            declares = Self.noPrefix + 1
        }
        let number = UInt32(truncatingIfNeeded: records.count)
        records.append(
            QualifiedName(
                first: words[0], second: words[1], start: store(name),
                length: UInt32(truncatingIfNeeded: length), prefix: prefix,
                prefixLength: UInt32(truncatingIfNeeded: colon), declares: declares,
                localKey: NameKey(prefix == Self.xmlnsPrefix ? .declaration : .local, local)))
        numbers.insert(number, hash)
        return number
    }

    func bytes(of number: UInt32) -> UnsafeBufferPointer<UInt8> {
        let record = records[Int(number)]
        return bytes.view.bytes(Int(record.start), Int(record.start + record.length))
    }

    func string(of number: UInt32) -> String { String(decoding: bytes(of: number), as: UTF8.self) }

    // MARK: Prefixes

    private mutating func prefix(of name: [UInt8]) -> UInt32 {
        if let known = prefixes[name] { return known }
        let number = UInt32(truncatingIfNeeded: bindings.count)
        bindings.append(Self.none)
        declared.append(0)
        prefixes[name] = number
        return number
    }

    @inline(__always)
    mutating func bind(_ prefix: UInt32, to namespace: UInt32) { bindings[Int(prefix)] = namespace }

    /// Binds the default namespace and the prefixes of the context around trees. Returns false if XML has no
    /// declaration for one of them.
    mutating func bind(_ context: NamespaceContext) -> Bool {
        let declared = context.prefixes.filter { $0.key != "xml" }
        guard declared.allSatisfy({ XMLCharacters.isName($0.key) }) else { return false }
        for (name, uri) in [("", context.defaultNamespace ?? "")] + declared.map({ ($0.key, $0.value) }) {
            let (prefix, namespace) = (prefix(of: Array(name.utf8)), namespace(of: uri))
            if !XMLCharacters.isText(uri) || Tokenizer.flaw(inBinding: prefix, to: namespace) != nil { return false }
            bind(prefix, to: namespace)
        }
        rememberSurroundings()
        return true
    }

    /// Records all names and bytes known now as those around trees.
    mutating func rememberSurroundings() { surroundings = (count, bytes.count) }

    /// The namespace that a prefix is bound to, if both are known.
    func namespace(ofPrefix name: some Sequence<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard let prefix = prefixes[Array(name)], bindings[Int(prefix)] != Self.none else { return nil }
        return bytes(ofNamespace: bindings[Int(prefix)])
    }

    /// Adds bytes, and returns their index.
    mutating func store(_ string: UnsafeBufferPointer<UInt8>) -> UInt32 {
        bytes.append(string)
        return UInt32(truncatingIfNeeded: bytes.count - string.count)
    }

    // MARK: Indexes of the table

    /// The index and the key of an element's name; `nil` if the table has reached its limit.
    @inline(__always)
    mutating func element(_ number: UInt32, in namespace: UInt32) -> (NameIndex, NameKey)? {
        if records[Int(number)].elementNamespace != namespace, !lookUp(.element, number, namespace) { return nil }
        let record = records[Int(number)]
        return (NameIndex(rawValue: record.elementIndex), namespaces[Int(namespace)].key + record.localKey)
    }

    /// The same for an attribute. A declaration is looked up in the same way: its name is used for nothing else.
    @inline(__always)
    mutating func attribute(_ number: UInt32, in namespace: UInt32, _ kind: NameKind = .attribute) -> NameIndex? {
        if records[Int(number)].attributeNamespace != namespace, !lookUp(kind, number, namespace) { return nil }
        return NameIndex(rawValue: records[Int(number)].attributeIndex)
    }

    /// Begins a tag, whose attributes must differ in their expanded names.
    @inline(__always)
    mutating func beginTag() {
        tag &+= 1
        if tag == 0 { forgetTags() }
    }

    @inline(never)
    private mutating func forgetTags() {
        for index in 0..<entries.count { entries[index].tag = 0 }
        for prefix in 0..<declared.count { declared[prefix] = 0 }
        tag = 1
    }

    /// Whether an attribute's expanded name is new in the tag.
    @inline(__always)
    mutating func isNew(_ index: NameIndex) -> Bool {
        let first = Int(entries[index.offset].first)
        let isNew = entries[first].tag != tag
        entries[first].tag = tag
        return isNew
    }

    /// Whether the tag has not declared the prefix before.
    mutating func isNewDeclaration(_ prefix: UInt32) -> Bool {
        let isNew = declared[Int(prefix)] != tag
        declared[Int(prefix)] = tag
        return isNew
    }

    @inline(never)
    private mutating func lookUp(_ kind: NameKind, _ number: UInt32, _ namespace: UInt32) -> Bool {
        let meaning = namespace << 2 | UInt32(kind.rawValue)
        let hash = hash(UInt64(number), UInt64(meaning), 0)
        var index = indexes.find(hash) { entries[Int($0)].name == number && entries[Int($0)].meaning == meaning }
        if index == Self.none {
            if writer.count >= limit { return false }
            index = append(kind, number, namespace, meaning)
            indexes.insert(index, hash)
        }
        if kind == .element {
            records[Int(number)].elementNamespace = namespace
            records[Int(number)].elementIndex = index
        } else {
            records[Int(number)].attributeNamespace = namespace
            records[Int(number)].attributeIndex = index
        }
        return true
    }

    private mutating func append(_ kind: NameKind, _ number: UInt32, _ namespace: UInt32, _ meaning: UInt32) -> UInt32 {
        let record = records[Int(number)]
        let name = bytes(of: number)
        let length = Int(record.prefixLength)
        // The declared prefix is the local name of a name without a prefix. The default namespace has none.
        let isDefault = kind == .declaration && length == 0
        let prefix = UnsafeBufferPointer(rebasing: name[..<(kind == .declaration ? 0 : length)])
        let local = UnsafeBufferPointer(rebasing: name[(isDefault ? name.count : length == 0 ? 0 : length + 1)...])
        let entry = NameRecord(
            kind, prefix: prefix, local: local, localKey: isDefault ? .defaultDeclaration : record.localKey,
            namespace: namespaces[Int(namespace)].key)
        let index = writer.append(entry, prefix: prefix, local: local, namespace: reference(of: namespace)).rawValue
        var first = index
        if kind == .attribute, length > 0 {
            // Another prefix may be bound to the same namespace.
            first = firstOfExpanded[entry.expanded.rawValue] ?? index
            firstOfExpanded[entry.expanded.rawValue] = first
        }
        entries.append(Entry(name: number, meaning: meaning, first: first))
        return index
    }

    // MARK: Recycling

    /// Makes room for the names of further trees, between two trees. A tree keeps its table alive, with all names. So a
    /// table grows up to a limit, and then an empty one replaces it.
    @inline(never)
    mutating func renewTable() {
        let room = writer.table.recordCapacity
        if room < Renewal.tableNames && writer.table.byteCapacity <= Renewal.tableBytes {
            return writer.reserve(min(room * 4, Renewal.tableNames))
        }
        writer = NameWriter(expectedNames: Renewal.tableNames, sharedBytes: surroundings.bytes)
        indexes = NumberTable<UInt32>(capacity: Self.indexCapacity)
        entries.removeLast(downTo: 0)
        firstOfExpanded.removeAll(keepingCapacity: true)
        for number in 0..<records.count {
            records[number].elementNamespace = Self.none
            records[number].attributeNamespace = Self.none
        }
        for number in 0..<namespaces.count { namespaces[number].reference = .empty }
    }

    // MARK: Namespaces by number

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
    private mutating func reference(of number: UInt32) -> ByteReference {
        let namespace = namespaces[Int(number)]
        if !namespace.reference.isEmpty || namespace.length == 0 { return namespace.reference }
        let reference = writer.storeNamespace(bytes(ofNamespace: number), key: namespace.key)
        namespaces[Int(number)].reference = reference
        return reference
    }
}
