// The names of files. The system has them as bytes, Swift as texts. A byte that is not UTF-8 becomes a character of the
// last private plane, and back. Every call that takes a path uses this conversion.

import Foundation
import SafeText

/// Converts between the bytes of a path and a text.
package enum FileName {
    /// U+10FF00 and the byte. Characters of this block in a name count as bytes that are not UTF-8. So every name has
    /// one text, and every text that was made of a name has one name.
    private static let block: UInt32 = 0x10FF00

    /// The text of a path.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        if let text = String(validUTF8: bytes), !text.unicodeScalars.contains(where: isByte) {
            return text
        }
        var text = ""
        var rest = bytes[...]
        while !rest.isEmpty {
            var decoder = UTF8()
            var iterator = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator), !isByte(scalar) {
                text += String(Character(scalar))
                rest = rest.dropFirst(UTF8.width(scalar))
            } else if let byte = rest.popFirst(), let scalar = Unicode.Scalar(block + UInt32(byte)) {
                text += String(Character(scalar))
            }
        }
        return text
    }

    /// The arguments of this process, any of which may be a path.
    package static var arguments: [String] {
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst()
            .compactMap { $0.map { text($0) } }
    }

    /// The text of a path that is a C string.
    static func text(_ path: UnsafePointer<CChar>) -> String {
        path.withMemoryRebound(to: UInt8.self, capacity: strlen(path)) {
            text(UnsafeBufferPointer(start: $0, count: strlen(path)))
        }
    }

    /// The path of a text, as a C string.
    static func path(_ text: String) -> [CChar] { bytes(of: text).map(CChar.init(bitPattern:)) + [0] }

    /// The bytes of the path with this text.
    static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if isByte(scalar) { bytes.append(UInt8(scalar.value - block)) } else { bytes += String(scalar).utf8 }
        }
        return bytes
    }

    /// The first byte of such a character in UTF-8.
    static let firstOfByte: UInt8 = 0xF4

    static func isByte(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= block && scalar.value <= block + 0xFF }

    /// The file's status from the system.
    static func status(of text: String, followingLinks: Bool = true) throws(SystemError) -> stat {
        var status = stat()
        let path = path(text)
        let result = followingLinks ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { throw .last }
        return status
    }
}

extension String {
    /// Whether the text is a path that is not UTF-8.
    package var hasBytes: Bool { unicodeScalars.contains(where: FileName.isByte) }
}

extension stat {
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
