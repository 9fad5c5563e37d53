// The additions of other specifications to a field: requirements on its values (XEP-0122), which DataForms applies, and
// pictures, sounds and films (XEP-0221).

import XMLTree

/// The validation of a field.
///
/// ```swift
/// let range = FieldValidation("xs:integer", .range(min: "1", max: "65535"))
/// let port = FormField("port", .textSingle, validation: range)
/// ```
public struct FieldValidation: Sendable, Hashable {
    /// The datatype of the values, `xs:…`; `nil` and unknown datatypes count as `xs:string`.
    public var datatype: String?
    public var method: Method
    /// How many values a field of type `list-multi` may have.
    public var listRange: ListRange?

    /// How values are validated, besides by the datatype.
    public enum Method: Sendable, Hashable {
        /// By type and datatype alone. An unknown method counts as this one.
        case basic
        /// Lists take values that are not among the options; each line of a `text-multi` is a value.
        case open
        /// Not less than one bound, and not more than the other, in the order of the datatype.
        case range(min: String?, max: String?)
        /// The whole value matches a POSIX extended regular expression.
        case regex(String)
    }

    /// Bounds for the number of values.
    public struct ListRange: Sendable, Hashable {
        public var min: Int?
        public var max: Int?

        public init(min: Int? = nil, max: Int? = nil) {
            self.min = min
            self.max = max
        }
    }

    public init(_ datatype: String? = nil, _ method: Method = .basic, listRange: ListRange? = nil) {
        self.datatype = datatype
        self.method = method
        self.listRange = listRange
    }

    /// Code points are compared, without canonical equivalence.
    public static func == (one: FieldValidation, other: FieldValidation) -> Bool {
        one.datatype.isIdentical(to: other.datatype) && one.method == other.method && one.listRange == other.listRange
    }
}

extension FieldValidation.Method {
    /// Code points are compared, without canonical equivalence.
    public static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.basic, .basic), (.open, .open): true
        case (.range(let min, let max), .range(let otherMin, let otherMax)):
            min.isIdentical(to: otherMin) && max.isIdentical(to: otherMax)
        case (.regex(let one), .regex(let other)): one.isIdentical(to: other)
        default: false
        }
    }
}

/// A medium that belongs to a field, such as the picture of a CAPTCHA: in one or more formats.
public struct FieldMedia: Sendable, Hashable {
    /// The size to show it in, in pixels.
    public var height: Int?
    public var width: Int?
    /// Its addresses, one for each format.
    public var uris: [MediaURI]

    /// The largest height or width, in pixels, that can be written: the schema's unsigned short (XEP-0221 §8).
    package static let maximumSize = Int(UInt16.max)

    public init(height: Int? = nil, width: Int? = nil, uris: [MediaURI] = []) {
        self.height = height
        self.width = width
        self.uris = uris
    }
}

/// The address of a medium in one format.
public struct MediaURI: Sendable, Hashable {
    /// The address; `cid:` means data that came with the stanza, or can be requested (XEP-0231).
    public var uri: String
    /// The MIME type with its parameters: `audio/ogg; codecs=speex`. It is required, but may have been left out.
    public var type: String?

    public init(_ uri: String, type: String?) {
        self.uri = uri
        self.type = type
    }

    /// Code points are compared, without canonical equivalence.
    public static func == (one: MediaURI, other: MediaURI) -> Bool {
        one.uri.isIdentical(to: other.uri) && one.type.isIdentical(to: other.type)
    }
}

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
