// The step of a query that no stanza passes, and the names and values at that place.

import QuerySyntax
import StanzaQuery
import XMLTree

/// A name with its namespace. As queries do, it compares code points.
struct QualifiedName: Hashable, Comparable, Sendable {
    let namespace: String?
    let local: String

    init(_ element: Element) {
        namespace = element.namespace
        local = element.name
    }

    static func == (left: QualifiedName, right: QualifiedName) -> Bool {
        left.local.utf8.elementsEqual(right.local.utf8)
            && left.namespace.map { Array($0.utf8) } == right.namespace.map { Array($0.utf8) }
    }

    static func < (left: QualifiedName, right: QualifiedName) -> Bool {
        (left.local, left.namespace ?? "") < (right.local, right.namespace ?? "")
    }
}

/// Counts, most frequent first. Of a hostile input, only the first keys count.
struct Tally<Key: Hashable & Comparable & Sendable>: Sendable {
    private var counts: [Key: Int] = [:]
    private static var maximumKeys: Int { 1_000 }

    mutating func add(_ key: Key) {
        if counts[key] != nil || counts.count < Self.maximumKeys { counts[key, default: 0] += 1 }
    }

    var ranked: [(key: Key, count: Int)] {
        counts.map { ($0.key, $0.value) }.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    }
}

/// The place where a query stops.
struct Obstacle: Sendable {
    let program: Program
    let address: Int
    /// The name that the step demands, with the namespace or the prefix before it; `nil` if any will do.
    let wanted: (prefix: String, local: String)?
    /// The names that the step could have found: of children, or of the stanza itself.
    private(set) var names = Tally<QualifiedName>()
    /// The elements that the step looked at.
    private(set) var places = Tally<QualifiedName>()
    /// The values of the attribute that the step reads.
    private(set) var values = Tally<String>()
    /// Some of those elements, a few of each stanza.
    private(set) var elements: [Element] = []
    private static let maximumElements = 16

    var step: Step { program.steps[address] }

    init(at address: Int, in program: Program) {
        self.program = program
        self.address = address
        wanted = program.name(of: address)
    }

    /// Adds elements on which the step failed.
    ///
    /// - Parameter isKept: Whether their stanza is in the sample.
    mutating func add(_ elements: [Element], isKept: Bool) {
        if isKept {
            let rest = NearMissSearch.maximumElements - self.elements.count
            self.elements += elements.prefix(min(rest, Self.maximumElements))
        }
        for element in elements {
            places.add(QualifiedName(element))
            switch step.op {
            case .child:
                for child in element.children.prefix(NearMissSearch.maximumElements) { names.add(QualifiedName(child)) }
            case .filter, .yield:
                guard let wanted, let value = element.attribute(wanted.prefix + wanted.local) else { continue }
                // A sentence shows less of it.
                values.add(String(value.unicodeScalars.prefix(NearMissSearch.maximumElements)))
            case .own, .not, .leave, .ascend: break
            }
        }
    }
}
