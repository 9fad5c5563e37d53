// Reads the additions of other specifications to a field: validation (XEP-0122) and media (XEP-0221).

import XMLTree

extension FieldValidation {
    /// The first method that is known counts.
    init(_ view: TreeView, _ validate: NodeIndex) {
        self.init(view.attributeString(.datatype, of: validate))
        var hasMethod = false
        var child = view[validate].firstChild
        while child != .none {
            let isMethod = !hasMethod
            switch view[child].key {
            case FormNames.basic: hasMethod = true
            case FormNames.open where isMethod: (method, hasMethod) = (.open, true)
            case FormNames.range where isMethod:
                let (min, max) = (view.attributeString(.min, of: child), view.attributeString(.max, of: child))
                (method, hasMethod) = (.range(min: min, max: max), true)
            case FormNames.regex where isMethod: (method, hasMethod) = (.regex(view.textString(of: child)), true)
            case FormNames.listRange where listRange == nil:
                listRange = ListRange(min: view.count(.min, of: child), max: view.count(.max, of: child))
            default: break
            }
            child = view[child].next
        }
    }
}

extension FieldMedia {
    init(_ view: TreeView, _ media: NodeIndex) {
        self.init(height: view.size(.height, of: media), width: view.size(.width, of: media))
        var child = view[media].firstChild
        while child != .none {
            if view[child].key == FormNames.uri {
                let uri = String(view.textString(of: child).trimmingXMLSpace)
                uris.append(MediaURI(uri, type: view.attributeString(.type, of: child)))
            }
            child = view[child].next
        }
    }
}

extension TreeView {
    /// A number of pixels.
    package func size(_ attribute: FormName, of media: NodeIndex) -> Int? {
        count(attribute, of: media).flatMap { $0 <= FieldMedia.maximumSize ? $0 : nil }
    }

    /// A number without sign, perhaps with white space around it; `nil` for anything else.
    package func count(_ attribute: FormName, of node: NodeIndex) -> Int? {
        guard let text = attributeString(attribute, of: node)?.trimmingXMLSpace, !text.isEmpty else { return nil }
        var count = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (shifted, isTooLarge) = count.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = shifted.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            if isTooLarge || overflows { return nil }
            count = sum
        }
        return count
    }
}

extension String {
    /// Without space, tab and line ends at both ends.
    package var trimmingXMLSpace: Substring {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        let utf8 = utf8
        guard let start = utf8.firstIndex(where: { !isSpace($0) }), let last = utf8.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return self[start...last]
    }
}
