// The results of a query one after another, without an array of them.
//
// The registers of a machine are plain data, so that an iterator is a value: it holds query and tree once, and nothing
// for each result. It fetches 1, 2, 4, 8 and then 16 elements at a time, or up to 64 that it lends, because entering
// the machine costs more than an element.

import QuerySyntax
public import XMLTree

/// The results of a query on a frozen element, each found when the loop gets to it. On an editable element, use `find`:
/// a loop over its array may change the tree.
///
/// ```swift
/// for item in try message.results(of: Query("event/items/item", as: Element.self)) {
///     guard let id = item["id"] else { break }
///     print(id)
/// }
/// ```
///
/// A loop that ends early saves the rest of the search. The sequence allocates nothing, apart from results that need
/// memory themselves, and a copy of a query with bound arguments. You can go through it several times, and each time
/// searches again.
public struct QueryResults<Output: QueryDecodable>: Sequence, Sendable where Output: Sendable {
    @usableFromInline let program: Program
    @usableFromInline let element: XMLTree.Element
    /// All results of a query that has to be evaluated at once.
    @usableFromInline let collected: [Output]?

    // Inlined, so that a loop over the results holds them in registers.
    @inlinable @inline(__always)
    init(_ query: Query<Output>, on element: XMLTree.Element) throws(QueryError) {
        program = try query.compiled.bound(to: query.arguments)
        self.element = element
        collected =
            try program.isSelfContained
            ? nil : element._results(of: program, [], UnsafeBufferPointer(start: nil, count: 0)).decoded()
    }

    @inlinable public func makeIterator() -> Iterator { Iterator(self) }

    /// Finds one result after another.
    public struct Iterator: IteratorProtocol, Sendable {
        @usableFromInline let results: QueryResults
        @usableFromInline var cursor: ResultCursor
        @usableFromInline var batch = ResultCursor.Elements()
        @usableFromInline var position = 0
        @usableFromInline var count = 0

        @inlinable
        init(_ results: QueryResults) {
            self.results = results
            cursor = ResultCursor(results.element)
        }

        @inlinable @inline(__always)
        public mutating func next() -> Output? {
            if let collected = results.collected {
                if position == collected.count { return nil }
                defer { position &+= 1 }
                return collected[position]
            }
            let isElement = Output.self == XMLTree.Element.self
            guard isElement || (Output.self == QueryValue.self && results.program.yieldsElements) else {
                while let result = cursor.next(results.program, results.element) {
                    if let output = Output.decode(queryResult: result) { return output }
                }
                return nil
            }
            if position == count {
                count = cursor.fill(
                    &batch, .passUnretained(results.program), .passUnretained(results.element.tree))
                position = 0
                if count == 0 { return nil }
            }
            let element = XMLTree.Element(
                tree: results.element.tree, index: NodeIndex(rawValue: batch[position]))
            position &+= 1
            // The types are one, after the comparison above.
            return isElement
                ? unsafeBitCast(element, to: Output.self)
                : unsafeBitCast(QueryValue.element(element), to: Output.self)
        }
    }
}

extension QueryResults where Output == XMLTree.Element {
    /// Passes each element to a closure without retaining its tree. An error of the closure ends the search.
    ///
    /// ```swift
    /// var count = 0
    /// try message.results(of: Query("event/items/item", as: Element.self)).forEachBorrowed { item in
    ///     if item.firstChild == nil { count += 1 }
    /// }
    /// ```
    @inlinable @inline(__always)
    public func forEachBorrowed<Failure>(_ body: (borrowing Element) throws(Failure) -> Void) throws(Failure) {
        if let collected {
            for element in collected { try body(element) }
            return
        }
        try Self.forEachBorrowed(program, element, body)
    }

    /// A function of its own, whose caller holds the tree: inlined, it would retain the tree for each element.
    @inlinable @inline(never)
    static func forEachBorrowed<Failure>(
        _ program: Program, _ root: Element, _ body: (borrowing Element) throws(Failure) -> Void
    ) throws(Failure) {
        try withUnsafeTemporaryAllocation(of: NodeIndex.self, capacity: 64) { batch throws(Failure) in
            var cursor = ResultCursor(root)
            while case let count = cursor.fill(batch, .passUnretained(program), .passUnretained(root.tree)), count > 0 {
                for node in batch[..<count] { try body(XMLTree.Element(tree: root.tree, index: node)) }
            }
        }
    }
}

