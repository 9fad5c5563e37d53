// Pictures, sounds and films of a field (XEP-0221).

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
