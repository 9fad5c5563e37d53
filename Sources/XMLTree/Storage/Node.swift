// The records of a tree, frozen or editable.
//
// Elements are linked by index and hold their text: `text` is the text before an element's first child, `tail` the text
// between its end tag and its next sibling. TreeAssembler.swift and MutableTree link the records. TreeView.swift reads
// them.

/// The number of a record in its table.
@usableFromInline package struct RecordIndex<Record>: Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable package init(_ offset: Int) { rawValue = UInt32(truncatingIfNeeded: offset) }

    /// No record.
    @inlinable package static var none: Self { Self(rawValue: .max) }

    @inlinable package var offset: Int { Int(rawValue) }
}

/// The index of an element in its tree's storage.
@usableFromInline package typealias NodeIndex = RecordIndex<Node>

extension NodeIndex {
    /// The root of a frozen tree.
    @inlinable package static var root: NodeIndex { NodeIndex(0) }
}

/// One element. `TreeAssembler` relies on the order of `next`, `firstChild`, `tail` and `text`.
@usableFromInline package struct Node: BitwiseCopyable {
    /// The key of namespace and local name, a copy of the one in the name record that saves a load.
    @usableFromInline package var key: NameKey
    @usableFromInline package var name: NameIndex
    @usableFromInline package var parent: NodeIndex
    @usableFromInline package var next = NodeIndex.none
    @usableFromInline package var firstChild = NodeIndex.none
    /// The text after this element, before the next sibling or the parent's end.
    @usableFromInline package var tail = ByteReference.empty
    /// The text before the first child.
    @usableFromInline package var text = ByteReference.empty
    /// The index of the first attribute record. The records of an element are contiguous.
    @usableFromInline package var attributes: UInt32
    @usableFromInline package var attributeCount: UInt32 = 0
}

/// One attribute, or the declaration of a namespace prefix.
@usableFromInline package struct AttributeRecord: BitwiseCopyable {
    @usableFromInline package var name: NameIndex
    @usableFromInline package var value: ByteReference
}
