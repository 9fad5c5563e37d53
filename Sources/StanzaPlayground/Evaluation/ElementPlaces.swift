// The places of a stanza's elements in its text, which trees do not keep. The text has been parsed, so only tags are
// searched here; a text that does not fit its tree has no places.

import StanzaQuery

/// The places of all elements of a stanza, in document order.
struct ElementPlaces {
    /// The place of an element, in UTF-8 offsets.
    struct Place: Equatable {
        /// From `<` to `>`.
        let startTag: Range<Int>
        /// From its start tag to its end tag.
        var whole: Range<Int>
        /// Its child elements, as indexes of places.
        var children: [Int] = []
    }

    private let places: [Place]
    private let root: Element

    /// Finds the places in the text of `root`, which may be a part of a longer text. The cost is linear in that part.
    ///
    /// - Parameter range: The part, in UTF-8 offsets; any text may follow the stanza. Without it, the whole text.
    /// - Returns: `nil` if text and tree do not have the same shape.
    init?(of root: Element, in text: String, at range: Range<Int>? = nil) {
        guard let places = Self.places(in: text, range ?? 0..<text.utf8.count) else { return nil }
        self.places = places
        self.root = root
        guard fits() else { return nil }
    }

    /// The places of the first element in a text and of those in it, in document order; `nil` if its tags do not match,
    /// or it has none.
    private static func places(in text: String, _ range: Range<Int>) -> [Place]? {
        var text = text
        var tags = TagSequence(from: range.lowerBound)
        text.withUTF8 { tags.feed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[range])) }
        var places: [Place] = []
        // The elements without an end tag so far.
        var open: [Int] = []
        while places.isEmpty || !open.isEmpty, let tag = tags.next() {
            switch tag {
            case .start(let range, let isEmpty):
                if let parent = open.last { places[parent].children.append(places.count) }
                if !isEmpty { open.append(places.count) }
                places.append(Place(startTag: range, whole: range))
            case .end(let range):
                guard let element = open.popLast() else { return nil }
                places[element].whole = places[element].whole.lowerBound..<range.upperBound
            case .broken: return nil
            }
        }
        return open.isEmpty && !places.isEmpty ? places : nil
    }

    /// Whether each place has an element with as many children.
    private func fits() -> Bool {
        var count = 0
        var fits = true
        Self.walk(root) { element, _ in
            fits = count < places.count && places[count].children.count == element.children.count
            count += 1
            return fits
        }
        return fits && count == places.count
    }

    /// Calls `body` with elements in document order, with their places and their index paths, until it returns false.
    func forEach(_ body: (Element, Place, [Int]) -> Bool) {
        var number = 0
        Self.walk(root) { element, path in
            number += 1
            return body(element, places[number - 1], path)
        }
    }

    private static func walk(_ root: Element, _ body: (Element, [Int]) -> Bool) {
        var element = root
        var path: [Int] = []
        while body(element, path) {
            if let child = element.firstChild {
                element = child
                path.append(0)
                continue
            }
            while element.nextSibling == nil {
                guard !path.isEmpty, let parent = element.parent else { return }
                element = parent
                path.removeLast()
            }
            guard let index = path.popLast(), let sibling = element.nextSibling else { return }
            element = sibling
            path.append(index + 1)
        }
    }

    /// The place of the element with that path.
    func place(at path: [Int]) -> Place? {
        var place = places[0]
        for index in path {
            guard place.children.indices.contains(index) else { return nil }
            place = places[place.children[index]]
        }
        return place
    }
}
