// Turns the machine's hits into results that own their data.

import FormModel
import Foundation
import QuerySyntax
import TextValues
import XMLTree

extension QueryResult where Node: QueryTarget {
    /// Reads a hit; the tree must not have changed since.
    init(_ hit: Hit, in tree: Node) {
        switch hit {
        case .element(let node): self = .element(tree.element(at: node))
        case .attributes(let node): self = .attributes(tree.allAttributes(of: node))
        case .string(let text): self = .string(String(decoding: text, as: UTF8.self))
        case .text(let node): self = .string(tree.view.textString(of: node))
        case .convertedText(let node, let conversion):
            self = tree.view.withText(of: node) { QueryResult(text: $0, conversion) }
        case .converted(let value): self.init(value)
        case .form(let node): self = .form(tree.form(at: node))
        case .field(let place): self = .field(tree._formPlace.field(place))
        }
    }

    private init(_ value: ConvertedValue) {
        switch value {
        case .bool(let bool): self = .bool(bool)
        case .int(let int): self = .int(int)
        case .uint(let uint): self = .uint(uint)
        case .double(let double): self = .double(double)
        case .total(let text, let conversion): self.init(text: text, conversion)
        case .datetime(let seconds): self = .date(Date(timeIntervalSince1970: seconds))
        case .base64(let text, let isStrict):
            self = .data(Data(Base64Text.decode(text, isStrict: isStrict) ?? []))
        case .uuid(let uuid): self = .uuid(uuid)
        }
    }

    /// Converts any text.
    private init(text: UnsafeBufferPointer<UInt8>, _ conversion: Conversion) {
        switch conversion {
        case .bool: self = .bool(NumberConversion.bool(text, isStrict: false) ?? false)
        case .int: self = .int(NumberConversion.int(text, isStrict: false) ?? 0)
        case .uint: self = .uint(NumberConversion.uint(text, isStrict: false) ?? 0)
        case .double: self = .double(NumberConversion.double(text, isStrict: false) ?? 0)
        case .uuidcast: self = .uuid(UUIDConversion.cast(text))
        case .datetime, .base64, .uuid: preconditionFailure("not every text can be converted to these")
        }
    }
}

extension TreePosition {
    /// The attributes and the pseudo-attribute `xmlns` (1.3).
    fileprivate func allAttributes(of node: NodeIndex) -> StringMap {
        let element = element(at: node)
        var entries: [StringMap.Entry] = []
        if let namespace = element.namespace { entries.append(("xmlns", namespace)) }
        for attribute in element.attributes { entries.append((attribute.name, attribute.value)) }
        return StringMap(entries)
    }
}