extension QueryResults where Output == String {
    /// Passes the UTF-8 bytes of each result to a closure. Values of attributes (`@a`) are read in the tree, without a
    /// string. An error of the closure ends the search.
    @inlinable @inline(__always)
    public func forEachUTF8<Failure>(_ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void) throws(Failure) {
        if collected == nil, ResultCursor.lendsTexts(of: program) {
            var cursor = ResultCursor(element)
            var batch = ResultCursor.Texts()
            while true {
                let count = cursor.fill(&batch, .passUnretained(program), .passUnretained(element.tree))
                if count == 0 { return }
                for position in 0..<count {
                    try body(
                        UnsafeBufferPointer(
                            start: UnsafePointer(bitPattern: batch[2 &* position]),
                            count: Int(bitPattern: batch[2 &* position &+ 1])))
                }
            }
        }
        for var text in self {
            let outcome: Result<Void, Failure> = text.withUTF8 { bytes in
                do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
            }
            try outcome.get()
        }
    }
}

/// The state of a search between two results.
@usableFromInline
struct ResultCursor: Sendable {
    /// Numbers of elements.
    @usableFromInline typealias Elements = SIMD16<UInt32>
    /// The address and the length of each text.
    @usableFromInline typealias Texts = SIMD16<UInt>

    private var registers: Registers
    private var limit = 1

    @usableFromInline
    init(_ element: Element) { registers = Registers(node: element.index) }

    /// The next result of any kind.
    @usableFromInline
    mutating func next(_ program: Program, _ element: Element) -> QueryValue? {
        var machine = Machine(
            MachineInput(.passUnretained(program), view: element.view, bindings: nil, arguments: .none),
            resuming: registers, observer: NoObserver())
        // Also after the last result, so that further calls do not search again.
        defer { registers = machine.registers }
        // The program cannot fail.
        guard let hit = (try? machine.next()) ?? nil else { return nil }
        return QueryResult(hit, of: program, in: element)
    }

    // An evaluation releases nothing that its caller holds: see FastEvaluation.swift.

    /// The next elements, of a query whose results are elements. Returns their number, 0 after the last one.
    @usableFromInline @inline(never) @_effects(releasenone)
    mutating func fill(_ batch: inout Elements, _ program: Unmanaged<Program>, _ tree: Unmanaged<Tree>) -> Int {
        withUnsafeMutableBytes(of: &batch) { bytes in
            bytes.withMemoryRebound(to: NodeIndex.self) { fill($0, program, tree) }
        }
    }

    /// The same, with the caller's memory.
    @usableFromInline @inline(never) @_effects(releasenone)
    mutating func fill(
        _ batch: UnsafeMutableBufferPointer<NodeIndex>, _ program: Unmanaged<Program>, _ tree: Unmanaged<Tree>
    ) -> Int {
        fill(program, tree, capacity: batch.count) { machine, limit in
            (try? machine.nextElements(UnsafeMutableBufferPointer(rebasing: batch[..<limit]))) ?? 0
        }
    }

    /// The next values of attributes. They are valid as long as the tree lives.
    @usableFromInline @inline(never) @_effects(releasenone)
    mutating func fill(_ batch: inout Texts, _ program: Unmanaged<Program>, _ tree: Unmanaged<Tree>) -> Int {
        fill(program, tree, capacity: Texts.scalarCount / 2) { machine, limit in
            var count = 0
            withUnsafeMutableBytes(of: &batch) { batch in
                while count < limit,
                    case .string(let text, _)? = (try? machine.next()) ?? nil
                {
                    batch.storeBytes(
                        of: text, toByteOffset: count &* MemoryLayout.stride(ofValue: text),
                        as: UnsafeBufferPointer<UInt8>.self)
                    count &+= 1
                }
            }
            return count
        }
    }

    @inline(__always)
    private mutating func fill(
        _ program: Unmanaged<Program>, _ tree: Unmanaged<Tree>, capacity: Int,
        _ body: (inout Machine<NoObserver>, _ limit: Int) -> Int
    ) -> Int {
        let view = tree._withUnsafeGuaranteedRef { $0.view }
        var machine = Machine(
            MachineInput(program, view: view, bindings: nil, arguments: .none), resuming: registers,
            observer: NoObserver())
        let count = body(&machine, limit)
        limit = min(2 &* limit, capacity)
        registers = machine.registers
        return count
    }

    /// Whether the results are values of attributes, whose bytes the tree has.
    @usableFromInline
    static func lendsTexts(of program: Program) -> Bool {
        let step = program.code[program.stepCount - 1]
        return step.result == .attribute && step.conversion == nil
    }
}

extension Element {
    /// The results of a query, found one after another.
    ///
    /// ```swift
    /// let first = try form.results(of: Query("field@var", as: String.self)).first { $0.hasPrefix("muc#") }
    /// ```
    ///
    /// A query whose evaluation may fail, because of a regular expression, and one with prefixes are evaluated at once:
    /// so no loop meets an error.
    ///
    /// - Throws: `QueryError` as `find(_:_:)`. The query takes no arguments: bind them before.
    @inlinable
    public func results<Output: QueryDecodable & Sendable>(
        of query: Query<Output>
    ) throws(QueryError) -> QueryResults<Output> {
        try QueryResults(query, on: self)
    }
}
