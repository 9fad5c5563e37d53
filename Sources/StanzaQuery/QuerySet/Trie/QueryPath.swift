// Reads a program as a path through the trie: the edges that it takes, and the rest at the end.
//
// The trie has edges for steps down, for tests of names and attributes, and for results that need only the element.
// Other filters become checks that an ordinary machine runs (Guard.swift). The path ends at the first other
// instruction, and a machine runs the rest of the program. Such instructions are a step whose element a `..` leaves,
// conversions that may fail, and data forms.

import XMLTree

/// The edges of a query without arguments, one by one.
struct QueryPath {
    /// The trie cuts longer paths and leaves the rest to a machine: following the trie takes a call for each edge, and
    /// queries may have any length.
    static let longest = 48

    enum Edge {
        case named(NamedEdge, NameKey)
        case anyChild
        case anyChildInNamespace
        case hasAttribute(NameKey)
        case attributeEquals(NameKey, UnsafeBufferPointer<UInt8>)
        case check(CheckContent)
    }

    /// The rest after the last edge.
    enum Ending: Equatable {
        /// The reached element gives a result.
        case result
        /// A machine has to run the program from that address on, on the reached element.
        case tail(from: Int)
    }

    let query: CompiledQuery
    /// The address after the edges read so far.
    private(set) var address = 0
    private(set) var length = 0
    /// The address of the edge that was read last.
    private(set) var edgeAddress = 0
    /// `nil` while more edges are possible.
    private(set) var ending: Ending?
    /// The last possible end of the path.
    private let limit: Int

    /// - Parameter query: One without arguments, or with bound ones. The caller keeps it alive while it uses the edges.
    init(_ query: CompiledQuery) {
        self.query = query
        limit = Self.limit(of: query.program)
    }

    /// The next edge; `nil` at the end.
    mutating func next() -> Edge? {
        if ending != nil { return nil }
        if length == Self.longest || address >= limit { return end(.tail(from: address)) }
        let program = query.program
        switch program.listing[address] {
        case .childrenNamed(let name, _): return take(.named(.child, name))
        case .childrenNamedInherited(let name, _): return take(.named(.childInherited, name))
        case .childrenNamedAnywhere(let name, _): return take(.named(.childAnywhere, name))
        case .childrenInNamespace(let namespace, _): return take(.named(.childInNamespace, namespace))
        case .childrenInInherited: return take(.anyChildInNamespace)
        case .childrenAll: return take(.anyChild)
        case .isNamed(let name): return take(.named(.own, name))
        case .isNamedInherited(let name): return take(.named(.ownInherited, name))
        case .isNamedAnywhere(let name): return take(.named(.ownAnywhere, name))
        case .isInNamespace(let namespace): return take(.named(.ownNamespace, namespace))
        case .isInInherited: return take(.check(.isInInherited))
        case .isNotNamed(let name): return take(.check(.isNotNamed(name)))
        case .hasAttribute(let name): return take(.hasAttribute(name))
        case .attributeEquals(let name, let value): return take(.attributeEquals(name, program.string(value)))
        case .loadAttribute(let name): return valueEdge(ofAttribute: name)
        case .loadNamespace, .loadResolvedAttribute: return valueEdge()
        case .loadName:
            // Every element has a name; a conversion of it may fail.
            if case .yieldString = program.listing[address + 1] { return end(.result) }
            return end(.tail(from: address))
        case .yieldElement, .yieldAttributes: return end(.result)
        case .yieldText, .yieldConvertedText:
            ending = .result
            return take(.check(.hasText))
        case .leave, .ascend, .attributeEqualsArgument, .loadText, .loadField, .drop, .equals,
            .equalsArgument, .equalsIgnoringCase, .equalsArgumentIgnoringCase, .isOneOf, .hasPrefix, .hasSuffix,
            .contains, .matches, .yieldString, .yieldFieldText, .yieldConverted, .yieldForm, .yieldFieldDescription:
            return end(.tail(from: address))
        }
    }

    /// The edge for a value that is loaded and then used.
    private mutating func valueEdge(ofAttribute name: NameKey) -> Edge? {
        let program = query.program
        switch program.listing[address + 1] {
        case .yieldString:
            ending = .result
            return take(.hasAttribute(name), instructions: 2)
        case .yieldConverted(let conversion, let isStrict) where conversion.isTotal(isStrict: isStrict):
            ending = .result
            return take(.hasAttribute(name), instructions: 2)
        case .equals(let value):
            return take(.attributeEquals(name, program.string(value)), instructions: 2)
        default:
            return valueEdge()
        }
    }

    private mutating func valueEdge() -> Edge? {
        let program = query.program
        if case .equals(let value) = program.listing[address + 1], case .loadNamespace = program.listing[address] {
            let namespace = program.string(value)
            // No element has the namespace "", and those without a namespace have no such attribute.
            if !namespace.isEmpty {
                return take(.named(.ownNamespace, NameKey(.namespace, namespace)), instructions: 2)
            }
        }
        guard let filter = Guard(query, at: address) else { return end(.tail(from: address)) }
        return take(.check(.filter(filter)), instructions: 2)
    }

    private mutating func take(_ edge: Edge, instructions: Int = 1) -> Edge {
        edgeAddress = address
        address += instructions
        length += 1
        return edge
    }

    private mutating func end(_ ending: Ending) -> Edge? {
        self.ending = ending
        return nil
    }

    // MARK: Where the trie cannot follow

    /// The address of the first instruction that needs a machine, wherever the path could lead.
    private static func limit(of program: Program) -> Int {
        // A prefix lookup goes through all ancestors; one machine remembers the result (2.6).
        if program.attributes.contains(where: \.needsPrefixes) { return 0 }
        var limit = program.instructionCount
        guard program.listing.contains(where: \.climbs) else { return limit }
        var steps: [Int] = []
        for (address, instruction) in program.listing.enumerated() {
            switch instruction.definition.effect {
            case .step: steps.append(address)
            case .leave:
                // The step's other candidates are dropped with the cursor: step and `..` belong to one machine.
                if let step = steps.popLast() { limit = min(limit, step) }
            case .ascend: limit = min(limit, address)
            case .test, .load, .testValue, .yield, .yieldValue: break
            }
        }
        return limit
    }
}

extension Instruction {
    fileprivate var climbs: Bool {
        switch self {
        case .leave, .ascend: true
        default: false
        }
    }
}
