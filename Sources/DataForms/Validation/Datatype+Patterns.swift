// The lexical forms of the datatypes without an order.

import FormModel
import Foundation
import TextValues

extension Datatype {
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isLanguage(_ text: Substring) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
            && parts[0].allSatisfy(isLetter)
    }

    static func isName(_ text: some StringProtocol, allowsColon: Bool) -> Bool {
        let name = String(text)
        return XMLCharacters.isName(allowsColon ? name.replacing(":", with: "_") : name)
    }

    static func isQualifiedName(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { isName($0, allowsColon: false) }
    }

    /// Whether a text is a URI after escaping (XML Schema part 2, `anyURI`). Escaping leaves only percent signs and
    /// number signs as they are: two digits follow the one, and there is at most one of the other.
    static func isURI(_ text: Substring) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return text.utf8.count { $0 == UInt8(ascii: "#") } <= 1
            && parts.dropFirst().allSatisfy { $0.count >= 2 && isHex(Substring($0.prefix(2))) }
    }

    static func isHex(_ text: Substring) -> Bool {
        text.utf8.count.isMultiple(of: 2)
            && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20) }
    }

    /// Whether a text is base64: the one text of its bytes, with white space anywhere.
    static func isBase64(_ text: Substring) -> Bool {
        var text = text
        guard let bytes = text.withUTF8({ Base64Text.decode($0, isStrict: true) }) else { return false }
        // Decoding drops bits after the last byte. XML Schema part 2 requires that they are zero.
        return Data(bytes).base64EncodedString().utf8.elementsEqual(text.utf8.filter { !" \t\r\n".utf8.contains($0) })
    }

    /// Whether a text is a duration, `-PnYnMnDTnHnMnS`: at least one part, in that order, and a `T` only before a part.
    static func isDuration(_ text: Substring) -> Bool {
        var scanner = TextScanner(text)
        _ = scanner.take("-")
        guard scanner.take("P"), !scanner.isAtEnd else { return false }
        var days: [Unicode.Scalar] = ["Y", "M", "D"]
        var hours: [Unicode.Scalar] = ["H", "M", "S"]
        while !scanner.isAtEnd, !scanner.take("T") {
            guard takePart(&scanner, &days) else { return false }
            if scanner.isAtEnd { return true }
        }
        if scanner.isAtEnd { return false }
        while !scanner.isAtEnd { if !takePart(&scanner, &hours) { return false } }
        return true
    }

    /// Takes a number and one of the remaining units.
    private static func takePart(_ scanner: inout TextScanner, _ units: inout [Unicode.Scalar]) -> Bool {
        guard scanner.digits() != nil else { return false }
        if scanner.take(".") {
            guard scanner.digits() != nil, units.last == "S", scanner.take("S") else { return false }
            units = []
            return true
        }
        while let unit = units.first {
            units.removeFirst()
            if scanner.take(unit) { return true }
        }
        return false
    }
}
