// A result of the machine: positions and borrowed bytes, which do not retain the tree.
//
// The public form is QueryResult; QueryResult+Hit.swift converts a hit to it. A caller that only needs to know whether
// a result exists drops the hit, which allocated nothing.

import FormModel
import QuerySyntax
import XMLTree

/// One result of a program.
enum Hit {
    case element(NodeIndex)
    case attributes(NodeIndex)
    /// A text that the conversion, if there is one, takes.
    case string(UnsafeBufferPointer<UInt8>, Conversion?)
    /// The own text of an element, not joined yet, with a conversion that takes every text.
    case text(NodeIndex, Conversion?)
    case form(NodeIndex)
    case field(FormReader.FieldPlace)
}
