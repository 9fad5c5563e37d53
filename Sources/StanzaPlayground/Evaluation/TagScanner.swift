// Finds tags in well-formed XML, as bytes. Where it is wrong about a text, ElementPlaces.swift notices.

/// Goes through a text from one tag to the next.
struct TagScanner {
    private let bytes: [UInt8]
    private var index = 0
    private var places: [ElementPlaces.Place] = []
    /// The elements whose end tags are missing.
    private var open: [Int] = []

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The places of the elements in the text, in document order; `nil` if it is not well-formed or has no element.
    static func places(in bytes: [UInt8]) -> [ElementPlaces.Place]? {
        var scanner = TagScanner(bytes)
        while let start = scanner.find(UInt8(ascii: "<")) {
            guard scanner.passMarkup(from: start) else { return nil }
        }
        return scanner.open.isEmpty && !scanner.places.isEmpty ? scanner.places : nil
    }

    /// Goes behind the markup that begins at `start`. Says no if it has no end.
    private mutating func passMarkup(from start: Int) -> Bool {
        if isAt(start, "<!--") { return pass("-->", from: start + 4) }
        if isAt(start, "<![CDATA[") { return pass("]]>", from: start + 9) }
        if isAt(start, "<?") { return pass("?>", from: start + 2) }
        if isAt(start, "<!") { return false }
        return isAt(start, "</") ? passEndTag(from: start) : passStartTag(from: start)
    }

    private mutating func passEndTag(from start: Int) -> Bool {
        guard pass(">", from: start), let element = open.popLast() else { return false }
        places[element].whole = places[element].whole.lowerBound..<index
        return true
    }

    private mutating func passStartTag(from start: Int) -> Bool {
        index = start + 1
        // Values of attributes may hold '>'.
        var quote: UInt8?
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case quote: quote = nil
            case UInt8(ascii: "'") where quote == nil, UInt8(ascii: "\"") where quote == nil: quote = byte
            case UInt8(ascii: ">") where quote == nil:
                addElement(start..<index, isEmpty: bytes[index - 2] == UInt8(ascii: "/"))
                return true
            default: break
            }
        }
        return false
    }

    private mutating func addElement(_ tag: Range<Int>, isEmpty: Bool) {
        if let parent = open.last { places[parent].children.append(places.count) }
        if !isEmpty { open.append(places.count) }
        places.append(ElementPlaces.Place(startTag: tag, whole: tag))
    }

    /// Goes behind the next place where `end` stands.
    private mutating func pass(_ end: StaticString, from start: Int) -> Bool {
        index = start
        // All that ends markup ends so.
        while let found = find(UInt8(ascii: ">")) {
            index = found + 1
            let beginning = index - end.utf8CodeUnitCount
            if beginning >= start, isAt(beginning, end) { return true }
        }
        return false
    }

    private func find(_ byte: UInt8) -> Int? { bytes[index...].firstIndex(of: byte) }

    private func isAt(_ place: Int, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[place...].starts(with: $0) }
    }
}
